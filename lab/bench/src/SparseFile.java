package undercroft.file.format;

import java.io.IOException;
import java.nio.file.Path;

/** Files of zeros that occupy no disk space, for benchmarks that open files of any size. */
public final class SparseFile {
  private SparseFile() {}

  public static void make(Path path, Schema schema, long rows) throws IOException {
    var header = AtomicFile.header(schema, schema.capacity(rows), Durability.COMMITTED, rows);
    AtomicFile.write(
        path,
        volume -> {
          AtomicFile.putBeginning(volume, header, schema);
          volume.extend(header.dataOffset() + schema.extent(rows, header.capacity()));
        });
  }
}
