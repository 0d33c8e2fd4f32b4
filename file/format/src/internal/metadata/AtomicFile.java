package undercroft.file.format.internal.metadata;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.internal.schema.SchemaCodec;
import undercroft.file.format.internal.storage.LocalFileStorage;

/** Atomic replacement of files: a temporary file is written, forced and renamed. Readers see the
 * old file, no file or the new one, and never a part of it.
 */
public final class AtomicFile {
  private AtomicFile() {}

  public interface Write {
    void to(LocalFileStorage volume) throws IOException;
  }

  /** The temporary file of a path. A process that is killed leaves it, and the next write replaces
   * it; its suffix is one that programs hardly use for their own files.
   */
  public static Path beside(Path path) {
    return path.resolveSibling(path.getFileName() + ".uc.new");
  }

  /** Writes a file that replaces `path`, with the permissions of the replaced file. The rename is
   * durable only after `LocalFileStorage.forceFolder`.
   */
  public static void write(Path path, Write write) throws IOException {
    var temporaryFile = beside(path);
    try {
      var permissions = LocalFileStorage.permissions(path);
      try (var volume = LocalFileStorage.create(temporaryFile, permissions)) {
        write.to(volume);
        volume.forceAll();
      }
      Files.move(
          temporaryFile, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException | Error e) {
      try {
        Files.deleteIfExists(temporaryFile);
      } catch (IOException deleteError) {
        e.addSuppressed(deleteError);
      }
      throw e;
    }
  }

  /** The schema's bytes, padded to whole pages. */
  public static byte[] schemaPages(Schema schema) {
    var bytes = SchemaCodec.written(schema);
    int pages = Math.ceilDiv(bytes.remaining(), Header.SLOT);
    return Arrays.copyOf(bytes.array(), pages * Header.SLOT);
  }

  /** The first header of a new file. */
  public static Header header(Schema schema, long capacity, Durability durability, long rows) {
    var pages = schemaPages(schema);
    var crc = new CRC32C();
    crc.update(pages);
    return new Header(
        Header.version(schema), schema.order(), durability, schema.layout(), 0, capacity, schema.stride(),
        Header.SCHEMA_AT + pages.length, SchemaCodec.written(schema).remaining(), (int) crc.getValue(),
        SchemaCodec.hash(schema), 0, 0, 0, 0, 0, rows, 0);
  }

  /** Writes both headers and the schema, which precede the data. */
  public static void putBeginning(LocalFileStorage volume, Header header, Schema schema) throws IOException {
    var slot = header.bytes().array();
    volume.write(slot, slot.length, 0);
    volume.write(slot, slot.length, Header.SLOT);
    var pages = schemaPages(schema);
    volume.write(pages, pages.length, Header.SCHEMA_AT);
  }

  public static ByteOrder nativeOrder(Schema schema) {
    if (schema.order() != ByteOrder.nativeOrder())
      throw new IllegalArgumentException(
          "the byte order must be " + ByteOrder.nativeOrder() + ", but is " + schema.order());
    return schema.order();
  }
}
