package undercroft.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.TreeMap;

/** Where the blocks of a sealed file are, and where its table has what belongs to each.
 *
 * A block is `rowsPerBlock` rows, the last one what is left. Its record in the table has a checksum
 * for each piece of it (the rows are one, or each column is), filled up to 8 bytes, and the smallest
 * and the largest value of each field that has an order.
 */
final class Blocks {
  /** Blocks are about this many bytes, unless a row is longer. */
  static final long BYTES = 1 << 20;

  /** Rows of a block at the most. */
  static final long MOST_ROWS = 1 << 16;

  private final Header header;
  private final Schema schema;

  /** Sizes of the pieces by where they start, in bytes for each row of capacity. */
  final TreeMap<Long, Long> pieces;

  /** The fields that have an order. */
  final List<Schema.Leaf> ranged;

  private Blocks(Header header, Schema schema) {
    this.header = header;
    this.schema = schema;
    this.pieces = schema.columns();
    this.ranged = ranged(schema);
  }

  static Blocks of(Contents contents) {
    return new Blocks(contents.header(), contents.schema());
  }

  static Blocks of(Header header, Schema schema) {
    return new Blocks(header, schema);
  }

  static long rowsPerBlock(Schema schema) {
    return Math.clamp(BYTES / schema.stride(), 1, MOST_ROWS);
  }

  /** The fields that a block has a range of: numbers, and not those of unions. */
  static List<Schema.Leaf> ranged(Schema schema) {
    return schema.leaves().stream().filter(leaf -> !leaf.shared() && isNumber(leaf.type())).toList();
  }

  private static boolean isNumber(Type type) {
    return type instanceof Type.Primitive
        || type instanceof Type.Ordinal
        || type instanceof Type.BigEndian big && isNumber(big.of());
  }

  long count() {
    return Math.ceilDiv(header.rows(), header.rowsPerBlock());
  }

  /** Bytes of one block's record. */
  long recordBytes() {
    return checksumBytes() + 16L * ranged.size();
  }

  long checksumBytes() {
    return Math.ceilDiv(4L * pieces.size(), 8L) * 8;
  }

  /** Bytes of the table. */
  long bytes() {
    return count() * recordBytes();
  }

  /** Where the data of all rows end. */
  long dataEnd() {
    return header.dataOffset() + header.capacity() * schema.stride();
  }

  /** Where the table is. */
  long offset() {
    return Math.ceilDiv(dataEnd(), 8L) * 8;
  }

  long rows(long block) {
    return Math.min(header.rowsPerBlock(), header.rows() - block * header.rowsPerBlock());
  }

  /** Where the rows of a block are, in the piece that starts at `column`. */
  long place(long block, long column, long size) {
    return header.dataOffset() + header.capacity() * column + block * header.rowsPerBlock() * size;
  }

  /** Where a value of the first row of a block is, in that block's bytes of its piece. */
  int within(Schema.Leaf leaf) {
    return schema.layout() == Layout.COLUMNS ? 0 : leaf.offset();
  }

  /** The piece that a field is in. */
  long pieceOf(Schema.Leaf leaf) {
    return schema.layout() == Layout.COLUMNS ? leaf.offset() : 0;
  }

  /** Puts the smallest and the largest value of a field: two Longs, or two Doubles. */
  static void putRange(
      ByteBuffer record, Schema.Leaf leaf, byte[] piece, int at, int step, long rows,
      ByteOrder order) {
    boolean big = leaf.type() instanceof Type.BigEndian;
    var stored = big ? ((Type.BigEndian) leaf.type()).of() : leaf.type();
    boolean unsigned = stored instanceof Type.Ordinal;
    var type = unsigned ? ((Type.Ordinal) stored).of() : (Type.Primitive) stored;
    long mask = unsigned ? -1L >>> 64 - 8 * type.size() : -1L;
    var bytes = MemorySegment.ofArray(piece);
    var in = big ? ByteOrder.BIG_ENDIAN : order;
    if (type == Type.Primitive.FLOAT || type == Type.Primitive.DOUBLE) {
      double least = Double.POSITIVE_INFINITY;
      double most = Double.NEGATIVE_INFINITY;
      for (long row = 0; row < rows; row++) {
        double value = decimal(type, bytes, at + row * step, in);
        if (!Double.isNaN(value)) {
          least = Math.min(least, value);
          most = Math.max(most, value);
        }
      }
      record.putDouble(least).putDouble(most);
    } else {
      long least = Long.MAX_VALUE;
      long most = Long.MIN_VALUE;
      for (long row = 0; row < rows; row++) {
        long value = whole(type, bytes, at + row * step, in) & mask;
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
      record.putLong(least).putLong(most);
    }
  }

  static long whole(Type.Primitive type, MemorySegment bytes, long at, ByteOrder order) {
    return switch (type) {
      case BOOLEAN, BYTE -> bytes.get(ValueLayout.JAVA_BYTE, at);
      case SHORT -> bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(order), at);
      case CHAR -> bytes.get(ValueLayout.JAVA_CHAR_UNALIGNED.withOrder(order), at);
      case INT -> bytes.get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(order), at) + Mapping.zero();
      default -> bytes.get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(order), at);
    };
  }

  static double decimal(Type.Primitive type, MemorySegment bytes, long at, ByteOrder order) {
    return type == Type.Primitive.FLOAT
        ? bytes.get(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(order), at)
        : bytes.get(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(order), at);
  }
}
