package undercroft.file.format.internal.metadata;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import undercroft.file.format.BlockStatistics;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFileException;
import undercroft.file.format.Type;
import undercroft.file.format.internal.schema.TypeConversion;
import undercroft.file.format.internal.storage.FileStorage;

/** Reads a sealed file and compares it with its checksums. Reads the file instead of its mapping,
 * whose pages may be missing.
 */
public final class Verification {
  private final Path path;
  private final FileStorage volume;
  private final Header header;
  private final BlockTable blocks;
  private final byte[] buffer = new byte[1 << 16];

  private Verification(Path path, FileStorage volume, FileMetadata contents) {
    this.path = path;
    this.volume = volume;
    this.header = contents.header();
    this.blocks = BlockTable.of(contents.header(), contents.schema());
  }

  public static void run(Path path, FileStorage volume, FileMetadata contents) throws IOException {
    new Verification(path, volume, contents).run();
  }

  private void run() throws IOException {
    var table = table();
    for (long block = 0; block < blocks.count(); block++) {
      int record = (int) (block * blocks.recordBytes());
      int piece = 0;
      for (var entry : blocks.pieces.entrySet()) {
        long size = entry.getValue();
        long at = blocks.place(block, entry.getKey(), size);
        compare(at, blocks.rows(block) * size, table.getInt(record + 4 * piece), "block " + block);
        piece++;
      }
    }
    long last = header.dataOffset();
    for (Map.Entry<Long, Long> entry : blocks.pieces.entrySet()) {
      long start = header.dataOffset() + header.capacity() * entry.getKey();
      zeros(last, start);
      last = start + header.rows() * entry.getValue();
    }
    zeros(last, header.blocksOffset());
  }

  /** The block table of a sealed file, after its checksum was verified. */
  public static ByteBuffer table(Path path, FileStorage volume, FileMetadata contents) throws IOException {
    return new Verification(path, volume, contents).table();
  }

  /** Reads the block table, which must fit in an array. */
  private ByteBuffer table() throws IOException {
    if (header.blocksBytes() > Integer.MAX_VALUE - 8)
      throw new StructFileException(
          path, header.blocksOffset(), ErrorKind.CORRUPT,
          "the block table must fit in an array, but has " + header.blocksBytes() + " bytes");
    compare(header.blocksOffset(), header.blocksBytes(), header.blocksChecksum(), "the blocks");
    var bytes = new byte[(int) header.blocksBytes()];
    if (volume.read(bytes, bytes.length, header.blocksOffset()) < bytes.length)
      throw endsBefore(header.blocksOffset());
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private StructFileException endsBefore(long at) {
    return new StructFileException(path, at, ErrorKind.TRUNCATED, "it ends before the bytes from there");
  }

  private void compare(long at, long bytes, int expected, String subject) throws IOException {
    var crc = new CRC32C();
    for (long done = 0; done < bytes; ) {
      int part = (int) Math.min(buffer.length, bytes - done);
      if (volume.read(buffer, part, at + done) < part) throw endsBefore(at + done);
      crc.update(buffer, 0, part);
      done += part;
    }
    int actual = (int) crc.getValue();
    if (actual != expected)
      throw new StructFileException(
          path, at, ErrorKind.CORRUPT,
          "the checksum of " + subject + " is " + FileMetadata.hex(actual) + " and should be "
              + FileMetadata.hex(expected));
  }

  private void zeros(long from, long until) throws IOException {
    for (long at = from; at < until; ) {
      int part = (int) Math.min(buffer.length, until - at);
      if (volume.read(buffer, part, at) < part) throw endsBefore(at);
      for (int i = 0; i < part; i++)
        if (buffer[i] != 0)
          throw new StructFileException(
              path, at + i, ErrorKind.CORRUPT, "a byte between the rows is " + buffer[i] + " and not 0");
      at += part;
    }
  }

  public static List<BlockStatistics> statistics(Path path, FileStorage volume, FileMetadata contents, String field)
      throws IOException {
    if (!contents.header().isSealed()) return List.of();
    var verification = new Verification(path, volume, contents);
    return verification.statistics(verification.index(field), verification.table());
  }

  /** The bounds of each field with statistics in a sealed file of one block. */
  public static List<Number> bounds(Path path, FileStorage volume, FileMetadata contents, int maxNumbers)
      throws IOException {
    var verification = new Verification(path, volume, contents);
    int fields = verification.blocks.ranged.size();
    var bounds = new ArrayList<Number>();
    if (verification.blocks.count() == 1 && fields <= maxNumbers) {
      var table = verification.table();
      for (int index = 0; index < fields; index++) {
        var only = verification.statistics(index, table).getFirst();
        bounds.add(only.min());
        bounds.add(only.max());
      }
    }
    return bounds;
  }

  public static List<BlockStatistics> statistics(
      Path path, FileStorage volume, FileMetadata contents, List<String> field) throws IOException {
    if (!contents.header().isSealed()) return List.of();
    var verification = new Verification(path, volume, contents);
    int index = verification.blocks.ranged.stream().map(Schema.Leaf::path).toList().indexOf(field);
    if (index < 0) throw verification.withoutOrder(String.join(".", field));
    return verification.statistics(index, verification.table());
  }

  /** The index of the field with this dotted path. */
  private int index(String field) {
    var names = blocks.ranged.stream().map(Schema.Leaf::dotted).toList();
    int index = names.indexOf(field);
    if (index < 0) throw withoutOrder(field);
    if (index != names.lastIndexOf(field))
      throw new StructFileException(
          path, Header.SCHEMA_AT, ErrorKind.WRONG_SCHEMA,
          "several fields are " + field + ", because a name contains a dot: pass the names as a list");
    return index;
  }

  private StructFileException withoutOrder(String field) {
    var names = blocks.ranged.stream().map(Schema.Leaf::dotted).toList();
    return new StructFileException(
        path, Header.SCHEMA_AT, ErrorKind.WRONG_SCHEMA,
        "no field " + field + " that has an order; there are " + String.join(", ", names));
  }

  private List<BlockStatistics> statistics(int index, ByteBuffer table) {
    var plain = TypeConversion.plain(blocks.ranged.get(index).type());
    boolean decimal = plain == Type.Primitive.FLOAT || plain == Type.Primitive.DOUBLE;
    var result = new ArrayList<BlockStatistics>();
    for (long block = 0; block < blocks.count(); block++) {
      int at = (int) (block * blocks.recordBytes() + blocks.checksumBytes() + 16L * index);
      long from = block * header.rowsPerBlock();
      result.add(
          decimal
              ? new BlockStatistics(from, from + blocks.rows(block), table.getDouble(at), table.getDouble(at + 8))
              : new BlockStatistics(from, from + blocks.rows(block), table.getLong(at), table.getLong(at + 8)));
    }
    return result;
  }
}
