package undercroft.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** What the beginning of a file says: the header that holds, and the schema. */
record Contents(Header header, Schema schema) {

  /** How often headers are read that a writer is writing. */
  private static final int ATTEMPTS = 1000;

  static Contents read(Path file, Volume volume) throws IOException {
    var header = header(file, volume);
    var schema = schema(file, volume, header);
    var contents = new Contents(header, schema);
    contents.checkSize(file, volume.size());
    if (header.isSealed()) contents.checkSeal(file);
    return contents;
  }

  /** The header that holds now.
   *
   * Where only one of the two is whole, the other is being written, or was when its writer was
   * killed. While it was read the writer may have made the whole one old: it is believed when another
   * look finds the same bytes.
   */
  static Header header(Path file, Volume volume) throws IOException {
    var bytes = new byte[2 * Header.SLOT];
    byte[] before = null;
    for (int attempt = 1; ; attempt++) {
      int count = volume.read(bytes, bytes.length, 0);
      var slots = ByteBuffer.wrap(bytes, 0, count);
      try {
        var header = Header.of(file, slots);
        boolean holds = Header.bothHold(file, slots) || Arrays.equals(bytes, before);
        if (holds || attempt == ATTEMPTS) return header;
      } catch (StructFileException e) {
        if (e.fault() != Fault.DAMAGED || attempt == ATTEMPTS) throw e;
      }
      before = bytes.clone();
      Thread.onSpinWait();
    }
  }

  private static Schema schema(Path file, Volume volume, Header header) throws IOException {
    long size = volume.size();
    int all = (int) (header.dataOffset() - Header.SCHEMA_AT);
    if (size < header.dataOffset())
      throw new StructFileException(
          file, size, Fault.TRUNCATED,
          "it ends within its schema, before " + header.dataOffset());
    var bytes = new byte[all];
    volume.read(bytes, all, Header.SCHEMA_AT);
    var crc = new CRC32C();
    crc.update(bytes);
    if ((int) crc.getValue() != header.schemaChecksum())
      throw new StructFileException(
          file, Header.SCHEMA_AT, Fault.DAMAGED,
          "the schema's checksum is " + hex((int) crc.getValue()) + " and should be "
              + hex(header.schemaChecksum()));
    try {
      var schema =
          SchemaBytes.read(
              ByteBuffer.wrap(bytes, 0, (int) header.schemaBytes()).slice(),
              header.layout(), header.order(), header.stride());
      if (schema.hash() != header.schemaHash())
        throw new IllegalArgumentException("the schema's hash is another");
      return schema;
    } catch (IllegalArgumentException e) {
      throw new StructFileException(file, Header.SCHEMA_AT, Fault.DAMAGED, e.getMessage());
    }
  }

  static String hex(int checksum) {
    return "0x%08x".formatted(checksum);
  }

  /** Where the committed rows end. */
  long end() {
    return end(header.rows());
  }

  long end(long rows) {
    return header.dataOffset() + schema.extent(rows, header.capacity());
  }

  /** Refuses a file that does not reach to its last row, or a sealed one of another size. */
  void checkSize(Path file, long size) {
    long needed = header.isSealed() ? header.fileBytes() : end();
    if (size < needed)
      throw new StructFileException(
          file, size, Fault.TRUNCATED,
          "it ends there, and its " + header.rows() + " rows need " + needed + " bytes");
    if (header.isSealed() && size > needed)
      throw new StructFileException(
          file, needed, Fault.DAMAGED, (size - needed) + " bytes behind the end of a sealed file");
  }

  /** Refuses a sealed file whose blocks are not where they have to be. */
  private void checkSeal(Path file) {
    var blocks = Blocks.of(this);
    if (header.blocksOffset() != blocks.offset() || header.blocksBytes() != blocks.bytes())
      throw new StructFileException(
          file, 0, Fault.DAMAGED,
          "a table of blocks at " + header.blocksOffset() + " of " + header.blocksBytes()
              + " bytes, not at " + blocks.offset() + " of " + blocks.bytes());
  }

  /** Refuses rows in the byte order of other machines. */
  void checkOrder(Path file) {
    if (header.order() != ByteOrder.nativeOrder())
      throw new StructFileException(
          file, 10, Fault.WRONG_SCHEMA,
          "its rows are " + header.order() + " and this machine is " + ByteOrder.nativeOrder());
  }
}
