package undercroft.spark;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.util.Progressable;

/** A local file system that appears remote, and counts the files it opens. Tests can run an action,
 * or inject a failure, before one of its operations.
 */
public final class FarFileSystem extends RawLocalFileSystem {
  static final AtomicLong OPENED = new AtomicLong();

  private static final AtomicReference<Event> NEXT = new AtomicReference<>();

  /** A one-time action before an operation on a file with a matching name. */
  private record Event(String operation, String name, Local.Body body) {}

  public FarFileSystem() {}

  /** Sets the action before the next `open`, `create`, `rename` (of the old name), `delete` or `list`
   * of a file or folder with a matching name. An IOException fails the operation.
   */
  static void before(String operation, String name, Local.Body body) {
    if (!NEXT.compareAndSet(null, new Event(operation, name, body)))
      throw new IllegalStateException(NEXT.get() + " has not happened");
  }

  /** Fails if the action that was set has not run. */
  static void assertHappened() {
    var event = NEXT.getAndSet(null);
    if (event != null) throw new AssertionError(event + " has not happened");
  }

  private static void happen(String operation, Path path) throws IOException {
    var event = NEXT.get();
    if (event == null || !event.operation.equals(operation) || !path.getName().matches(event.name)) return;
    if (!NEXT.compareAndSet(event, null)) return;
    try {
      event.body.run();
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public URI getUri() {
    return URI.create("far:///");
  }

  @Override
  public String getScheme() {
    return "far";
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    OPENED.incrementAndGet();
    happen("open", path);
    return super.open(path, bufferSize);
  }

  @Override
  public FSDataOutputStream create(
      Path path, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
      throws IOException {
    happen("create", path);
    return super.create(path, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    happen("list", path);
    return super.listStatus(path);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    happen("rename", from);
    return super.rename(from, to);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    happen("delete", path);
    return super.delete(path, recursive);
  }
}
