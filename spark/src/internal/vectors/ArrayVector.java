package undercroft.spark.internal.vectors;

import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import undercroft.file.format.Type;

/** Fixed-length arrays, read from the mapped file without a copy. Elements of all rows are numbered
 * by an Int, as in Spark's own vectors.
 */
public final class ArrayVector extends FieldVector {
  private final ColumnVector elements;
  private final int count;

  public ArrayVector(
      Type.Elements type, ArrayType arrayType, ValueOrigin origin, MemorySegment data, ValueRange place, int rows,
      NumberVector sign, int number) {
    super(arrayType, data, place, rows, sign, number);
    this.count = type.count();
    var inside = place.elements(count, type.of().size());
    int elementCount = Math.multiplyExact(rows, count);
    this.elements =
        Vectors.of(type.of(), arrayType.elementType(), origin.elements(count), data, inside, elementCount, null, 0);
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
