package undercroft.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/** Reads a sealed file and compares what it finds with its checksums. It reads the file and not its
 * mapping, whose bytes may be gone.
 */
final class Verification {
  private final Path path;
  private final Volume volume;
  private final Header header;
  private final Blocks blocks;
  private final byte[] buffer = new byte[1 << 16];

  private Verification(Path path, Volume volume, Contents contents) {
    this.path = path;
    this.volume = volume;
    this.header = contents.header();
    this.blocks = Blocks.of(contents);
  }

  static void run(Path path, Volume volume, Contents contents) throws IOException {
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

  /** The table of blocks, as long as an array may be. */
  private ByteBuffer table() throws IOException {
    if (header.blocksBytes() > Integer.MAX_VALUE - 8)
      throw new StructFileException(
          path, header.blocksOffset(), Fault.DAMAGED,
          "a table of blocks of " + header.blocksBytes() + " bytes");
    compare(header.blocksOffset(), header.blocksBytes(), header.blocksChecksum(), "the blocks");
    var bytes = new byte[(int) header.blocksBytes()];
    if (volume.read(bytes, bytes.length, header.blocksOffset()) < bytes.length)
      throw endsBefore(header.blocksOffset());
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private StructFileException endsBefore(long at) {
    return new StructFileException(path, at, Fault.TRUNCATED, "it ends before the bytes from there");
  }

  private void compare(long at, long bytes, int expected, String what) throws IOException {
    var crc = new CRC32C();
    for (long done = 0; done < bytes; ) {
      int part = (int) Math.min(buffer.length, bytes - done);
      if (volume.read(buffer, part, at + done) < part) throw endsBefore(at + done);
      crc.update(buffer, 0, part);
      done += part;
    }
    int found = (int) crc.getValue();
    if (found != expected)
      throw new StructFileException(
          path, at, Fault.DAMAGED,
          "the checksum of " + what + " is " + Contents.hex(found) + " and should be "
              + Contents.hex(expected));
  }

  private void zeros(long from, long until) throws IOException {
    for (long at = from; at < until; ) {
      int part = (int) Math.min(buffer.length, until - at);
      if (volume.read(buffer, part, at) < part) throw endsBefore(at);
      for (int i = 0; i < part; i++)
        if (buffer[i] != 0)
          throw new StructFileException(
              path, at + i, Fault.DAMAGED, "a byte between the rows is " + buffer[i] + " and not 0");
      at += part;
    }
  }

  static List<Range> ranges(Path path, Volume volume, Contents contents, String field)
      throws IOException {
    if (!contents.header().isSealed()) return List.of();
    return new Verification(path, volume, contents).ranges(field);
  }

  private List<Range> ranges(String field) throws IOException {
    var names = blocks.ranged.stream().map(Schema.Leaf::dotted).toList();
    int index = names.indexOf(field);
    if (index < 0)
      throw new StructFileException(
          path, Header.SCHEMA_AT, Fault.WRONG_SCHEMA,
          "no field " + field + " that has an order; there are " + String.join(", ", names));
    var type = blocks.ranged.get(index).type();
    var plain = type instanceof Type.BigEndian big ? big.of() : type;
    boolean decimal = plain == Type.Primitive.FLOAT || plain == Type.Primitive.DOUBLE;
    var table = table();
    var found = new ArrayList<Range>();
    for (long block = 0; block < blocks.count(); block++) {
      int at = (int) (block * blocks.recordBytes() + blocks.checksumBytes() + 16L * index);
      long from = block * header.rowsPerBlock();
      found.add(
          decimal
              ? new Range(from, from + blocks.rows(block), table.getDouble(at), table.getDouble(at + 8))
              : new Range(from, from + blocks.rows(block), table.getLong(at), table.getLong(at + 8)));
    }
    return found;
  }
}
