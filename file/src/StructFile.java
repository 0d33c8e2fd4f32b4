package undercroft.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** A struct file that is read. Opening takes the same time whatever its size.
 *
 * Any thread. A writer, of this process or another, may go on appending: `refresh` sees what it has
 * committed since. Every failure is a {@link StructFileException}.
 */
public final class StructFile implements AutoCloseable {
  private final Path path;
  private final FileVolume volume;
  private final Contents opened;
  private final MemorySegment data;
  private final long readable;
  private volatile Contents contents;
  private volatile long end;
  private volatile boolean open = true;

  private StructFile(Path path, FileVolume volume, Contents contents, long mapped, MemorySegment data) {
    this.path = path;
    this.volume = volume;
    this.opened = contents;
    this.contents = contents;
    this.data = data;
    this.readable = readable(contents, mapped);
    this.end = contents.end();
  }

  public static StructFile open(Path path) {
    var volume = FileVolume.open(path, false);
    try {
      var contents = Contents.read(path, volume);
      contents.checkOrder(path);
      var header = contents.header();
      long all = contents.end(header.capacity());
      var mapped = map(volume, all);
      var data = mapped.asSlice(header.dataOffset());
      return new StructFile(path, volume, contents, mapped.byteSize(), data);
    } catch (IOException e) {
      throw closed(volume, StructFileException.of(path, 0, e));
    } catch (RuntimeException e) {
      throw closed(volume, e);
    }
  }

  /** Maps what there is, up to `all` bytes. A writer that closes meanwhile cuts off the room behind. */
  private static MemorySegment map(FileVolume volume, long all) throws IOException {
    long bytes = Math.min(volume.size(), all);
    while (true) {
      try {
        return volume.map(bytes);
      } catch (IOException e) {
        long now = Math.min(volume.size(), all);
        if (now >= bytes) throw e;
        bytes = now;
      }
    }
  }

  static RuntimeException closed(FileVolume volume, RuntimeException error) {
    try {
      volume.close();
    } catch (IOException e) {
      error.addSuppressed(e);
    }
    return error;
  }

  /** The rows that the mapped bytes hold. */
  private static long readable(Contents contents, long mapped) {
    var header = contents.header();
    if (mapped >= contents.end(header.capacity())) return header.capacity();
    if (contents.schema().layout() == Layout.COLUMNS) return header.rows();
    return (mapped - header.dataOffset()) / header.stride();
  }

  public Path path() {
    return path;
  }

  public Schema schema() {
    return opened.schema();
  }

  /** The committed rows, as of the opening or the last `refresh`. */
  public long rows() {
    return contents.header().rows();
  }

  /** What columns are laid out for: column `c` starts at `capacity * c.offset`. */
  public long capacity() {
    return opened.header().capacity();
  }

  /** What the last commit promised. */
  public Promise promise() {
    return contents.header().promise();
  }

  /** The data, read only: rows, or columns one behind the other. It dies with the file. */
  public MemorySegment data() {
    return data;
  }

  /** Looks what has been committed since, and returns the rows that there are. Those that came after
   * a writer opened the file anew may be behind what this reader has mapped: they are seen by
   * opening it again.
   */
  public synchronized long refresh() {
    checkOpen();
    if (opened.header().isSealed()) return rows();
    try {
      var header = Contents.header(path, volume);
      if (header.rows() < rows() || header.schemaHash() != opened.header().schemaHash())
        throw new StructFileException(
            path, 0, Fault.DAMAGED, "it had " + rows() + " rows, and now another header");
      var seen =
          new Header(
              header.order(), header.promise(), header.layout(), header.generation(), capacity(),
              header.stride(), header.dataOffset(), header.schemaBytes(), header.schemaChecksum(),
              header.schemaHash(), 0, 0, 0, 0, 0, Math.min(header.rows(), readable));
      var now = new Contents(seen, opened.schema());
      now.checkSize(path, volume.size());
      end = now.end();
      contents = now;
      return rows();
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }

  /** Refuses a file that has become shorter than its rows, or of which this thread has read pages
   * that were gone: what a loop read of them is nothing.
   */
  public void check() {
    checkOpen();
    try {
      Mapping.settle();
    } catch (InternalError e) {
      throw explained(e);
    }
    checkLength();
  }

  private void checkLength() {
    try {
      if (volume.size() < end) contents.checkSize(path, volume.size());
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }

  /** The error to throw for one of the JVM, which reading the data failed with. */
  public StructFileException explained(InternalError error) {
    try {
      checkOpen();
      checkLength();
    } catch (StructFileException typed) {
      return typed;
    }
    return StructFileException.of(path, error);
  }

  /** Reads a whole sealed file and compares every checksum; of another file, the headers, the schema
   * and the length. A bit that changed is a {@link Fault#DAMAGED}.
   */
  public void verify() {
    checkOpen();
    try {
      var now = Contents.read(path, volume);
      if (now.header().isSealed()) Verification.run(path, volume, now);
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }

  /** What the blocks of a sealed file hold, by field; empty where it is not sealed. */
  public java.util.List<Range> ranges(String field) {
    checkOpen();
    try {
      return Verification.ranges(path, volume, opened, field);
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }

  private void checkOpen() {
    if (!open) throw new StructFileException(path, 0, Fault.CLOSED, "the file was closed");
  }

  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    if (!open) return;
    open = false;
    try {
      volume.close();
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }
}
