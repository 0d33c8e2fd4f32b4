package undercroft.file.format.internal.metadata;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.zip.CRC32C;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.storage.FileStorage;
import undercroft.file.format.internal.storage.MappedFaults;

/** Compares the blocks of a sealed file with their checksums, each piece of a block once.
 * Thread-safe: if two threads compare the same piece concurrently, both compute its checksum.
 *
 * The bytes are copied before their checksum is computed: the JVM survives a missing mapped page
 * in a copy, but not in its checksum code.
 */
public final class BlockChecks {

  /** Bytes copied at a time; they fit in the L2 cache. */
  private static final int CHUNK = 1 << 16;

  private final Path path;
  private final Header header;
  private final BlockTable blocks;
  private final MemorySegment data;
  private final ByteBuffer table;

  // The pieces, in the order of their checksums in a block's record.
  private final long[] starts;
  private final long[] sizes;

  /** One bit for each piece of each block, set when it has been compared. */
  private final AtomicLongArray compared;

  public BlockChecks(Path path, FileMetadata contents, MemorySegment data, ByteBuffer table) {
    this.path = path;
    this.header = contents.header();
    this.blocks = BlockTable.of(contents.header(), contents.schema());
    this.data = data;
    this.table = table;
    this.starts = blocks.pieces.keySet().stream().mapToLong(start -> start).toArray();
    this.sizes = blocks.pieces.values().stream().mapToLong(size -> size).toArray();
    this.compared = new AtomicLongArray((int) Math.ceilDiv(blocks.count() * starts.length, 64L));
  }

  public static BlockChecks of(Path path, FileStorage volume, FileMetadata contents, MemorySegment data)
      throws IOException {
    return new BlockChecks(path, contents, data, Verification.table(path, volume, contents));
  }

  /** Compares the blocks of the rows `[from, until)`.
   *
   * @param columns offsets of the columns that are compared, or null for all; a file of rows has
   *     one piece
   * @return an exception for the first piece that differs, or null
   */
  public StructFileException run(long from, long until, int[] columns) {
    if (from >= until) return null;
    byte[] buffer = null;
    long last = (until - 1) / header.rowsPerBlock();
    for (long block = from / header.rowsPerBlock(); block <= last; block++) {
      if (columns == null || starts.length == 1)
        for (int piece = 0; piece < starts.length; piece++) {
          if (isCompared(block, piece)) continue;
          if (buffer == null) buffer = new byte[CHUNK];
          var error = compare(block, piece, buffer);
          if (error != null) return error;
        }
      else
        for (int column : columns) {
          int piece = Arrays.binarySearch(starts, column);
          if (piece < 0 || isCompared(block, piece)) continue;
          if (buffer == null) buffer = new byte[CHUNK];
          var error = compare(block, piece, buffer);
          if (error != null) return error;
        }
    }
    return null;
  }

  private boolean isCompared(long block, int piece) {
    long bit = block * starts.length + piece;
    return (compared.get((int) (bit >>> 6)) >>> bit & 1) != 0;
  }

  private StructFileException compare(long block, int piece, byte[] buffer) {
    long place = blocks.place(block, starts[piece], sizes[piece]);
    long at = place - header.dataOffset();
    long bytes = blocks.rows(block) * sizes[piece];
    var crc = new CRC32C();
    for (long done = 0; done < bytes; ) {
      int part = (int) Math.min(buffer.length, bytes - done);
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, at + done, buffer, 0, part);
      crc.update(buffer, 0, part);
      done += part;
    }
    MappedFaults.rethrow();
    int expected = table.getInt((int) (block * blocks.recordBytes()) + 4 * piece);
    int actual = (int) crc.getValue();
    if (actual != expected)
      return new StructFileException(
          path, place, ErrorKind.CORRUPT,
          "the checksum of block " + block + " is " + FileMetadata.hex(actual) + " and should be "
              + FileMetadata.hex(expected));
    long bit = block * starts.length + piece;
    compared.getAndUpdate((int) (bit >>> 6), word -> word | 1L << bit);
    return null;
  }
}
