package undercroft.spark.internal.vectors;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import undercroft.file.format.Type;
import undercroft.file.format.internal.storage.MappedFaults;
import undercroft.spark.internal.columns.NullableField;

/** Numbers and Booleans, read from the mapped file without a copy; integers are read as {@link
 * MappedFaults} requires.
 */
public final class NumberVector extends FieldVector {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  private final int size;

  /** Whether integers are unsigned. */
  private final boolean unsigned;

  /** Whether values are byte-swapped. */
  private final boolean swapped;

  public NumberVector(
      Type type, MemorySegment data, ValueRange place, int rows, NumberVector sign, int number) {
    super(NullableField.type(type), data, place, rows, sign, number);
    var plain = type instanceof Type.BigEndian big ? big.of() : type;
    this.size = type.size();
    this.unsigned = plain instanceof Type.Ordinal || plain == Type.Primitive.CHAR;
    this.swapped =
        type instanceof Type.BigEndian && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  }

  /** An integer of any size. */
  public long whole(int row) {
    long at = place.at(row);
    return switch (size) {
      case 1 -> {
        byte stored = byteAt(at);
        yield unsigned ? stored & 0xff : stored;
      }
      case 2 -> {
        short stored = ordered(shortAt(at));
        yield unsigned ? stored & 0xffff : stored;
      }
      case 4 -> ordered(intAt(at));
      default -> ordered(longAt(at));
    };
  }

  private byte byteAt(long at) {
    return (byte) (data.get(ValueLayout.JAVA_BYTE, at) + MappedFaults.zero());
  }

  private short shortAt(long at) {
    return (short) (data.get(SHORT, at) + MappedFaults.zero());
  }

  private int intAt(long at) {
    return data.get(INT, at) + MappedFaults.zero();
  }

  private long longAt(long at) {
    return data.get(LONG, at) + MappedFaults.zero();
  }

  private short ordered(short stored) {
    return swapped ? Short.reverseBytes(stored) : stored;
  }

  private int ordered(int stored) {
    return swapped ? Integer.reverseBytes(stored) : stored;
  }

  private long ordered(long stored) {
    return swapped ? Long.reverseBytes(stored) : stored;
  }

  @Override
  public boolean getBoolean(int row) {
    return data.get(ValueLayout.JAVA_BYTE, place.at(row)) != 0;
  }

  @Override
  public byte getByte(int row) {
    return byteAt(place.at(row));
  }

  @Override
  public short getShort(int row) {
    return ordered(shortAt(place.at(row)));
  }

  @Override
  public int getInt(int row) {
    return size == 4 ? ordered(intAt(place.at(row))) : (int) whole(row);
  }

  @Override
  public long getLong(int row) {
    return ordered(longAt(place.at(row)));
  }

  @Override
  public float getFloat(int row) {
    return Float.intBitsToFloat(ordered(intAt(place.at(row))));
  }

  @Override
  public double getDouble(int row) {
    return Double.longBitsToDouble(ordered(longAt(place.at(row))));
  }
}
