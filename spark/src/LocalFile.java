package undercroft.spark;

import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.StructFile;

/** A memory-mapped local file. */
record LocalFile(StructFile file, long modified) implements OpenStructFile {
  LocalFile(Path path) {
    var local = OpenStructFile.local(path);
    this(StructFile.open(local), local.toFile().lastModified());
  }

  @Override
  public void fetch(StructType projection, long from, long until, boolean blocks) {}

  @Override
  public void close() {
    file.close();
  }
}
