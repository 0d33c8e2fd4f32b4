package undercroft.file.format.internal.schema;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import undercroft.file.format.Type;
import undercroft.file.format.internal.storage.MappedFaults;

/** Reads stored numbers of any primitive type. */
public final class StoredNumbers {
  private StoredNumbers() {}

  public static long whole(Type.Primitive type, MemorySegment bytes, long at, ByteOrder order) {
    boolean big = order == ByteOrder.BIG_ENDIAN;
    return switch (type) {
      case BOOLEAN, BYTE -> bytes.get(ValueLayout.JAVA_BYTE, at);
      case SHORT -> big ? bytes.get(BIG_SHORT, at) : bytes.get(SHORT, at);
      case CHAR -> big ? bytes.get(BIG_CHAR, at) : bytes.get(CHAR, at);
      case INT -> (big ? bytes.get(BIG_INT, at) : bytes.get(INT, at)) + MappedFaults.zero();
      default -> big ? bytes.get(BIG_LONG, at) : bytes.get(LONG, at);
    };
  }

  public static double decimal(Type.Primitive type, MemorySegment bytes, long at, ByteOrder order) {
    return type == Type.Primitive.FLOAT
        ? Float.intBitsToFloat((int) whole(Type.Primitive.INT, bytes, at, order))
        : Double.longBitsToDouble(whole(Type.Primitive.LONG, bytes, at, order));
  }

  // Constants: a layout that is created for an access has its handle looked up in a map.
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort BIG_SHORT = SHORT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfChar CHAR =
      ValueLayout.JAVA_CHAR_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfChar BIG_CHAR = CHAR.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt BIG_INT = INT.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong BIG_LONG = LONG.withOrder(ByteOrder.BIG_ENDIAN);
}
