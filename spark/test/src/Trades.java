package undercroft.spark;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.SmallBlocks;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;

/** Files of trades: trade `i` has ticket `i % 7`, amount `i`, price `1000 - i` and is a buy if i is even. */
final class Trades {
  private Trades() {}

  static final int ROWS_PER_BLOCK = 10;

  static Schema schema(FileLayout layout) {
    long stride = layout == FileLayout.ALIGNED ? 16 : 13;
    return new Schema(
        "Trade", layout, ByteOrder.nativeOrder(), stride,
        List.of(
            new Field.Leaf("ticket", 0, Type.Primitive.INT),
            new Field.Leaf("amount", 4, Type.Primitive.INT),
            new Field.Leaf("price", 8, Type.Primitive.INT),
            new Field.Leaf("buy", 12, Type.Primitive.BOOLEAN)));
  }

  static long balance(int from, int until) {
    long sum = 0;
    for (int i = from; i < until; i++) sum += (long) i * (1000 - i) * (i % 2 == 0 ? 1 : -1);
    return sum;
  }

  /** The balance in SQL. */
  static final String BALANCE =
      "sum(cast(amount as bigint) * price * (case when buy then 1 else -1 end))";

  /** A writer with the trades `[from, until)`. */
  static StructWriter writer(Path file, FileLayout layout, int from, int until) {
    var writer = StructWriter.create(file, schema(layout), until - from, Durability.VOLATILE);
    int rows = until - from;
    writer.ensureCapacity(rows);
    long capacity = writer.capacity();
    for (int row = 0; row < rows; row++) {
      int i = from + row;
      int[] values = {i % 7, i, 1000 - i};
      for (int column = 0; column < 3; column++)
        writer.data().set(JAVA_INT_UNALIGNED, place(layout, capacity, row, 4 * column, 4), values[column]);
      writer.data().set(JAVA_BYTE, place(layout, capacity, row, 12, 1), (byte) (i % 2 == 0 ? 1 : 0));
    }
    return writer;
  }

  private static long place(FileLayout layout, long capacity, int row, int offset, int size) {
    if (layout == FileLayout.COLUMNS) return capacity * offset + (long) row * size;
    return row * schema(layout).stride() + offset;
  }

  /** A sealed file of the trades `[from, until)`, in blocks of ten. */
  static Path file(Path file, FileLayout layout, int from, int until) {
    SmallBlocks.seal(writer(file, layout, from, until), until - from, ROWS_PER_BLOCK);
    return file;
  }
}
