package undercroft.file.format.internal.metadata;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.TreeMap;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.Type;
import undercroft.file.format.internal.schema.RowExtent;
import undercroft.file.format.internal.schema.StoredNumbers;
import undercroft.file.format.internal.schema.TypeConversion;

/** Positions of the blocks of a sealed file and of their records in the block table.
 *
 * A block has `rowsPerBlock` rows, the last one the remainder. Its record in the table has a
 * checksum for each piece (one piece for rows, one for each column), padded to 8 bytes, and the
 * smallest and the largest value of each ordered field.
 */
public final class BlockTable {
  /** Target size of a block in bytes; a longer row is a block of its own. */
  public static final long BYTES = 1 << 20;

  /** The most rows of a block. */
  public static final long MOST_ROWS = 1 << 16;

  private final Header header;
  private final Schema schema;

  /** Sizes of the pieces by their start, both in bytes per row of capacity. */
  public final TreeMap<Long, Long> pieces;

  /** The fields that have block statistics. */
  public final List<Schema.Leaf> ranged;

  /** The first field of each column, by the start of its piece; empty for rows. */
  public TreeMap<Long, Schema.Leaf> columns() {
    var columns = new TreeMap<Long, Schema.Leaf>();
    if (schema.layout() == FileLayout.COLUMNS)
      for (var leaf : schema.leaves()) columns.putIfAbsent((long) leaf.offset(), leaf);
    return columns;
  }

  private BlockTable(Header header, Schema schema) {
    this.header = header;
    this.schema = schema;
    this.pieces = RowExtent.columns(schema);
    this.ranged = ranged(schema);
  }

  public static BlockTable of(Header header, Schema schema) {
    return new BlockTable(header, schema);
  }

  public static long rowsPerBlock(Schema schema) {
    return Math.clamp(BYTES / schema.stride(), 1, MOST_ROWS);
  }

  /** The numeric fields outside of unions, which have block statistics. */
  public static List<Schema.Leaf> ranged(Schema schema) {
    return schema.leaves().stream().filter(leaf -> !leaf.shared() && isNumber(leaf.type())).toList();
  }

  public static boolean isNumber(Type type) {
    return type instanceof Type.Primitive
        || type instanceof Type.Ordinal
        || type instanceof Type.BigEndian big && isNumber(big.of())
        || type instanceof Type.Logical logical && isNumber(logical.of());
  }

  public long count() {
    return Math.ceilDiv(header.rows(), header.rowsPerBlock());
  }

  /** Bytes of one block's record. */
  public long recordBytes() {
    return checksumBytes() + 16L * ranged.size();
  }

  public long checksumBytes() {
    return Math.ceilDiv(4L * pieces.size(), 8L) * 8;
  }

  /** Bytes of the block table. */
  public long bytes() {
    return count() * recordBytes();
  }

  /** The end of the data area of all rows. */
  public long dataEnd() {
    return header.dataOffset() + header.capacity() * schema.stride();
  }

  /** The position of the block table. */
  public long offset() {
    return Math.ceilDiv(dataEnd(), 8L) * 8;
  }

  public long rows(long block) {
    return Math.min(header.rowsPerBlock(), header.rows() - block * header.rowsPerBlock());
  }

  /** The position of a block's bytes in the piece that starts at `column`. */
  public long place(long block, long column, long size) {
    return header.dataOffset() + header.capacity() * column + block * header.rowsPerBlock() * size;
  }

  /** The offset of a field's first value in its block's bytes of the piece. */
  public int within(Schema.Leaf leaf) {
    return schema.layout() == FileLayout.COLUMNS ? 0 : leaf.offset();
  }

  /** The start of the piece that contains a field. */
  public long pieceOf(Schema.Leaf leaf) {
    return schema.layout() == FileLayout.COLUMNS ? leaf.offset() : 0;
  }

  /** Writes the smallest and the largest value of a field: two Longs, or two Doubles. */
  public static void putRange(
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
        double value = StoredNumbers.decimal(type, bytes, at + row * step, in);
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
        long value = StoredNumbers.whole(type, bytes, at + row * step, in) & mask;
        smallest = Math.min(smallest, value);
        largest = Math.max(largest, value);
      }
      record.putLong(smallest).putLong(largest);
    }
  }
}
