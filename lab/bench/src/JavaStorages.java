package undercroft.lab.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import sun.misc.Unsafe;

/** The article's storages in Java: the baseline that shows the cost of the language. */
@SuppressWarnings("removal")
final class JavaStorages {
  private JavaStorages() {}

  record Trade(int ticket, int amount, int price, boolean buy) {
    long balance() {
      return (long) amount * price * (buy ? 1 : -1);
    }
  }

  /** Objects in an ArrayList. */
  static final class Objects implements StockExchange {
    private final ArrayList<Trade> trades = new ArrayList<>();

    public void order(int ticket, int amount, int price, boolean buy) {
      trades.add(new Trade(ticket, amount, price, buy));
    }

    public long dayBalance() {
      long sum = 0;
      for (int i = 0; i < trades.size(); i++) sum += trades.get(i).balance();
      return sum;
    }

    public void close() {
      trades.clear();
    }
  }

  /** Four ints a trade in one array. */
  static final class Ints implements StockExchange {
    private final int[] ints;
    private int size;

    Ints(int trades) {
      ints = new int[Math.multiplyExact(trades, 4)];
    }

    public void order(int ticket, int amount, int price, boolean buy) {
      ints[size] = ticket;
      ints[size + 1] = amount;
      ints[size + 2] = price;
      ints[size + 3] = buy ? 1 : 0;
      size += 4;
    }

    public long dayBalance() {
      long sum = 0;
      for (int i = 0; i < size; i += 4)
        sum += (long) ints[i + 1] * ints[i + 2] * (ints[i + 3] != 0 ? 1 : -1);
      return sum;
    }

    public void close() {}
  }

  /** Packed trades of 13 bytes in a ByteBuffer, on the heap or direct. */
  static final class Buffer implements StockExchange {
    private final ByteBuffer buffer;
    private int size;

    private Buffer(ByteBuffer buffer) {
      this.buffer = buffer.order(ByteOrder.nativeOrder());
    }

    static Buffer heap(int trades) {
      return new Buffer(ByteBuffer.allocate(Math.multiplyExact(trades, 13)));
    }

    static Buffer direct(int trades) {
      return new Buffer(ByteBuffer.allocateDirect(Math.multiplyExact(trades, 13)));
    }

    public void order(int ticket, int amount, int price, boolean buy) {
      buffer.putInt(size, ticket);
      buffer.putInt(size + 4, amount);
      buffer.putInt(size + 8, price);
      buffer.put(size + 12, (byte) (buy ? 1 : 0));
      size += 13;
    }

    public long dayBalance() {
      long sum = 0;
      for (int i = 0; i < size; i += 13)
        sum += (long) buffer.getInt(i + 4) * buffer.getInt(i + 8)
            * (buffer.get(i + 12) != 0 ? 1 : -1);
      return sum;
    }

    public void close() {
      if (buffer.isDirect()) UNSAFE.invokeCleaner(buffer);
    }
  }

  /** Packed trades of 13 bytes at a raw address. */
  static final class Raw implements StockExchange {
    private final long address;
    private long next;

    Raw(int trades) {
      address = UNSAFE.allocateMemory(trades * 13L);
      next = address;
    }

    public void order(int ticket, int amount, int price, boolean buy) {
      UNSAFE.putInt(next, ticket);
      UNSAFE.putInt(next + 4, amount);
      UNSAFE.putInt(next + 8, price);
      UNSAFE.putByte(next + 12, (byte) (buy ? 1 : 0));
      next += 13;
    }

    public long dayBalance() {
      long sum = 0, end = next;
      for (long at = address; at < end; at += 13)
        sum += (long) UNSAFE.getInt(at + 4) * UNSAFE.getInt(at + 8)
            * (UNSAFE.getByte(at + 12) != 0 ? 1 : -1);
      return sum;
    }

    public void close() {
      UNSAFE.freeMemory(address);
    }
  }

  /** Packed trades of 13 bytes in a MemorySegment of a confined arena, which zeroes it. */
  static final class Segment implements StockExchange {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment;
    private long size;

    Segment(int trades) {
      segment = arena.allocate(trades * 13L);
    }

    public void order(int ticket, int amount, int price, boolean buy) {
      segment.set(JAVA_INT_UNALIGNED, size, ticket);
      segment.set(JAVA_INT_UNALIGNED, size + 4, amount);
      segment.set(JAVA_INT_UNALIGNED, size + 8, price);
      segment.set(JAVA_BYTE, size + 12, (byte) (buy ? 1 : 0));
      size += 13;
    }

    public long dayBalance() {
      long sum = 0, end = size;
      for (long at = 0; at < end; at += 13)
        sum += (long) segment.get(JAVA_INT_UNALIGNED, at + 4)
            * segment.get(JAVA_INT_UNALIGNED, at + 8)
            * (segment.get(JAVA_BYTE, at + 12) != 0 ? 1 : -1);
      return sum;
    }

    public void close() {
      arena.close();
    }
  }

  private static final Unsafe UNSAFE = theUnsafe();

  private static Unsafe theUnsafe() {
    try {
      var field = Unsafe.class.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      return (Unsafe) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
