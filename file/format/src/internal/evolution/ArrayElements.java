package undercroft.file.format.internal.evolution;

import java.util.Optional;
import undercroft.file.format.Field;
import undercroft.file.format.Type;
import undercroft.file.format.internal.schema.TypeConversion;

/** An array, of any number of dimensions.
 *
 * @param of the type of an element
 * @param inner the number of elements in one element of the outermost dimension
 * @param count the number of elements in all dimensions
 */
public record ArrayElements(Type of, int inner, int count) {

  /** The array that a type is; null for another type. */
  public static ArrayElements of(Type type) {
    if (!(type instanceof Type.Elements array)) return null;
    var elements = of(array.of());
    return elements == null
        ? new ArrayElements(array.of(), 1, array.count())
        : new ArrayElements(elements.of, elements.count, Math.multiplyExact(elements.count, array.count()));
  }

  /** Whether each element keeps its index in another array: only the outermost dimension grows. */
  public boolean fits(ArrayElements wide) {
    return inner == wide.inner && count <= wide.count;
  }

  public boolean hasStructs() {
    return of.physical() instanceof Type.Struct;
  }

  /** An element as a field, with offsets from its start. */
  public Field field() {
    return of.physical() instanceof Type.Struct struct
        ? new Field.Record("", struct.name(), struct.fields(), Optional.ofNullable(TypeConversion.kind(of)))
        : new Field.Leaf("", 0, of);
  }
}
