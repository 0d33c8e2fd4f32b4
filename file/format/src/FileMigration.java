package undercroft.file.format;

import java.io.IOException;
import java.nio.file.Path;

/** Rewrites a file for a class whose fields have other offsets, and replaces it atomically. */
final class FileMigration {
  private FileMigration() {}

  /** The caller must own the writer lock.
   *
   * @param target the file that `path` refers to, after resolving symbolic links
   */
  static void run(Path path, Path target, Schema to, Evolution evolution) throws IOException {
    try (var file = StructFile.open(path, Checksums.NEVER)) {
      if (file.durability() == Durability.SEALED)
        throw new StructFileException(path, 11, ErrorKind.SEALED, "it takes no more rows");
      var conversion = SchemaConversion.of(file, to, evolution);
      if (conversion.isIdentity()) return;
      // A writer under another name would commit to the replaced file.
      try (var writable = LocalFileStorage.open(path, true)) {
        writable.lock(path);
        long rows = file.refresh(); // such a writer may have committed before the lock
        long capacity = to.capacity(Math.max(file.capacity(), rows));
        var header = AtomicFile.header(to, capacity, Durability.COMMITTED, rows);
        AtomicFile.write(target, volume -> convert(file, conversion, header, to, volume));
      } catch (InternalError e) {
        throw file.translate(e);
      }
      LocalFileStorage.forceFolder(target);
    }
  }

  private static void convert(
      StructFile file, SchemaConversion conversion, Header header, Schema to, LocalFileStorage volume)
      throws IOException {
    long rows = file.rows();
    long capacity = header.capacity();
    AtomicFile.putBeginning(volume, header, to);
    for (var column : to.columns().entrySet()) {
      long size = column.getValue();
      volume.fill(header.dataOffset() + capacity * column.getKey(), rows * size);
    }
    long bytes = to.extent(rows, capacity);
    volume.extend(header.dataOffset() + bytes);
    var data = volume.map(header.dataOffset() + bytes).asSlice(header.dataOffset());
    conversion.run(file.data(), file.capacity(), data, capacity, rows);
    if (bytes > 0) volume.force(header.dataOffset(), bytes);
    file.check();
  }
}
