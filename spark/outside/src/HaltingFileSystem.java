package outside.spark;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager;

/** A local file system that ends the process when a file is to get a name with the ending that the
 * system property `outside.halt` states.
 */
public final class HaltingFileSystem extends RawLocalFileSystem {
  public HaltingFileSystem() {}

  static final String CHECKPOINTS = FileSystemBasedCheckpointFileManager.class.getName();

  @Override
  public URI getUri() {
    return URI.create("halting:///");
  }

  @Override
  public String getScheme() {
    return "halting";
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    var ending = System.getProperty("outside.halt", "");
    if (!ending.isEmpty() && to.toString().endsWith(ending)) Runtime.getRuntime().halt(StreamJob.HALTED);
    return super.rename(from, to);
  }
}
