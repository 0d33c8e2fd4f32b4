package undercroft.spark.internal.vectors;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** Strings. A string ends before its first zero byte, or after its last byte. Each string that is read
 * is copied to the heap: Spark would read the mapped bytes by Unsafe without a bounds check, and
 * possibly after the file was closed.
 */
public final class TextVector extends FieldVector {
  private final int size;

  public TextVector(
      int size, MemorySegment data, ValueRange place, int rows, NumberVector sign, int number) {
    super(DataTypes.StringType, data, place, rows, sign, number);
    this.size = size;
  }

  @Override
  public UTF8String getUTF8String(int row) {
    if (isNullAt(row)) return null;
    long at = place.at(row);
    int length = 0;
    while (length < size && data.get(ValueLayout.JAVA_BYTE, at + length) != 0) length++;
    var bytes = new byte[length];
    MemorySegment.copy(data, ValueLayout.JAVA_BYTE, at, bytes, 0, length);
    return UTF8String.fromBytes(bytes);
  }
}
