package undercroft.file;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Files that are written whole beside the one they become, forced, and given its name: whoever looks
 * sees the old one, none, or the new one, and never a part of it.
 */
final class Aside {
  private Aside() {}

  interface Write {
    void to(FileVolume volume) throws IOException;
  }

  static Path beside(Path path) {
    return path.resolveSibling(path.getFileName() + ".new");
  }

  /** Writes what becomes `path`, in place of what has that name. The name is on the disk with the
   * folder: see `FileVolume.forceFolder`.
   */
  static void write(Path path, Write write) throws IOException {
    var aside = beside(path);
    try {
      try (var volume = FileVolume.create(aside)) {
        write.to(volume);
        volume.forceAll();
      }
      Files.move(aside, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException | RuntimeException | Error e) {
      try {
        Files.deleteIfExists(aside);
      } catch (IOException other) {
        e.addSuppressed(other);
      }
      throw e;
    }
  }

  /** The schema's bytes, filled up to whole pages. */
  static byte[] schemaPages(Schema schema) {
    var bytes = schema.bytes();
    int pages = Math.ceilDiv(bytes.remaining(), Header.SLOT);
    return Arrays.copyOf(bytes.array(), pages * Header.SLOT);
  }

  /** The first header of a file of a schema. */
  static Header header(Schema schema, long capacity, Promise promise, long rows) {
    var pages = schemaPages(schema);
    var crc = new CRC32C();
    crc.update(pages);
    return new Header(
        schema.order(), promise, schema.layout(), 0, capacity, schema.stride(),
        Header.SCHEMA_AT + pages.length, schema.bytes().remaining(), (int) crc.getValue(),
        schema.hash(), 0, 0, 0, 0, 0, rows);
  }

  /** Writes both headers and the schema; what follows is where its data begin. */
  static void putBeginning(FileVolume volume, Header header, Schema schema) throws IOException {
    var slot = header.bytes().array();
    volume.write(slot, slot.length, 0);
    volume.write(slot, slot.length, Header.SLOT);
    var pages = schemaPages(schema);
    volume.write(pages, pages.length, Header.SCHEMA_AT);
  }

  static ByteOrder nativeOrder(Schema schema) {
    if (schema.order() != ByteOrder.nativeOrder())
      throw new IllegalArgumentException(
          "rows in " + schema.order() + " on a machine in " + ByteOrder.nativeOrder());
    return schema.order();
  }
}
