package undercroft.spark;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.StructFile;

/** A local file, which is mapped. */
record LocalFile(StructFile file, long modified) implements Opened {
  LocalFile(Path path) {
    var local = Opened.local(path);
    this(StructFile.open(local), local.toFile().lastModified());
  }

  @Override
  public void fetch(StructType wanted, long from, long until) {}

  @Override
  public void close() {
    file.close();
  }
}
