package undercroft.spark.internal.folder;

import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.types.StructType;
import undercroft.file.format.StructFile;
import undercroft.file.format.StructFileException;

/** A memory-mapped local file. */
public record LocalFile(StructFile file, long modified, long bytes) implements OpenStructFile {
  public LocalFile(Path path) {
    var local = OpenStructFile.local(path);
    this(open(local), local.toFile().lastModified(), local.toFile().length());
  }

  /** Throws UncheckedIOException if the thread was interrupted, by which Spark recognizes that a query
   * was stopped.
   */
  private static StructFile open(java.nio.file.Path local) {
    try {
      return StructFile.open(local);
    } catch (StructFileException e) {
      if (e.getCause() instanceof ClosedByInterruptException interrupt)
        throw new UncheckedIOException(e.getMessage(), interrupt);
      throw e;
    }
  }

  @Override
  public void fetch(StructType projection, long from, long until, boolean blocks) {}

  @Override
  public void close() {
    file.close();
  }
}
