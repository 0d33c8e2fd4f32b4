package undercroft.file;

import java.io.IOException;
import java.nio.file.Path;

/** Writes a file anew, aside, for a class whose fields have other places. */
final class Migration {
  private Migration() {}

  /** Only who has the lock may call it. */
  static void run(Path path, Schema to) throws IOException {
    try (var file = StructFile.open(path)) {
      if (file.promise() == Promise.SEALED)
        throw new StructFileException(path, 11, Fault.SEALED, "it takes no more rows");
      var conversion = Conversion.of(path, file.schema(), to);
      if (conversion.isIdentity()) return;
      long rows = file.rows();
      long capacity = to.capacity(file.capacity());
      var header = Aside.header(to, capacity, Promise.COMMITTED, rows);
      try {
        Aside.write(path, volume -> convert(file, conversion, header, to, volume));
      } catch (InternalError e) {
        throw file.explained(e);
      }
      FileVolume.forceFolder(path);
    }
  }

  private static void convert(
      StructFile file, Conversion conversion, Header header, Schema to, FileVolume volume)
      throws IOException {
    long rows = file.rows();
    long capacity = header.capacity();
    Aside.putBeginning(volume, header, to);
    for (var column : to.columns().entrySet()) {
      long size = column.getValue();
      volume.fill(header.dataOffset() + capacity * column.getKey(), rows * size);
    }
    long bytes = to.extent(rows, capacity);
    var data = volume.map(header.dataOffset() + bytes).asSlice(header.dataOffset());
    conversion.run(file.data(), file.capacity(), data, capacity, rows);
    if (bytes > 0) volume.force(header.dataOffset(), bytes);
    file.check();
  }
}
