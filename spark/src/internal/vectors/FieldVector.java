package undercroft.spark.internal.vectors;

import java.lang.foreign.MemorySegment;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;
import undercroft.spark.internal.columns.NullableField;

/** A column vector over the values of a field in the mapped file, without a copy. Accessors of
 * other types throw.
 *
 * Confined to one thread. Reading beyond the end, or after the file was closed, throws.
 */
public abstract class FieldVector extends ColumnVector {
  public final MemorySegment data;
  public final ValueRange place;
  private final int rows;
  private final NumberVector sign;
  private final int number;

  /** @param sign the values that indicate presence, or null if all values are present
   * @param number the value of `sign` for present values, or {@link NullableField#DEFINED}
   */
  public FieldVector(
      DataType type, MemorySegment data, ValueRange place, int rows, NumberVector sign, int number) {
    super(type);
    this.data = data;
    this.place = place;
    this.rows = rows;
    this.sign = sign;
    this.number = number;
  }

  @Override
  public boolean isNullAt(int row) {
    if (sign == null) return false;
    return number == NullableField.DEFINED ? !sign.getBoolean(row) : sign.whole(row) != number;
  }

  @Override
  public boolean hasNull() {
    return numNulls() > 0;
  }

  @Override
  public int numNulls() {
    int nulls = 0;
    if (sign != null) for (int row = 0; row < rows; row++) if (isNullAt(row)) nulls++;
    return nulls;
  }

  /** Does nothing: the mapping belongs to the reader. */
  @Override
  public void close() {}

  @Override
  public boolean getBoolean(int row) {
    throw none("boolean");
  }

  @Override
  public byte getByte(int row) {
    throw none("byte");
  }

  @Override
  public short getShort(int row) {
    throw none("short");
  }

  @Override
  public int getInt(int row) {
    throw none("int");
  }

  @Override
  public long getLong(int row) {
    throw none("long");
  }

  @Override
  public float getFloat(int row) {
    throw none("float");
  }

  @Override
  public double getDouble(int row) {
    throw none("double");
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw none("array");
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw none("map");
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    throw none("decimal");
  }

  @Override
  public UTF8String getUTF8String(int row) {
    throw none("string");
  }

  @Override
  public byte[] getBinary(int row) {
    throw none("binary");
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    throw none("child");
  }

  private UnsupportedOperationException none(String valueType) {
    return new UnsupportedOperationException(
        "a column of type " + type.sql() + " does not contain a " + valueType);
  }
}
