package undercroft.file.format.internal.metadata;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.internal.schema.RowExtent;
import undercroft.file.format.internal.storage.LocalFileStorage;
import undercroft.file.format.internal.storage.MappedFaults;

/** Writes rows as a sealed file: without preallocated space, in blocks with checksums and
 * statistics.
 */
public final class SealedFileWriter {
  private final MemorySegment data;
  private final long capacity;
  private final Schema schema;
  private final Header header;
  private final BlockTable blocks;

  /** Prepares the rows in `data`, which is laid out for `capacity`. */
  public SealedFileWriter(MemorySegment data, long capacity, Schema schema, long rows, long generation, long rowsPerBlock) {
    this.data = data;
    this.capacity = capacity;
    this.schema = schema;
    var plain = AtomicFile.header(schema, RowExtent.capacity(schema, rows), Durability.SEALED, rows);
    var placed = sealed(plain, generation, rowsPerBlock, 0, 0, 0);
    var laid = BlockTable.of(placed, schema);
    this.header = sealed(plain, generation, rowsPerBlock, laid.offset(), laid.bytes(), 0);
    this.blocks = BlockTable.of(header, schema);
    if (blocks.bytes() > Integer.MAX_VALUE - 8)
      throw new IllegalArgumentException(
          "the block table must fit in an array, but has " + blocks.bytes() + " bytes");
  }

  private static Header sealed(
      Header from, long generation, long rowsPerBlock, long offset, long bytes, int checksum) {
    return new Header(
        from.version(), from.order(), Durability.SEALED, from.layout(), generation, from.capacity(), from.stride(),
        from.dataOffset(), from.schemaBytes(), from.schemaChecksum(), from.schemaHash(),
        rowsPerBlock, offset, bytes, checksum, offset + bytes, from.rows(), 0);
  }

  public void write(LocalFileStorage volume) throws IOException {
    var table = ByteBuffer.allocate((int) blocks.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    writeBlocks(volume, table);
    // Gaps between the columns are never written, and therefore zero.
    volume.write(table.array(), table.capacity(), header.blocksOffset());
    var crc = new CRC32C();
    crc.update(table.array());
    var whole =
        sealed(
            header, header.generation(), header.rowsPerBlock(), header.blocksOffset(),
            header.blocksBytes(), (int) crc.getValue());
    if (header.fileBytes() > volume.size()) volume.fill(volume.size(), header.fileBytes() - volume.size());
    AtomicFile.putBeginning(volume, whole, schema);
  }

  /** Writes the blocks by several threads. */
  private void writeBlocks(LocalFileStorage volume, ByteBuffer table) throws IOException {
    try {
      LongStream.range(0, blocks.count()).parallel().forEach(
          block -> {
            try {
              write(volume, block, table);
              MappedFaults.rethrow(); // on the thread that has read the rows
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void write(LocalFileStorage volume, long block, ByteBuffer table) throws IOException {
    int record = (int) (block * blocks.recordBytes());
    var ranges = table.slice(record, (int) blocks.recordBytes()).order(ByteOrder.LITTLE_ENDIAN);
    int number = 0;
    for (var piece : blocks.pieces.entrySet()) {
      long column = piece.getKey();
      long size = piece.getValue();
      var bytes = new byte[(int) (blocks.rows(block) * size)];
      long from = capacity * column + block * header.rowsPerBlock() * size;
      MemorySegment.copy(data, ValueLayout.JAVA_BYTE, from, bytes, 0, bytes.length);
      var crc = new CRC32C();
      crc.update(bytes);
      ranges.putInt(4 * number, (int) crc.getValue());
      number++;
      volume.write(bytes, bytes.length, blocks.place(block, column, size));
      putRanges(ranges, block, column, (int) size, bytes);
    }
  }

  private void putRanges(ByteBuffer record, long block, long column, int step, byte[] bytes) {
    for (int i = 0; i < blocks.ranged.size(); i++) {
      var leaf = blocks.ranged.get(i);
      if (blocks.pieceOf(leaf) == column) {
        record.position((int) blocks.checksumBytes() + 16 * i);
        BlockTable.putRange(
            record, leaf, bytes, blocks.within(leaf), step, blocks.rows(block), schema.order());
      }
    }
  }
}
