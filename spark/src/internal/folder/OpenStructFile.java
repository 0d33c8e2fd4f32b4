package undercroft.spark.internal.folder;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.Field;
import undercroft.file.format.StructFile;
import undercroft.spark.internal.vectors.Vectors;

/** An open struct file, on the local or a remote file system. */
public interface OpenStructFile extends AutoCloseable {

  /** The file. Of a remote file, only the fetched parts are available. */
  StructFile file();

  /** The modification time, in milliseconds since 1970. */
  long modified();

  /** The size of the file. */
  long bytes();

  /** Makes the rows `[from, until)` of the requested columns available.
   *
   * @param blocks whether to fetch the whole blocks that contain the rows
   */
  void fetch(StructType projection, long from, long until, boolean blocks);

  /** Compares the blocks that contain the rows `[from, until)` of the requested columns with their
   * checksums, each once; throws an exception with the file if one differs.
   */
  default void compare(StructType projection, long from, long until) {
    var leaves = Vectors.leaves(file().schema(), projection);
    file().compare(from, until, leaves.stream().mapToInt(Field.Leaf::offset).toArray());
  }

  @Override
  void close();

  /** Opens a file. Throws StructFileException if it is not a struct file, or for a remote file
   * IllegalStateException with the same message.
   */
  static OpenStructFile open(Path path, Configuration conf) {
    var system = system(path, conf);
    try {
      return isLocal(system) ? new LocalFile(path) : new FetchedFile(system, path);
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  private static FileSystem system(Path path, Configuration conf) {
    try {
      return path.getFileSystem(conf);
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  private static IllegalStateException unreadable(Path path, IOException cause) {
    return new IllegalStateException(path + ": cannot be read: " + cause.getMessage(), cause);
  }

  static boolean isLocal(FileSystem system) {
    return system instanceof LocalFileSystem;
  }

  static boolean isLocal(Path path, Configuration conf) {
    return isLocal(system(path, conf));
  }

  /** The java.nio path of a local file. */
  static java.nio.file.Path local(Path path) {
    return java.nio.file.Path.of(path.toUri().getPath());
  }
}
