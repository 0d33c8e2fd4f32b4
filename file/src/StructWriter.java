package undercroft.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** The one that appends to a struct file.
 *
 * Rows are stored in `data`, where `ensure` has made room, and exist for others from the `commit`
 * that counts them. A commit writes the rows first and then the one of the two headers that does not
 * hold: whatever happens in between, the other one does. There is one writer of a file, in all
 * processes. For one thread. Every failure is a {@link StructFileException} that leaves what was
 * committed as it was.
 */
public final class StructWriter implements AutoCloseable {

  /** The room that is taken from the disk at once, in bytes: as much as there is, within these. */
  private static final long LEAST_STEP = 1 << 16;

  private static final long MOST_STEP = 1 << 24;

  private final Path path;
  private final WriterLock lock;
  private final Volume volume;
  private final Promise promise;
  private final Schema schema;
  private final MemorySegment data;
  private final long capacity;

  // The columns, or the row as one: making room makes no objects.
  private final long[] starts;
  private final long[] sizes;
  private Header header;
  private long ready;
  private long needed;
  private boolean open = true;
  private boolean failed;

  private StructWriter(
      Path path, WriterLock lock, Volume volume, Contents contents, long capacity, Promise promise)
      throws IOException {
    this.path = path;
    this.lock = lock;
    this.volume = volume;
    this.promise = promise;
    this.schema = contents.schema();
    this.header = contents.header();
    this.capacity = capacity;
    var columns = schema.columns();
    this.starts = columns.keySet().stream().mapToLong(start -> start).toArray();
    this.sizes = columns.values().stream().mapToLong(size -> size).toArray();
    this.ready = header.rows();
    this.needed = end(ready);
    long end = end(capacity);
    this.data = volume.map(end).asSlice(header.dataOffset());
  }

  /** Where so many rows end in the file. */
  private long end(long rows) {
    return header.dataOffset() + schema.extent(rows, capacity);
  }

  /** Makes a file. It is as long as `upTo` rows, and takes of the disk what rows are stored.
   *
   * @param promise
   *     what commits promise, VOLATILE or COMMITTED
   */
  public static StructWriter create(Path path, Schema schema, long upTo, Promise promise) {
    if (upTo < 0) throw new IllegalArgumentException("a file for " + upTo + " rows");
    Aside.nativeOrder(schema);
    var lock = WriterLock.take(path);
    try {
      if (Files.exists(path))
        throw new StructFileException(path, 0, Fault.EXISTS, "a new file would take its place");
      var header = Aside.header(schema, schema.capacity(upTo), checked(promise), 0);
      if (!header.isSane())
        throw new IllegalArgumentException(
            "a file for " + upTo + " rows of " + schema.stride() + " bytes");
      Aside.write(path, volume -> Aside.putBeginning(volume, header, schema));
      return made(path, lock, upTo, promise);
    } catch (IOException e) {
      throw released(lock, StructFileException.of(path, 0, e));
    } catch (RuntimeException e) {
      throw released(lock, e);
    }
  }

