package undercroft.file.format;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import undercroft.file.format.internal.metadata.BlockChecks;
import undercroft.file.format.internal.metadata.FileMetadata;
import undercroft.file.format.internal.metadata.Header;
import undercroft.file.format.internal.metadata.Verification;
import undercroft.file.format.internal.schema.RowExtent;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.LocalFileStorage;
import undercroft.file.format.internal.storage.MappedFaults;

/** A struct file that is open for reading. Opening takes constant time.
 *
 * Thread-safe. A writer in this process or another may append meanwhile: `refresh` makes its
 * commits visible. Every failure is a {@link StructFileException}.
 */
public final class StructFile implements AutoCloseable {

  /** How often a file is mapped again if writers change its length meanwhile. */
  private static final int MAP_ATTEMPTS = 1000;

  private final Path path;
  private final LocalFileStorage volume;
  private final FileMetadata opened;
  private final Checksums checksums;
  private volatile MemorySegment data;
  private volatile long readable;
  private volatile FileMetadata contents;
  private volatile long end;
  private volatile BlockChecks checks;
  private volatile boolean open = true;

  private StructFile(
      Path path, LocalFileStorage volume, FileMetadata contents, MemorySegment data, Checksums checksums) {
    this.path = path;
    this.volume = volume;
    this.opened = contents;
    this.contents = contents;
    this.data = data;
    this.readable = readable(contents.header().capacity(), data);
    this.checksums = checksums;
    this.end = contents.end();
  }

  public static StructFile open(Path path) {
    return open(path, Checksums.FIRST_USE);
  }

  /** As above; `checksums` selects when the blocks of a sealed file are compared with their
   * checksums.
   */
  public static StructFile open(Path path, Checksums checksums) {
    var volume = LocalFileStorage.open(path, false);
    try {
      var contents = FileMetadata.read(path, volume);
      contents.checkOrder(path);
      var mapped = map(volume, contents.end(contents.header().capacity()));
      contents.checkSize(path, mapped.byteSize(), volume.size());
      var data = mapped.asSlice(contents.header().dataOffset());
      var file = new StructFile(path, volume, contents, data, checksums);
      if (checksums == Checksums.AT_OPEN) file.compare(0, file.rows(), null);
      return file;
    } catch (IOException e) {
      throw volume.closed(FileErrors.of(path, 0, e));
    } catch (RuntimeException e) {
      throw volume.closed(e);
    }
  }

  /** Maps the existing bytes, up to `maxBytes`. A writer that closes meanwhile truncates the
   * preallocated space, and the next writer extends the file again: then the size is read again.
   */
  private static MemorySegment map(LocalFileStorage volume, long maxBytes) throws IOException {
    for (int attempt = 1; ; attempt++) {
      long bytes = Math.min(volume.size(), maxBytes);
      try {
        return volume.map(bytes);
      } catch (ClosedByInterruptException e) {
        throw e;
      } catch (IOException e) {
        if (attempt == MAP_ATTEMPTS || volume.size() >= bytes && !isShort(e)) throw e;
      }
    }
  }

  /** Maps the file again, on another thread: an interrupt during mapping would close the file. */
  private MemorySegment mapMore(long maxRows) throws IOException {
    var mapping = new FutureTask<MemorySegment>(() -> map(volume, opened.end(maxRows)));
    var thread = Thread.ofPlatform().daemon().name("undercroft-map").start(mapping);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          thread.join();
          return mapping.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          if (e.getCause() instanceof IOException cause) throw cause;
          if (e.getCause() instanceof RuntimeException cause) throw cause;
          throw new IOException(e.getCause());
        }
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  /** Whether mapping failed because the file was too short. */
  private static boolean isShort(IOException error) {
    return String.valueOf(error.getMessage()).contains("extend");
  }

