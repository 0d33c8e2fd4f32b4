package undercroft.spark;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.StructFile;

/** A struct file that is open, on the local file system or another one. */
interface Opened extends AutoCloseable {

  /** The file. Of one from another file system only what was fetched is there. */
  StructFile file();

  /** When the file was changed last, in milliseconds since 1970. */
  long modified();

  /** Makes sure that the rows `[from, until)` of the columns that are wanted are there. */
  void fetch(StructType wanted, long from, long until);

  @Override
  void close();

  /** Opens a file; a StructFileException, or an IllegalStateException with the same words for one
   * from another file system, where it is none.
   */
  static Opened open(Path path, Configuration conf) {
    try {
      var system = path.getFileSystem(conf);
      return isLocal(system) ? new LocalFile(path) : new FetchedFile(system, path);
    } catch (IOException e) {
      throw new IllegalStateException(path + ": cannot be read: " + e.getMessage(), e);
    }
  }

  static boolean isLocal(FileSystem system) {
    return system instanceof LocalFileSystem;
  }

  /** A local file as Java names it. */
  static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }
}
