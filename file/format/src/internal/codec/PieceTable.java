package undercroft.file.format.internal.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.metadata.BlockTable;
import undercroft.file.format.internal.metadata.Header;

/** The block table of a compressed file: the codec, and for each block the places of its stored
 * pieces, followed by its record in the sealed file.
 */
public final class PieceTable {
  /** The most bytes of an uncompressed block, so that a forged file cannot ask for more memory. */
  public static final long MOST_BLOCK_BYTES = 1 << 26;

  /** Bytes of the codec's name. */
  public static final int NAME_BYTES = 16;

  private static final int ENTRY_BYTES = 16;

  private final BlockTable blocks;

  /** The pieces of a block: their starts and sizes in bytes per row. */
  public final long[] starts;

  public final long[] sizes;

  /** Whether the bytes of a piece's values are stored apart. */
  public final boolean[] splits;

  private final int recordBytes;
  private final ByteBuffer bytes;

  private PieceTable(BlockTable blocks, ByteBuffer bytes) {
    this.blocks = blocks;
    this.starts = blocks.pieces.keySet().stream().mapToLong(start -> start).toArray();
    this.sizes = blocks.pieces.values().stream().mapToLong(size -> size).toArray();
    this.splits = new boolean[starts.length];
    var columns = blocks.columns();
    for (int i = 0; i < starts.length; i++)
      splits[i] = columns.containsKey(starts[i]) && BytePlanes.isSplit(columns.get(starts[i]).type());
    this.recordBytes = Math.toIntExact(ENTRY_BYTES * (long) starts.length + blocks.recordBytes());
    this.bytes = bytes.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** An empty table for a codec. */
  public static PieceTable create(Path path, BlockTable blocks, String codec) {
    long size = NAME_BYTES + blocks.count() * recordBytes(blocks);
    if (size > Integer.MAX_VALUE - 8)
      throw new StructFileException(
          path, 0, ErrorKind.WRONG_SCHEMA,
          "the block table must fit in an array, but has " + size + " bytes");
    var table = new PieceTable(blocks, ByteBuffer.allocate((int) size));
    var name = codec.getBytes(StandardCharsets.US_ASCII);
    table.bytes.put(0, name);
    return table;
  }

  private static long recordBytes(BlockTable blocks) {
    return ENTRY_BYTES * (long) blocks.pieces.size() + blocks.recordBytes();
  }

  /** Throws unless the header's numbers fit a compressed file with this schema. */
  public static void check(Path path, Header header, BlockTable blocks) {
    if (!isBounded(header))
      throw new StructFileException(
          path, 72, ErrorKind.CORRUPT,
          "a block must have at most " + MOST_BLOCK_BYTES + " bytes, but has "
              + header.rowsPerBlock() + " rows of " + header.stride());
    long records = header.blocksBytes() - NAME_BYTES;
    long size = recordBytes(blocks);
    if (records < 0 || records % size != 0 || records / size != blocks.count())
      throw new StructFileException(
          path, 88, ErrorKind.CORRUPT,
          "the block table must have " + NAME_BYTES + " bytes and " + size + " for each of "
              + blocks.count() + " blocks, but has " + header.blocksBytes());
    if (header.blocksBytes() > Integer.MAX_VALUE - 8)
      throw new StructFileException(
          path, 88, ErrorKind.CORRUPT,
          "the block table must fit in an array, but has " + header.blocksBytes() + " bytes");
  }

  /** Whether a block of a file is within the bound. */
  public static boolean isBounded(Header header) {
    return header.rowsPerBlock() <= MOST_BLOCK_BYTES / header.stride();
  }

  /** The table of a file; throws unless its pieces follow each other from the data offset on. */
  public static PieceTable read(Path path, Header header, BlockTable blocks, byte[] bytes) {
    var table = new PieceTable(blocks, ByteBuffer.wrap(bytes));
    long next = header.dataOffset();
    for (long block = 0; block < blocks.count(); block++)
      for (int piece = 0; piece < table.starts.length; piece++) {
        long stored = table.bytes.getInt(table.entry(block, piece) + 8) & 0xffffffffL;
        if (table.position(block, piece) != next || stored < 1 || stored > table.size(block, piece))
          throw new StructFileException(
              path, header.blocksOffset() + table.entry(block, piece), ErrorKind.CORRUPT,
              "piece " + piece + " of block " + block + " must be at " + next + " with 1 to "
                  + table.size(block, piece) + " bytes, but is at " + table.position(block, piece)
                  + " with " + stored);
        next += stored;
      }
    long end = Math.ceilDiv(next, 8L) * 8;
    if (end != header.blocksOffset())
      throw new StructFileException(
          path, 80, ErrorKind.CORRUPT,
          "the block table must be at " + end + ", but is at " + header.blocksOffset());
    return table;
  }

  public String codec() {
    var name = Arrays.copyOf(bytes.array(), NAME_BYTES);
    return new String(name, StandardCharsets.ISO_8859_1).replaceAll("\0+$", "");
  }

  private int entry(long block, int piece) {
    return NAME_BYTES + (int) (block * recordBytes) + ENTRY_BYTES * piece;
  }

  private int sealedRecord(long block) {
    return entry(block, starts.length);
  }

  /** The uncompressed bytes of a piece. */
  public int size(long block, int piece) {
    return (int) (blocks.rows(block) * sizes[piece]);
  }

  public long position(long block, int piece) {
    return bytes.getLong(entry(block, piece));
  }

  public int stored(long block, int piece) {
    return bytes.getInt(entry(block, piece) + 8);
  }

  /** The checksum of the stored bytes. */
  public int storedChecksum(long block, int piece) {
    return bytes.getInt(entry(block, piece) + 12);
  }

  /** The checksum of the uncompressed bytes. */
  public int checksum(long block, int piece) {
    return bytes.getInt(sealedRecord(block) + 4 * piece);
  }

  public void put(long block, int piece, long position, int stored, int checksum) {
    int at = entry(block, piece);
    bytes.putLong(at, position).putInt(at + 8, stored).putInt(at + 12, checksum);
  }

  /** Copies a block's record from the table of a sealed file. */
  public void putSealedRecord(long block, ByteBuffer sealedTable) {
    int size = (int) blocks.recordBytes();
    bytes.put(sealedRecord(block), sealedTable, (int) (block * size), size);
  }

  /** Copies a block's record to the table of a sealed file. */
  public void copySealedRecord(long block, ByteBuffer sealedTable) {
    int size = (int) blocks.recordBytes();
    sealedTable.put((int) (block * size), bytes, sealedRecord(block), size);
  }

  public byte[] array() {
    return bytes.array();
  }
}
