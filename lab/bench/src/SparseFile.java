package undercroft.lab.bench;

import java.io.IOException;
import java.nio.file.Path;
import undercroft.file.format.Durability;
import undercroft.file.format.Schema;
import undercroft.file.format.internal.metadata.AtomicFile;
import undercroft.file.format.internal.schema.RowExtent;

/** Files of zeros that occupy no disk space, for benchmarks that open files of any size. */
public final class SparseFile {
  private SparseFile() {}

  public static void make(Path path, Schema schema, long rows) throws IOException {
    var header = AtomicFile.header(schema, RowExtent.capacity(schema, rows), Durability.COMMITTED, rows);
    AtomicFile.write(
        path,
        volume -> {
          AtomicFile.putBeginning(volume, header, schema);
          volume.extend(header.dataOffset() + RowExtent.extent(schema, rows, header.capacity()));
        });
  }
}
