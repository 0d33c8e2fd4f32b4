package undercroft.file.format.internal.evolution;

import java.io.IOException;
import java.nio.file.Path;
import undercroft.file.format.Checksums;
import undercroft.file.format.Durability;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.Evolution;
import undercroft.file.format.Schema;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructFileException;
import undercroft.file.format.internal.metadata.AtomicFile;
import undercroft.file.format.internal.metadata.Header;
import undercroft.file.format.internal.schema.RowExtent;
import undercroft.file.format.internal.storage.LocalFileStorage;

/** Rewrites a file for a class whose fields have other offsets, and replaces it atomically. */
public final class FileMigration {
  private FileMigration() {}

  /** The caller must own the writer lock.
   *
   * @param target the file that `path` refers to, after resolving symbolic links
   */
  public static void run(Path path, Path target, Schema to, Evolution evolution) throws IOException {
    try (var file = StructFile.open(path, Checksums.NEVER)) {
      if (file.durability() == Durability.SEALED)
        throw new StructFileException(path, 11, ErrorKind.SEALED, "it takes no more rows");
      var conversion = SchemaConversion.of(file, to, evolution);
      if (conversion.isIdentity()) return;
      // A writer under another name would commit to the replaced file.
      try (var writable = LocalFileStorage.open(path, true)) {
        writable.lock(path);
        long rows = file.refresh(); // such a writer may have committed before the lock
        long capacity = RowExtent.capacity(to, Math.max(file.capacity(), rows));
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
    for (var column : RowExtent.columns(to).entrySet()) {
      long size = column.getValue();
      volume.fill(header.dataOffset() + capacity * column.getKey(), rows * size);
    }
    long bytes = RowExtent.extent(to, rows, capacity);
    volume.extend(header.dataOffset() + bytes);
    var data = volume.map(header.dataOffset() + bytes).asSlice(header.dataOffset());
    conversion.run(file.data(), file.capacity(), data, capacity, rows);
    if (bytes > 0) volume.force(header.dataOffset(), bytes);
    file.check();
  }
}