  /** The number of rows in the mapped bytes, of at most `maxRows`. */
  private long readable(long maxRows, MemorySegment data) {
    return Math.min(maxRows, RowExtent.rows(opened.schema(), data.byteSize(), opened.header().capacity()));
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

  /** The capacity that columns are laid out for: column `c` starts at `capacity * c.offset`. */
  public long capacity() {
    return opened.header().capacity();
  }

  /** The durability of the last commit. */
  public Durability durability() {
    return contents.header().durability();
  }

  /** The data as a read-only segment: rows, or consecutive columns. Invalid after the file is
   * closed. A `refresh` that finds rows beyond its end maps a new segment; the old one remains
   * usable.
   */
  public MemorySegment data() {
    return data;
  }

  /** Whether the schema has the dimensions of arrays, as of version 2 of the format. Version 1 has
   * the total element count.
   */
  public boolean hasDimensions() {
    return opened.header().version() >= 2;
  }

  /** Compares the blocks that contain the rows `[from, until)` with their checksums, each at its
   * first use; throws {@link ErrorKind#CORRUPT} if one differs. Does nothing if the file is not sealed
   * or was opened with `Checksums.NEVER`. Thread-safe.
   *
   * @param columns schema offsets of the values that are read, or null for all
   */
  public void compare(long from, long until, int[] columns) {
    if (checksums == Checksums.NEVER || !opened.header().isSealed() || from >= until) return;
    if (columns != null && columns.length == 0) return;
    checkOpen();
    StructFileException error;
    try {
      if (checks == null) checks = BlockChecks.of(path, volume, opened, data);
      error = checks.run(from, Math.min(until, rows()), columns);
    } catch (InternalError e) {
      throw translate(e);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
    if (error == null) return;
    check(); // a truncated page may read as zeros
    throw error;
  }

  /** Rows of a block of a sealed file; 0 for other files. */
  public long rowsPerBlock() {
    return opened.header().rowsPerBlock();
  }

  /** Makes later commits visible and returns the row count. If another file has replaced this one,
   * as a migration does, the rows remain those of the replaced file.
   */
  public synchronized long refresh() {
    checkOpen();
    if (opened.header().isSealed()) return rows();
    try {
      var header = FileMetadata.header(path, volume);
      if (header.rows() < rows() || header.schemaHash() != opened.header().schemaHash())
        throw new StructFileException(
            path, 0, ErrorKind.CORRUPT, "it had " + rows() + " rows, and now another header");
      // A later writer of rows may have room for more of them; columns keep their capacity.
      boolean isFixed = opened.header().layout() == FileLayout.COLUMNS;
      long maxRows = isFixed ? capacity() : header.capacity();
      if (header.rows() > readable && readable < maxRows) {
        var mapping = mapMore(maxRows).asSlice(opened.header().dataOffset());
        data = mapping;
        readable = readable(maxRows, mapping);
      }
      var visibleHeader =
          new Header(
              header.version(), header.order(), header.durability(), header.layout(), header.generation(), capacity(),
              header.stride(), header.dataOffset(), header.schemaBytes(), header.schemaChecksum(),
              header.schemaHash(), 0, 0, 0, 0, 0, Math.min(header.rows(), readable),
              header.writer());
      var now = new FileMetadata(visibleHeader, opened.schema());
      now.checkSize(path, volume.size());
      end = now.end();
      contents = now;
      return rows();
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Throws if the file was truncated below its rows, or if this thread has read truncated pages:
   * values that were read are then invalid.
   */
  public void check() {
    checkOpen();
    try {
      MappedFaults.rethrow();
    } catch (InternalError e) {
      throw translate(e);
    }
    checkLength();
  }

  private void checkLength() {
    try {
      if (volume.size() < end) contents.checkSize(path, volume.size());
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Translates an InternalError of the JVM that an access to the data threw. */
  public StructFileException translate(InternalError error) {
    try {
      checkOpen();
      checkLength();
    } catch (StructFileException typed) {
      return typed;
    }
    return FileErrors.of(path, error);
  }

  /** Reads a whole sealed file and compares every checksum; for other files, the headers, the
   * schema and the length. Throws {@link ErrorKind#CORRUPT} if a bit has changed.
   */
  public void verify() {
    checkOpen();
    try {
      var now = FileMetadata.read(path, volume);
      if (now.header().isSealed()) Verification.run(path, volume, now);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** The statistics of a field for each block; empty if the file is not sealed. Throws {@link
   * ErrorKind#WRONG_SCHEMA} if no field that has an order is selected so, or several are, because a
   * name contains a dot.
   *
   * @param field the path as a Scala expression would select it, such as `at.x`
   */
  public java.util.List<BlockStatistics> statistics(String field) {
    checkOpen();
    try {
      return Verification.statistics(path, volume, opened, field);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** The statistics of a field for each block; empty if the file is not sealed. Throws {@link
   * ErrorKind#WRONG_SCHEMA} if no field that has an order has this path.
   *
   * @param field the names of the field and of the fields that contain it, as {@link Schema.Leaf#path}
   */
  public java.util.List<BlockStatistics> statistics(java.util.List<String> field) {
    checkOpen();
    try {
      return Verification.statistics(path, volume, opened, field);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** The smallest and the largest value of each number outside of unions, in the order of the schema's
   * leaves; empty if the file does not have one block, or has more than `maxNumbers` numbers.
   */
  public java.util.List<Number> bounds(int maxNumbers) {
    checkOpen();
    try {
      return Verification.bounds(path, volume, opened, maxNumbers);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  private void checkOpen() {
    if (!open) throw StructFileException.closed(path, "the file");
  }

  public boolean isOpen() {
    return open;
  }

  /** Closes the file. Throws IllegalStateException while another thread writes the bytes of the file
   * to a channel: then the file stays open.
   */
  @Override
  public void close() {
    if (!open) return;
    open = false;
    try {
      volume.close();
    } catch (IllegalStateException e) {
      open = true;
      throw e;
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }
}
