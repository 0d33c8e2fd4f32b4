package undercroft.file.format.internal.codec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import undercroft.file.format.BlockCodec;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.FileLayout;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.evolution.SchemaConversion;
import undercroft.file.format.internal.metadata.BlockTable;
import undercroft.file.format.internal.metadata.FileMetadata;
import undercroft.file.format.internal.metadata.Header;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.FileStorage;
import undercroft.file.format.internal.storage.LocalFileStorage;

/** A compressed struct file that is open for reading: a sealed file whose blocks are stored by a
 * codec, each column of a block on its own. Opening reads the header, the schema and the table of
 * blocks.
 *
 * Thread-safe; each thread reads with a {@link BlockReader} of its own. The file is read, not
 * mapped: if it is truncated or changed meanwhile, reading throws. Every failure is a
 * {@link StructFileException}.
 */
public final class CompressedFile implements AutoCloseable {
  private final Path path;
  private final LocalFileStorage volume;
  private final FileMetadata contents;
  private final BlockCodec codec;
  public final BlockTable blocks;
  public final PieceTable table;
  private volatile boolean open = true;

  private CompressedFile(
      Path path, LocalFileStorage volume, FileMetadata contents, BlockTable blocks, PieceTable table, BlockCodec codec) {
    this.path = path;
    this.volume = volume;
    this.contents = contents;
    this.blocks = blocks;
    this.table = table;
    this.codec = codec;
  }

  /** Opens a compressed file. A codec that is not on the class path is an error of the kind
   * {@link ErrorKind#NO_CODEC}.
   */
  public static CompressedFile open(Path path) {
    var volume = LocalFileStorage.open(path, false);
    try {
      var contents = FileMetadata.readAny(path, volume);
      var header = contents.header();
      if (!header.isCompressed())
        throw new StructFileException(path, 8, ErrorKind.NOT_COMPRESSED, "its blocks are stored as they are");
      contents.checkOrder(path);
      var blocks = BlockTable.of(contents.header(), contents.schema());
      PieceTable.check(path, header, blocks);
      var bytes = new byte[(int) header.blocksBytes()];
      read(path, volume, bytes, bytes.length, header.blocksOffset());
      compare(path, header.blocksOffset(), bytes, 0, bytes.length, header.blocksChecksum(), "the block table");
      var table = PieceTable.read(path, header, blocks, bytes);
      var codec = BlockCodec.find(table.codec());
      if (codec == null)
        throw new StructFileException(
            path, header.blocksOffset(), ErrorKind.NO_CODEC, BlockCodec.missing(table.codec()));
      return new CompressedFile(path, volume, contents, blocks, table, codec);
    } catch (IOException e) {
      throw volume.closed(FileErrors.of(path, 0, e));
    } catch (RuntimeException e) {
      throw volume.closed(e);
    }
  }

  public static void read(Path path, FileStorage volume, byte[] into, int count, long at) throws IOException {
    int done = volume.read(into, count, at);
    if (done < count)
      throw new StructFileException(
          path, at + done, ErrorKind.TRUNCATED,
          "it ends there, within the " + count + " bytes from " + at);
  }

  public static void compare(
      Path path, long position, byte[] bytes, int from, int count, int expected, String subject) {
    var crc = new CRC32C();
    crc.update(bytes, from, count);
    int actual = (int) crc.getValue();
    if (actual != expected)
      throw new StructFileException(
          path, position, ErrorKind.CORRUPT,
          "the checksum of " + subject + " is " + FileMetadata.hex(actual) + " and should be "
              + FileMetadata.hex(expected));
  }

  public Path path() {
    return path;
  }

  public Schema schema() {
    return contents.schema();
  }

  public Header header() {
    return contents.header();
  }

  public long rows() {
    return contents.header().rows();
  }

  /** The number of blocks; all but the last one have `rowsPerBlock` rows. */
  public long blockCount() {
    return blocks.count();
  }

  public long rowsPerBlock() {
    return contents.header().rowsPerBlock();
  }

  /** The rows of a block. */
  public long rows(long block) {
    if (block < 0 || block >= blockCount())
      throw new IndexOutOfBoundsException(
          "block must be in [0, " + blockCount() + "), but is " + block);
    return blocks.rows(block);
  }

  /** The name of the codec. */
  public String codec() {
    return codec.name();
  }

  /** A reader of the blocks for one thread, as rows of the conversion's target. It decompresses only
   * the columns that the conversion reads.
   */
  public BlockReader reader(SchemaConversion conversion) {
    checkOpen();
    return new BlockReader(this, conversion, codec.decoder());
  }

  /** Reads the stored bytes of a piece to the beginning of an array, and compares their checksum. */
  public void readStored(long block, int piece, byte[] into) {
    checkOpen();
    long at = table.position(block, piece);
    int count = table.stored(block, piece);
    try {
      read(path, volume, into, count, at);
    } catch (IOException e) {
      checkOpen(); // another thread may have closed it
      throw FileErrors.of(path, at, e);
    }
    compare(
        path, at, into, 0, count, table.storedChecksum(block, piece),
        "the stored bytes of " + name(block, piece));
  }

  /** The name of a piece in errors. */
  public String name(long block, int piece) {
    if (schema().layout() != FileLayout.COLUMNS) return "block " + block;
    return "block " + block + " of the column " + blocks.columns().get(table.starts[piece]).dotted();
  }

  /** Reads and decompresses all blocks, and compares every checksum; throws
   * {@link ErrorKind#CORRUPT} with the block and the column if a bit has changed.
   */
  public void verify() {
    checkOpen();
    try {
      var now = FileMetadata.readAny(path, volume);
      if (!now.equals(contents))
        throw new StructFileException(path, 0, ErrorKind.CORRUPT, "its header has changed since it was opened");
      long end = blocks.count() == 0 ? header().dataOffset() : end(blocks.count() - 1);
      var padding = new byte[8];
      int count = (int) (header().blocksOffset() - end);
      read(path, volume, padding, count, end);
      for (int i = 0; i < count; i++)
        if (padding[i] != 0)
          throw new StructFileException(
              path, end + i, ErrorKind.CORRUPT, "a byte behind the blocks is " + padding[i] + " and not 0");
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
    try (var reader = reader(SchemaConversion.of(path, schema(), schema()))) {
      for (long block = 0; block < blockCount(); block++) reader.decode(block);
    }
  }

  private long end(long block) {
    int last = table.starts.length - 1;
    return table.position(block, last) + table.stored(block, last);
  }

  public void checkOpen() {
    if (!open) throw StructFileException.closed(path, "the file");
  }

  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    if (!open) return;
    open = false;
    try {
      volume.close();
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }
}
