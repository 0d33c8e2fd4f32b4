package undercroft.spark;

import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import undercroft.file.Type;

/** Arrays of a fixed length: the elements are read where they lie. Those of all rows are counted by
 * Int, as Spark does it.
 */
final class ArrayVector extends FieldVector {
  private final ColumnVector elements;
  private final int count;

  ArrayVector(
      Type.Elements type, ArrayType wanted, Origin origin, MemorySegment data, Place place, int rows,
      NumberVector sign, int number) {
    super(wanted, data, place, rows, sign, number);
    this.count = type.count();
    var inside = place.elements(count, type.of().size());
    int all = Math.multiplyExact(rows, count);
    this.elements =
        Vectors.of(type.of(), wanted.elementType(), origin.elements(count), data, inside, all, null, 0);
  }

  @Override
  public ColumnarArray getArray(int row) {
    return isNullAt(row) ? null : new ColumnarArray(elements, row * count, count);
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return elements;
  }
}
