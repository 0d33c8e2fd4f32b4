package undercroft.file.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.TreeMap;

/** Positions of the blocks of a sealed file and of their records in the block table.
 *
 * A block has `rowsPerBlock` rows, the last one the remainder. Its record in the table has a
 * checksum for each piece (one piece for rows, one for each column), padded to 8 bytes, and the
 * smallest and the largest value of each ordered field.
 */
final class BlockTable {
  /** Target size of a block in bytes; a longer row is a block of its own. */
  static final long BYTES = 1 << 20;

  /** The most rows of a block. */
  static final long MOST_ROWS = 1 << 16;

  private final Header header;
  private final Schema schema;

  /** Sizes of the pieces by their start, both in bytes per row of capacity. */
  final TreeMap<Long, Long> pieces;

  /** The fields that have block statistics. */
  final List<Schema.Leaf> ranged;

  /** The first field of each column, by the start of its piece; empty for rows. */
  TreeMap<Long, Schema.Leaf> columns() {
    var columns = new TreeMap<Long, Schema.Leaf>();
    if (schema.layout() == FileLayout.COLUMNS)
      for (var leaf : schema.leaves()) columns.putIfAbsent((long) leaf.offset(), leaf);
    return columns;
  }

  private BlockTable(Header header, Schema schema) {
    this.header = header;
    this.schema = schema;
    this.pieces = schema.columns();
    this.ranged = ranged(schema);
  }

  static BlockTable of(FileMetadata contents) {
    return new BlockTable(contents.header(), contents.schema());
  }

  static BlockTable of(Header header, Schema schema) {
    return new BlockTable(header, schema);
  }

  static long rowsPerBlock(Schema schema) {
    return Math.clamp(BYTES / schema.stride(), 1, MOST_ROWS);
  }

  /** The numeric fields outside of unions, which have block statistics. */
  static List<Schema.Leaf> ranged(Schema schema) {
    return schema.leaves().stream().filter(leaf -> !leaf.shared() && isNumber(leaf.type())).toList();
  }

  static boolean isNumber(Type type) {
    return type instanceof Type.Primitive
        || type instanceof Type.Ordinal
        || type instanceof Type.BigEndian big && isNumber(big.of())
        || type instanceof Type.Logical logical && isNumber(logical.of());
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

  /** Bytes of the block table. */
  long bytes() {
    return count() * recordBytes();
  }

  /** The end of the data area of all rows. */
  long dataEnd() {
    return header.dataOffset() + header.capacity() * schema.stride();
  }

  /** The position of the block table. */
  long offset() {
    return Math.ceilDiv(dataEnd(), 8L) * 8;
  }

  long rows(long block) {
    return Math.min(header.rowsPerBlock(), header.rows() - block * header.rowsPerBlock());
  }

  /** The position of a block's bytes in the piece that starts at `column`. */
  long place(long block, long column, long size) {
    return header.dataOffset() + header.capacity() * column + block * header.rowsPerBlock() * size;
  }

  /** The offset of a field's first value in its block's bytes of the piece. */
  int within(Schema.Leaf leaf) {
    return schema.layout() == FileLayout.COLUMNS ? 0 : leaf.offset();
  }

  /** The start of the piece that contains a field. */
  long pieceOf(Schema.Leaf leaf) {
    return schema.layout() == FileLayout.COLUMNS ? leaf.offset() : 0;
  }

  /** Writes the smallest and the largest value of a field: two Longs, or two Doubles. */
  static void putRange(
      ByteBuffer record, Schema.Leaf leaf, byte[] piece, int at, int step, long rows,
      ByteOrder order) {
    boolean big = leaf.type().physical() instanceof Type.BigEndian;
    var stored = TypeConversion.plain(leaf.type());
    boolean unsigned = stored instanceof Type.Ordinal;
    var type = unsigned ? ((Type.Ordinal) stored).of() : (Type.Primitive) stored;
    long mask = unsigned ? -1L >>> 64 - 8 * type.size() : -1L;
    var bytes = MemorySegment.ofArray(piece);
    var in = big ? ByteOrder.BIG_ENDIAN : order;
    if (type == Type.Primitive.FLOAT || type == Type.Primitive.DOUBLE) {
      double smallest = Double.POSITIVE_INFINITY;
      double largest = Double.NEGATIVE_INFINITY;
      for (long row = 0; row < rows; row++) {
        double value = decimal(type, bytes, at + row * step, in);
        if (!Double.isNaN(value)) {
          smallest = Math.min(smallest, value);
          largest = Math.max(largest, value);
        }
      }
      record.putDouble(smallest).putDouble(largest);
    } else {
      long smallest = Long.MAX_VALUE;
      long largest = Long.MIN_VALUE;
      for (long row = 0; row < rows; row++) {
        long value = whole(type, bytes, at + row * step, in) & mask;
        smallest = Math.min(smallest, value);
        largest = Math.max(largest, value);
      }
      record.putLong(smallest).putLong(largest);
    }
  }

  static long whole(Type.Primitive type, MemorySegment bytes, long at, ByteOrder order) {
    boolean big = order == ByteOrder.BIG_ENDIAN;
    return switch (type) {
      case BOOLEAN, BYTE -> bytes.get(ValueLayout.JAVA_BYTE, at);
      case SHORT -> big ? bytes.get(BIG_SHORT, at) : bytes.get(SHORT, at);
      case CHAR -> big ? bytes.get(BIG_CHAR, at) : bytes.get(CHAR, at);
      case INT -> (big ? bytes.get(BIG_INT, at) : bytes.get(INT, at)) + MappedFaults.zero();
      default -> big ? bytes.get(BIG_LONG, at) : bytes.get(LONG, at);
    };
  }

  static double decimal(Type.Primitive type, MemorySegment bytes, long at, ByteOrder order) {
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
