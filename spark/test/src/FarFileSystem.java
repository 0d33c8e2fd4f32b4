package undercroft.spark;

import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** A file system that is not the local one to whoever uses it, and counts the files it opens. */
public final class FarFileSystem extends RawLocalFileSystem {
  static final AtomicLong OPENED = new AtomicLong();

  public FarFileSystem() {}

  @Override
  public URI getUri() {
    return URI.create("far:///");
  }

  @Override
  public String getScheme() {
    return "far";
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws java.io.IOException {
    OPENED.incrementAndGet();
    return super.open(path, bufferSize);
  }
}
