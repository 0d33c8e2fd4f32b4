package undercroft.lab.spark;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import undercroft.file.format.Field;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.StructWriter;
import undercroft.file.format.Type;

/** A day of generated trades: trade `i` is the same for every number of trades.
 *
 * @param balance
 *     of all trades
 */
public record Day(Path file, long trades, long balance) {

  /** The balance as a SQL expression. */
  public static final String BALANCE =
      "sum(cast(amount as bigint) * price * (case when buy then 1 else -1 end))";

  /** Trades of some tickets by ticket, in the dearer half of the prices. */
  static final String GROUPED =
      "select ticket, count(*) trades, " + BALANCE + " balance from day "
          + "where price > 1500 and ticket < 100 group by ticket";

  static Schema schema(FileLayout layout) {
    return new Schema(
        "Trade", layout, ByteOrder.nativeOrder(), layout == FileLayout.ALIGNED ? 16 : 13,
        List.of(
            new Field.Leaf("ticket", 0, Type.Primitive.INT),
            new Field.Leaf("amount", 4, Type.Primitive.INT),
            new Field.Leaf("price", 8, Type.Primitive.INT),
            new Field.Leaf("buy", 12, Type.Primitive.BOOLEAN)));
  }

  /** Writes a day into a new file, which is sealed. */
  public static Day write(Path file, FileLayout layout, long trades) {
    long balance = 0;
    var writer = StructWriter.create(file, schema(layout), trades, Durability.VOLATILE);
    var data = writer.data();
    long capacity = writer.capacity();
    boolean columns = layout == FileLayout.COLUMNS;
    long stride = writer.schema().stride();
    long step = columns ? 4 : stride;
    long part = columns ? 4 * capacity : 4;
    long ready = 0;
    for (long i = 0; i < trades; i++) {
      if (i >= ready) ready = writer.ensureCapacity(i + 1);
      long random = mixed(i);
      int amount = 1 + (int) (random & 1023);
      int price = 1000 + (int) (random >>> 10 & 1023);
      boolean buy = (random >>> 20 & 1) == 0;
      data.set(JAVA_INT_UNALIGNED, i * step, (int) ((random >>> 32) % 1000));
      data.set(JAVA_INT_UNALIGNED, i * step + part, amount);
      data.set(JAVA_INT_UNALIGNED, i * step + 2 * part, price);
      data.set(JAVA_BYTE, columns ? 3 * part + i : i * stride + 12, (byte) (buy ? 1 : 0));
      balance += (long) amount * price * (buy ? 1 : -1);
    }
    writer.seal(trades);
    return new Day(file, trades, balance);
  }

  /** The finalizer of SplittableRandom: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
   * Generators", OOPSLA 2014.
   */
  private static long mixed(long number) {
    long z = (number + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }
}
