package undercroft.file;

import java.io.IOException;
import java.nio.file.Path;

/** Files of zeros that take nothing of the disk: to open, whatever their size. */
public final class SparseFile {
  private SparseFile() {}

  public static void make(Path path, Schema schema, long rows) throws IOException {
    var header = Aside.header(schema, schema.capacity(rows), Promise.COMMITTED, rows);
    Aside.write(
        path,
        volume -> {
          Aside.putBeginning(volume, header, schema);
          volume.map(header.dataOffset() + schema.extent(rows, header.capacity()));
        });
  }
}
