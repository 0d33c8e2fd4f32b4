package undercroft.file.format.internal.metadata;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.schema.RowExtent;
import undercroft.file.format.internal.schema.SchemaCodec;
import undercroft.file.format.internal.storage.FileStorage;

/** The metadata at the start of a file: the current header and the schema. */
public record FileMetadata(Header header, Schema schema) {

  /** How often headers are read again while a writer changes them. */
  private static final int ATTEMPTS = 1000;

  /** Reads the metadata of a file whose rows are stored as they are. */
  public static FileMetadata read(Path file, FileStorage volume) throws IOException {
    var contents = readAny(file, volume);
    if (contents.header.isCompressed())
      throw new StructFileException(
          file, 8, ErrorKind.COMPRESSED,
          "openReadOnly and openCompressed read it, and decompressFile makes a sealed file of it");
    return contents;
  }

  /** Reads the metadata of a file, which may be compressed. */
  public static FileMetadata readAny(Path file, FileStorage volume) throws IOException {
    var header = header(file, volume);
    var schema = schema(file, volume, header);
    var contents = new FileMetadata(header, schema);
    contents.checkSize(file, volume.size());
    if (header.isSealed() && !header.isCompressed()) contents.checkSeal(file);
    return contents;
  }

  /** Reads the current header.
   *
   * If only one of the two slots is valid, the other is being written, or its writer was killed.
   * The valid one may also have become outdated during the read: it is accepted if a second read
   * returns the same bytes.
   */
  public static Header header(Path file, FileStorage volume) throws IOException {
    var bytes = new byte[2 * Header.SLOT];
    var before = new byte[0];
    for (int attempt = 1; ; attempt++) {
      int count = volume.read(bytes, bytes.length, 0);
      var slots = ByteBuffer.wrap(bytes, 0, count);
      try {
        var header = Header.of(file, slots);
        boolean holds = Header.bothHold(file, slots) || Arrays.equals(bytes, before);
        if (holds || attempt == ATTEMPTS) return header;
      } catch (StructFileException e) {
        if (e.kind() != ErrorKind.CORRUPT || attempt == ATTEMPTS) throw e;
      }
      before = bytes.clone();
      Thread.onSpinWait();
    }
  }

  private static Schema schema(Path file, FileStorage volume, Header header) throws IOException {
    long size = volume.size();
    int schemaBytes = (int) (header.dataOffset() - Header.SCHEMA_AT);
    if (size < header.dataOffset())
      throw new StructFileException(
          file, size, ErrorKind.TRUNCATED,
          "it ends within its schema, before " + header.dataOffset());
    var bytes = new byte[schemaBytes];
    volume.read(bytes, schemaBytes, Header.SCHEMA_AT);
    var crc = new CRC32C();
    crc.update(bytes);
    if ((int) crc.getValue() != header.schemaChecksum())
      throw new StructFileException(
          file, Header.SCHEMA_AT, ErrorKind.CORRUPT,
          "the schema's checksum is " + hex((int) crc.getValue()) + " and should be "
              + hex(header.schemaChecksum()));
    try {
      var schema =
          SchemaCodec.read(
              ByteBuffer.wrap(bytes, 0, (int) header.schemaBytes()).slice(),
              header.layout(), header.order(), header.stride());
      if (SchemaCodec.hash(schema) != header.schemaHash())
        throw new IllegalArgumentException("the schema's hash does not match the schema");
      return schema;
    } catch (IllegalArgumentException e) {
      throw new StructFileException(file, Header.SCHEMA_AT, ErrorKind.CORRUPT, e.getMessage());
    }
  }

  public static String hex(int checksum) {
    return "0x%08x".formatted(checksum);
  }

  /** The end of the committed rows. */
  public long end() {
    return end(header.rows());
  }

  public long end(long rows) {
    return header.dataOffset() + RowExtent.extent(schema, rows, header.capacity());
  }

  /** Throws if the file was truncated below its committed rows before it was mapped. */
  public void checkSize(Path file, long mapped, long size) {
    if (mapped < end())
      throw new StructFileException(
          file, size, ErrorKind.TRUNCATED,
          "it became shorter when it was opened, and its " + header.rows() + " rows need " + end()
              + " bytes");
  }

  /** Throws if the file ends before its last row, or if a sealed file has a wrong size. */
  public void checkSize(Path file, long size) {
    long needed = header.isSealed() ? header.fileBytes() : end();
    if (size < needed)
      throw new StructFileException(
          file, size, ErrorKind.TRUNCATED,
          "it ends there, and its " + header.rows() + " rows need " + needed + " bytes");
    if (header.isSealed() && size > needed)
      throw new StructFileException(
          file, needed, ErrorKind.CORRUPT, (size - needed) + " bytes behind the end of a sealed file");
  }

  /** Throws if the block table of a sealed file is not at its computed position. */
  private void checkSeal(Path file) {
    var blocks = BlockTable.of(header, schema);
    if (header.blocksOffset() != blocks.offset() || header.blocksBytes() != blocks.bytes())
      throw new StructFileException(
          file, 0, ErrorKind.CORRUPT,
          "the block table is at " + header.blocksOffset() + " with " + header.blocksBytes()
              + " bytes, but must be at " + blocks.offset() + " with " + blocks.bytes());
  }

  /** Throws if the rows are in the byte order of another machine. */
  public void checkOrder(Path file) {
    if (header.order() != ByteOrder.nativeOrder())
      throw new StructFileException(
          file, 10, ErrorKind.WRONG_SCHEMA,
          "its rows are " + header.order() + " and this machine is " + ByteOrder.nativeOrder());
  }
}
