package undercroft.file.format.internal.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import undercroft.file.format.Type;
import undercroft.file.format.internal.metadata.BlockTable;

/** The values of a column with their bytes apart: the first bytes of all values, then the second
 * ones, and so on. The high bytes of numbers are alike, so that a codec makes them short, and skips
 * the low bytes of random ones.
 */
public final class BytePlanes {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private BytePlanes() {}

  private static VarHandle view(Class<?> kind) {
    return MethodHandles.byteArrayViewVarHandle(kind, ByteOrder.LITTLE_ENDIAN);
  }

  /** Whether the bytes of a value are stored apart. */
  public static boolean isSplit(Type type) {
    return BlockTable.isNumber(type) && type.size() > 1;
  }

  /** Splits `count` values of `size` bytes, 2, 4 or 8. */
  public static void split(byte[] values, int count, int size, byte[] planes) {
    for (int plane = 0; plane < size; plane++)
      for (int i = 0; i < count; i++) planes[plane * count + i] = values[i * size + plane];
  }

  /** Joins `count` values of `size` bytes, 2, 4 or 8, to `values` from `at` on. */
  public static void join(byte[] planes, int count, int size, byte[] values, int at) {
    switch (size) {
      case 2 -> {
        for (int i = 0; i < count; i++)
          SHORT.set(values, at + 2 * i, (short) (planes[i] & 0xff | planes[count + i] << 8));
      }
      case 4 -> {
        for (int i = 0; i < count; i++) INT.set(values, at + 4 * i, word(planes, i, count));
      }
      case 8 -> {
        for (int i = 0; i < count; i++) {
          long low = word(planes, i, count) & 0xffffffffL;
          long high = word(planes, 4 * count + i, count);
          LONG.set(values, at + 8 * i, low | high << 32);
        }
      }
      default -> throw new IllegalArgumentException("a value must have 2, 4 or 8 bytes, but has " + size);
    }
  }

  private static int word(byte[] planes, int at, int count) {
    return planes[at] & 0xff
        | (planes[at + count] & 0xff) << 8
        | (planes[at + 2 * count] & 0xff) << 16
        | planes[at + 3 * count] << 24;
  }
}
