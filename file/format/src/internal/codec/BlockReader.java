package undercroft.file.format.internal.codec;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import undercroft.file.format.BlockCodec;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.FileLayout;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.evolution.SchemaConversion;

/** Reads the blocks of a compressed file, in any order. Confined to one thread. Needs the heap for
 * one block, and closing it frees the memory of its decoder.
 */
public final class BlockReader implements AutoCloseable {
  private final CompressedFile file;
  private final SchemaConversion conversion;
  private final BlockCodec.Decoder decoder;
  private final long rowsPerBlock;

  /** The pieces that the conversion reads. */
  private final int[] pieces;

  private byte[] stored = new byte[0];
  private byte[] planes = new byte[0];
  private final byte[] rows;

  public BlockReader(CompressedFile file, SchemaConversion conversion, BlockCodec.Decoder decoder) {
    this.file = file;
    this.conversion = conversion;
    this.decoder = decoder;
    this.rowsPerBlock = Math.min(file.rowsPerBlock(), file.rows());
    this.rows = new byte[(int) (rowsPerBlock * file.schema().stride())];
    var offsets = conversion.offsets();
    var starts = file.table.starts;
    boolean isColumnar = file.schema().layout() == FileLayout.COLUMNS;
    this.pieces =
        isColumnar
            ? Arrays.stream(offsets).map(offset -> Arrays.binarySearch(starts, offset)).toArray()
            : offsets.length == 0 ? new int[0] : new int[] {0};
  }

  /** Reads a block to the rows from `firstRow` on of a zeroed target, which is laid out for
   * `capacity` rows of the conversion's schema.
   */
  public void read(long block, MemorySegment target, long capacity, long firstRow) {
    decode(block);
    conversion.run(
        MemorySegment.ofArray(rows), rowsPerBlock, target, capacity, firstRow, file.rows(block),
        block * file.rowsPerBlock());
  }

  /** Decompresses the pieces of a block, each to its column in `rows`. */
  public void decode(long block) {
    file.rows(block); // checks the range
    for (int piece : pieces) decode(block, piece, rows, (int) (rowsPerBlock * file.table.starts[piece]));
  }

  /** Decompresses a piece, and compares its checksum. */
  public void decode(long block, int piece, byte[] target, int at) {
    int count = file.table.stored(block, piece);
    int size = file.table.size(block, piece);
    if (stored.length < count) stored = new byte[size];
    file.readStored(block, piece, stored);
    long position = file.table.position(block, piece);
    if (count == size) System.arraycopy(stored, 0, target, at, size);
    else
      try {
        if (file.table.splits[piece]) {
          if (planes.length < size) planes = new byte[size];
          decoder.decode(stored, count, planes, 0, size);
          int valueBytes = (int) file.table.sizes[piece];
          BytePlanes.join(planes, size / valueBytes, valueBytes, target, at);
        } else decoder.decode(stored, count, target, at, size);
      } catch (IllegalArgumentException e) {
        var error =
            new StructFileException(
                file.path(), position, ErrorKind.CORRUPT,
                file.name(block, piece) + " is not " + size + " bytes of " + file.codec() + ": "
                    + e.getMessage());
        error.initCause(e);
        throw error;
      }
    CompressedFile.compare(
        file.path(), position, target, at, size, file.table.checksum(block, piece),
        file.name(block, piece));
  }

  @Override
  public void close() {
    decoder.close();
  }
}
