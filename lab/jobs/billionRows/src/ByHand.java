package billionRows;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The challenge over a mapped MemorySegment by hand, for all processors, on little-endian ones, with
 * a table of words for each thread. It trusts its input: names are neither bounded nor checked, and
 * a file that is cut meanwhile is an error without a name. Three cursors in a chunk are not faster.
 */
public final class ByHand {
  private static final long CHUNK_BYTES = 2 << 20;

  /** More than a line has, so that words can be read behind the line's end. */
  private static final long PADDING = 256;

  public static void main(String[] args) throws IOException, InterruptedException {
    MemorySegment file;
    try (var channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.READ)) {
      file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.global());
    }
    // The last lines are copied: words behind them can be read there, too.
    long split = lineAfter(file, Math.max(0, file.byteSize() - 2 * PADDING));
    var tail = Arena.global().allocate(file.byteSize() - split + PADDING);
    MemorySegment.copy(file, split, tail, 0, file.byteSize() - split);

    var next = new AtomicLong();
    var tables = new ArrayList<Table>();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      var table = new Table();
      tables.add(table);
      threads.add(Thread.ofPlatform().start(() -> work(file, split, next, table)));
    }
    var all = new TreeMap<String, long[]>();
    var rest = new Table();
    rest.add(tail, 0, file.byteSize() - split);
    rest.mergeInto(all);
    for (int i = 0; i < threads.size(); i++) {
      threads.get(i).join();
      tables.get(i).mergeInto(all);
    }
    var output = new StringBuilder("{");
    for (var station : all.entrySet()) {
      var s = station.getValue();
      output.append(output.length() == 1 ? "" : ", ").append(station.getKey()).append('=');
      output.append(s[2] / 10.0).append('/');
      output.append(Math.round(s[0] / (double) s[1]) / 10.0).append('/').append(s[3] / 10.0);
    }
    System.out.println(output.append('}'));
  }

  private static void work(MemorySegment file, long until, AtomicLong next, Table table) {
    for (long at = next.getAndAdd(CHUNK_BYTES); at < until; at = next.getAndAdd(CHUNK_BYTES)) {
      long from = lineAfter(file, at);
      long end = lineAfter(file, Math.min(at + CHUNK_BYTES, until));
      table.add(file, from, end);
    }
  }

  /** The start of the first line from `at` on: 0, or the byte behind a line feed. */
  private static long lineAfter(MemorySegment file, long at) {
    while (at > 0 && at < file.byteSize() && file.get(JAVA_BYTE, at - 1) != '\n') {
      at++;
    }
    return at;
  }

  /**
   * Stations by open addressing. A slot has eight words: the first 16 bytes of the name, filled up
   * with zeros, its size, the sum, the count, the least and the greatest value, one word free. Bytes
   * of a longer name from 16 on are in `names`.
   */
  private static final class Table {
    private static final int SLOT_BITS = 15;
    private static final int SLOTS = 1 << SLOT_BITS;
    private static final int WORDS = 8;
    private static final int NAME_WORDS = 11;

    private static final int SIZE = 2;
    private static final int SUM = 3;
    private static final int COUNT = 4;
    private static final int LEAST = 5;
    private static final int GREATEST = 6;

    private static final long FACTOR = 0x9e3779b97f4a7c15L;
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private final long[] slots = new long[SLOTS * WORDS];
    private final long[] names = new long[SLOTS * NAME_WORDS];

    void add(MemorySegment file, long at, long end) {
      while (at < end) {
        at = addLine(file, at);
      }
    }

    /** Adds the line at a position; returns the position behind it. */
    private long addLine(MemorySegment file, long at) {
      long low = file.get(JAVA_LONG_UNALIGNED, at);
      long high = file.get(JAVA_LONG_UNALIGNED, at + 8);
      long inLow = semicolons(low);
      long inHigh = semicolons(high);
      if ((inLow | inHigh) == 0) {
        return addLong(file, at, low, high);
      }
      // Without a branch for the size of the name, which would often be mispredicted.
      long isShort = (inLow | -inLow) >> 63;
      low &= ((inLow & -inLow) >>> 7) - 1;
      high &= ((inHigh & -inHigh) >>> 7) - 1 & ~isShort;
      int size = Long.numberOfTrailingZeros(inLow | inHigh & ~isShort) / 8 + (int) (8 & ~isShort);
      int slot = home(low, high, 0);
      while (slots[slot] != low || slots[slot + 1] != high) {
        if (slots[slot + COUNT] == 0) {
          enter(slot, low, high, size);
        } else {
          slot = slot + WORDS & SLOTS * WORDS - 1;
        }
      }
      return addValue(file, at + size + 1, slot);
    }

    /** As `addLine`, for a name of at least 16 bytes. */
    private long addLong(MemorySegment file, long at, long low, long high) {
      long rest = 0;
      long word = file.get(JAVA_LONG_UNALIGNED, at + 16);
      long end = at + 16;
      for (; semicolons(word) == 0; word = file.get(JAVA_LONG_UNALIGNED, end)) {
        rest = (rest ^ word) * FACTOR;
        end += 8;
      }
      long found = semicolons(word);
      long last = word & ((found & -found) >>> 7) - 1;
      end += Long.numberOfTrailingZeros(found) / 8;
      int size = (int) (end - at);
      int slot = home(low, high, rest ^ last);
      while (!isLong(slot, low, high, size, file, at, last)) {
        if (slots[slot + COUNT] == 0) {
          enter(slot, low, high, size);
          int name = slot / WORDS * NAME_WORDS;
          for (int i = 16; i + 8 <= size; i += 8) {
            names[name++] = file.get(JAVA_LONG_UNALIGNED, at + i);
          }
          names[name] = last;
        } else {
          slot = slot + WORDS & SLOTS * WORDS - 1;
        }
      }
      return addValue(file, end + 1, slot);
    }

    private boolean isLong(
        int slot, long low, long high, int size, MemorySegment file, long at, long last) {
      if (slots[slot] != low || slots[slot + 1] != high || slots[slot + SIZE] != size) {
        return false;
      }
      int name = slot / WORDS * NAME_WORDS;
      for (int i = 16; i + 8 <= size; i += 8) {
        if (names[name++] != file.get(JAVA_LONG_UNALIGNED, at + i)) {
          return false;
        }
      }
      return names[name] == last;
    }

    private void enter(int slot, long low, long high, int size) {
      slots[slot] = low;
      slots[slot + 1] = high;
      slots[slot + SIZE] = size;
      slots[slot + LEAST] = Long.MAX_VALUE;
      slots[slot + GREATEST] = Long.MIN_VALUE;
    }

    /** Adds the number at a position, in tenths, without a branch (by Q. A. Mai, "merykitty"). */
    private long addValue(MemorySegment file, long at, int slot) {
      long word = file.get(JAVA_LONG_UNALIGNED, at);
      int point = Long.numberOfTrailingZeros(~word & 0x10101000L);
      long sign = ~word << 59 >> 63;
      long digits = (word & ~(sign & 0xff)) << 28 - point & 0x0f000f0f00L;
      long tenths = (digits * 0x640a0001L >>> 32 & 0x3ff ^ sign) - sign;
      slots[slot + SUM] += tenths;
      slots[slot + COUNT]++;
      slots[slot + LEAST] = Math.min(slots[slot + LEAST], tenths);
      slots[slot + GREATEST] = Math.max(slots[slot + GREATEST], tenths);
      return at + (point >>> 3) + 3;
    }

    /** Adds all stations to others: the sum, the count, the least and the greatest value of each. */
    void mergeInto(TreeMap<String, long[]> all) {
      var name = ByteBuffer.allocate(16 + NAME_WORDS * Long.BYTES).order(LITTLE_ENDIAN);
      for (int slot = 0; slot < slots.length; slot += WORDS) {
        if (slots[slot + COUNT] != 0) {
          name.putLong(0, slots[slot]).putLong(8, slots[slot + 1]);
          name.asLongBuffer().put(2, names, slot / WORDS * NAME_WORDS, NAME_WORDS);
          var text = new String(name.array(), 0, (int) slots[slot + SIZE], UTF_8);
          long[] station = {
            slots[slot + SUM], slots[slot + COUNT], slots[slot + LEAST], slots[slot + GREATEST]
          };
          all.merge(text, station, Table::sum);
        }
      }
    }

    private static long[] sum(long[] a, long[] b) {
      return new long[] {a[0] + b[0], a[1] + b[1], Math.min(a[2], b[2]), Math.max(a[3], b[3])};
    }

    /** The highest bit of the first byte that is a semicolon, and perhaps of later bytes. */
    private static long semicolons(long word) {
      long difference = word ^ ';' * ONES;
      return difference - ONES & ~difference & HIGHS;
    }

    private static int home(long low, long high, long rest) {
      long hash = (low ^ Long.rotateLeft(high, 23) ^ Long.rotateLeft(rest, 41)) * FACTOR;
      return (int) (hash >>> 64 - SLOT_BITS) * WORDS;
    }
  }
}