  /** Opens a file that was made a moment ago, and was not if that fails. */
  private static StructWriter made(Path path, WriterLock lock, long upTo, Promise promise)
      throws IOException {
    try {
      FileVolume.forceFolder(path);
      return open(path, lock, FileVolume.open(path, true), upTo, promise);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** Opens a file to append rows of a schema to. One whose fields have other places is written anew
   * first, aside. Files of columns keep the room they were made with.
   */
  public static StructWriter append(Path path, Schema schema, long upTo, Promise promise) {
    Aside.nativeOrder(schema);
    if (!Files.exists(path)) throw new StructFileException(path, 0, Fault.ABSENT, "cannot open it");
    var lock = WriterLock.take(path);
    try {
      Migration.run(path, schema);
      return open(path, lock, FileVolume.open(path, true), upTo, promise);
    } catch (IOException e) {
      throw released(lock, StructFileException.of(path, 0, e));
    } catch (RuntimeException e) {
      throw released(lock, e);
    }
  }

  /** A writer on any volume: what the tests simulate a loss of power with. */
  static StructWriter open(Path path, WriterLock lock, Volume volume, long upTo, Promise promise)
      throws IOException {
    try {
      var contents = Contents.read(path, volume);
      contents.checkOrder(path);
      var header = contents.header();
      if (header.isSealed())
        throw new StructFileException(path, 11, Fault.SEALED, "it takes no more rows");
      boolean columns = header.layout() == Layout.COLUMNS;
      long capacity = columns ? header.capacity() : Math.max(header.rows(), upTo);
      return new StructWriter(path, lock, volume, contents, capacity, checked(promise));
    } catch (IOException | RuntimeException e) {
      volume.close();
      throw e;
    }
  }

  private static Promise checked(Promise promise) {
    if (promise == Promise.SEALED)
      throw new IllegalArgumentException("commits are volatile or committed; seal() seals");
    return promise;
  }

  private static RuntimeException released(WriterLock lock, RuntimeException error) {
    try {
      lock.close();
    } catch (IOException e) {
      error.addSuppressed(e);
    }
    return error;
  }

  public Path path() {
    return path;
  }

  public Schema schema() {
    return schema;
  }

  /** The committed rows. */
  public long rows() {
    return header.rows();
  }

  /** The most rows; and in columns, column `c` starts at `capacity * c.offset`. */
  public long capacity() {
    return capacity;
  }

  /** The data: rows, or columns one behind the other. Only rows that `ensure` was called for are
   * there. It dies with the writer.
   */
  public MemorySegment data() {
    return data;
  }

  /** Makes room for `rows` rows in all, on the disk too, and returns for how many there is. Where the
   * disk is full, nothing changes.
   */
  public long ensure(long rows) {
    checkOpen();
    if (rows > capacity)
      throw new IndexOutOfBoundsException(
          "row " + (rows - 1) + " of a file that was made for up to " + capacity + " rows");
    if (rows > ready) {
      checkLength(); // what was cut off would be zeros then
      long ahead = Math.clamp(ready * schema.stride(), LEAST_STEP, MOST_STEP) / schema.stride();
      long target = Math.min(capacity, Math.max(rows, ready + ahead));
      for (int i = 0; i < starts.length; i++) {
        long size = sizes[i];
        long at = header.dataOffset() + capacity * starts[i] + ready * size;
        try {
          volume.fill(at, (target - ready) * size);
        } catch (IOException e) {
          throw StructFileException.of(path, at, e);
        }
      }
      ready = target;
      int last = starts.length - 1;
      needed = header.dataOffset() + capacity * starts[last] + ready * sizes[last];
    }
    return ready;
  }

  /** Makes the first `rows` rows those of the file, with what was promised. The rows before are
   * brought to the disk with them, if they were changed.
   */
  public void commit(long rows) {
    checkOpen();
    if (failed)
      throw new StructFileException(
          path, 0, Fault.UNREADABLE, "a commit failed before: open the file anew");
    if (rows < header.rows() || rows > ready)
      throw new IllegalArgumentException(
          rows + " rows committed of a file with " + header.rows() + " rows and room for " + ready);
    check();
    var next = header.committed(rows, capacity, promise);
    long at = Header.slotOf(next.generation());
    boolean forced = promise == Promise.COMMITTED;
    failed = true; // until both are there: what a failed force left is not known
    try {
      long bytes = schema.extent(rows, capacity);
      if (forced && bytes > 0) volume.force(header.dataOffset(), bytes);
      volume.putSlot(next.bytes().array(), at);
      if (forced) volume.force(at, Header.SLOT);
      Mapping.settle();
    } catch (InternalError e) {
      throw explained(e);
    } catch (IOException e) {
      throw StructFileException.of(path, at, e);
    }
    failed = false;
    header = next;
  }

  /** Refuses a file that has become shorter than the room that was made, or of which this thread has
   * used pages that were gone.
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

  /** The error to throw for one of the JVM, which an access to the data failed with. */
  public StructFileException explained(InternalError error) {
    try {
      checkOpen();
      checkLength();
    } catch (StructFileException typed) {
      return typed;
    }
    return StructFileException.of(path, error);
  }

  private void checkLength() {
    try {
      long size = volume.size();
      if (size < needed)
        throw new StructFileException(
            path, size, Fault.TRUNCATED, "it ends there, and its rows need " + needed + " bytes");
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }

  /** Writes the first `rows` rows as a sealed file, which takes this one's place, and closes. Who has
   * the file open goes on with what was.
   */
  public void seal(long rows) {
    seal(rows, Blocks.rowsPerBlock(schema));
  }

  void seal(long rows, long rowsPerBlock) {
    commit(rows);
    var sealing =
        new Sealing(data, capacity, schema, header.rows(), header.generation() + 1, rowsPerBlock);
    try {
      Aside.write(
          path,
          aside -> {
            sealing.write(aside);
            check(); // the rows were all there
          });
      open = false; // from here on the path is the sealed file's
      volume.close();
      lock.closeForGood();
      FileVolume.forceFolder(path);
    } catch (InternalError e) {
      throw explained(e);
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

  /** Closes without a commit: rows since the last one are gone. The room behind the rows goes back to
   * the disk.
   */
  @Override
  public void close() {
    if (!open) return;
    open = false;
    try (lock) {
      if (schema.layout() == Layout.COLUMNS) volume.close();
      else volume.closeAt(Math.ceilDiv(end(header.rows()), Header.SLOT) * Header.SLOT);
    } catch (IOException e) {
      throw StructFileException.of(path, 0, e);
    }
  }
}
