package undercroft.file.format;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import undercroft.file.format.internal.evolution.FileMigration;
import undercroft.file.format.internal.metadata.AtomicFile;
import undercroft.file.format.internal.metadata.BlockTable;
import undercroft.file.format.internal.metadata.FileMetadata;
import undercroft.file.format.internal.metadata.Header;
import undercroft.file.format.internal.metadata.SealedFileWriter;
import undercroft.file.format.internal.schema.RowExtent;
import undercroft.file.format.internal.storage.FileErrors;
import undercroft.file.format.internal.storage.FileStorage;
import undercroft.file.format.internal.storage.LocalFileStorage;
import undercroft.file.format.internal.storage.MappedFaults;
import undercroft.file.format.internal.storage.WriterLock;

/** Appends rows to a struct file.
 *
 * Rows are stored in `data`, after `ensureCapacity` has made room, and become visible to readers with the
 * `commit` that counts them. A commit writes the rows first and then the inactive header slot, so
 * that one valid header exists at any time. A file has at most one writer among all processes.
 * Confined to one thread. Every failure is a {@link StructFileException} and leaves the committed
 * rows unchanged.
 */
public final class StructWriter implements AutoCloseable {

  /** Bounds of the preallocation step in bytes; within them, the file doubles. */
  private static final long LEAST_STEP = 1 << 16;

  private static final long MOST_STEP = 1 << 24;

  /** The file is extended by this fraction beyond the preallocated rows, so that readers seldom
   * remap it.
   */
  private static final long AHEAD = 8;

  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path path;

  /** The file that `path` referred to when it was opened, after resolving symbolic links. */
  private final Path target;

  /** A random number of this writer. It is in the file's headers until another writer takes the
   * file over.
   */
  private final long number = new SecureRandom().nextLong() | 1;

  private final WriterLock lock;
  private final FileStorage volume;
  private final Durability durability;
  private final Schema schema;
  private final MemorySegment memory;
  private final MemorySegment data;
  private final long capacity;

  // The columns, or the whole row as one column, as arrays: `ensureCapacity` does not allocate.
  private final long[] starts;
  private final long[] sizes;
  private Header header;
  private long ready;
  private long needed;

  /** The value of `ready` at the last force of all this room. */
  private long readyOnDisk;
  private boolean open = true;
  private boolean failed;

  /** Whether the other header slot has the rows of the commit before the last one. */
  private boolean hasOlderSlot;

  private StructWriter(
      Path path, WriterLock lock, FileStorage volume, FileMetadata contents, long capacity, Durability durability)
      throws IOException {
    this.path = path;
    this.target = WriterLock.target(path);
    this.lock = lock;
    this.volume = volume;
    this.durability = durability;
    this.schema = contents.schema();
    this.header = contents.header();
    this.capacity = capacity;
    var columns = RowExtent.columns(schema);
    this.starts = columns.keySet().stream().mapToLong(start -> start).toArray();
    this.sizes = columns.values().stream().mapToLong(size -> size).toArray();
    this.ready = header.rows();
    this.needed = end(ready);
    this.memory = volume.map(end(capacity));
    this.data = memory.asSlice(header.dataOffset());
    takeOver();
  }

  /** The length of the closed file: the end of its rows, rounded up to a whole page. */
  private long cutAt() {
    return Math.ceilDiv(end(header.rows()), Header.SLOT) * Header.SLOT;
  }

  /** Takes the file over by writing this writer's number: commits of other writers fail from now
   * on.
   */
  private void takeOver() throws IOException {
    try {
      header = putTaken();
    } catch (InternalError e) {
      throw translate(e);
    }
  }

  /** Writes the rows of the newest header, with this writer's number, to the other header slot. */
  private Header putTaken() throws IOException {
    var next = header.taken(number);
    long at = Header.slotOf(next.generation());
    volume.putSlot(next.bytes().array(), at);
    if (durability == Durability.COMMITTED) volume.force(at, Header.SLOT);
    MappedFaults.rethrow();
    return next;
  }

  /** Throws if another writer has taken the file over since this one opened it. */
  private void checkOwned() {
    try {
      if (!isOwned())
        throw new StructFileException(
            path, Header.WRITER_AT, ErrorKind.IN_USE,
            "another writer has taken it since it was opened, under another name or without its"
                + " .lock: rows since the last commit are lost");
      MappedFaults.rethrow();
    } catch (InternalError e) {
      throw translate(e);
    }
  }

  /** Throws if the path does not refer to the file any more. */
  private void checkNamed() {
    try {
      volume.checkNamed(path);
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Whether the path refers to the file. */
  private boolean isNamed() {
    try {
      checkNamed();
      return true;
    } catch (StructFileException e) {
      return false;
    }
  }

  /** Whether the newest header was written by this writer. */
  private boolean isOwned() {
    long at = Header.slotOf(header.generation());
    long otherSlot = Header.slotOf(header.generation() + 1);
    return word(at + Header.GENERATION_AT) == header.generation()
        && word(at + Header.WRITER_AT) == number
        && word(otherSlot + Header.GENERATION_AT) <= header.generation();
  }

  private long word(long at) {
    return memory.get(WORD, at);
  }

  /** The end of the first `rows` rows in the file. */
  private long end(long rows) {
    return header.dataOffset() + RowExtent.extent(schema, rows, capacity);
  }

  /** Creates a file. Its length covers its rows and preallocated space; for columns, which are laid
   * out for `maxRows` rows, it reaches to the last row of the last column.
   *
   * @param durability the durability of commits, VOLATILE or COMMITTED
   */
  public static StructWriter create(Path path, Schema schema, long maxRows, Durability durability) {
    AtomicFile.nativeOrder(schema);
    var header = header(schema, maxRows, durability);
    return WriterLock.open(
        path,
        lock -> {
          if (Files.exists(path, LinkOption.NOFOLLOW_LINKS))
            throw new StructFileException(path, 0, ErrorKind.EXISTS, "a new file would take its place");
          AtomicFile.write(path, volume -> AtomicFile.putBeginning(volume, header, schema));
          return made(path, lock, maxRows, durability);
        });
  }

  /** The header of a file without rows; throws if a file cannot hold `maxRows` rows. */
  private static Header header(Schema schema, long maxRows, Durability durability) {
    if (maxRows < 0)
      throw new IllegalArgumentException("the row limit must be at least 0, but is " + maxRows);
    // A number of rows near the limit of a long would overflow when it is rounded up.
    if (maxRows <= Long.MAX_VALUE - 64) {
      var header = AtomicFile.header(schema, RowExtent.capacity(schema, maxRows), checked(durability), 0);
      if (header.isSane()) return header;
    }
    throw new IllegalArgumentException(
        "a file cannot hold " + maxRows + " rows of " + schema.stride() + " bytes");
  }

  /** Opens a file that was just created, and deletes it if that fails. */
  private static StructWriter made(Path path, WriterLock lock, long maxRows, Durability durability)
      throws IOException {
    try {
      LocalFileStorage.forceFolder(path);
      return open(path, lock, LocalFileStorage.open(path, true), maxRows, durability);
    } catch (Throwable e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** Opens a file for appending rows of a schema. If its fields have other offsets, the file is
   * first migrated. Files of columns keep their capacity.
   */
  public static StructWriter append(Path path, Schema schema, long maxRows, Durability durability) {
    return append(path, schema, maxRows, durability, Evolution.NONE);
  }

  /** As above; `evolution` has the former names and the default values of the fields of the schema.
   */
  public static StructWriter append(
      Path path, Schema schema, long maxRows, Durability durability, Evolution evolution) {
    AtomicFile.nativeOrder(schema);
    boolean isFixed = schema.layout() == FileLayout.COLUMNS; // keeps its limit
    header(schema, isFixed ? Math.min(maxRows, 0) : maxRows, durability); // checks the arguments
    LocalFileStorage.checkThere(path);
    return WriterLock.open(
        path,
        lock -> {
          FileMigration.run(path, WriterLock.target(path), schema, evolution);
          return open(path, lock, LocalFileStorage.open(path, true), maxRows, durability);
        });
  }

  /** A writer on any storage; the tests simulate a loss of power with it. */
  static StructWriter open(Path path, WriterLock lock, FileStorage volume, long maxRows, Durability durability)
      throws IOException {
    try {
      var contents = FileMetadata.read(path, volume);
      contents.checkOrder(path);
      var header = contents.header();
      if (header.isSealed())
        throw new StructFileException(path, 11, ErrorKind.SEALED, "it takes no more rows");
      if (volume instanceof LocalFileStorage file) file.lock(path);
      boolean columns = header.layout() == FileLayout.COLUMNS;
      long capacity = columns ? header.capacity() : Math.max(header.rows(), maxRows);
      return new StructWriter(path, lock, volume, contents, capacity, checked(durability));
    } catch (Throwable e) {
      volume.close();
      throw e;
    }
  }

  private static Durability checked(Durability durability) {
    if (durability == Durability.SEALED)
      throw new IllegalArgumentException("commits are volatile or committed; seal() seals");
    return durability;
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

  /** The most rows; in columns, column `c` starts at `capacity * c.offset`. */
  public long capacity() {
    return capacity;
  }

  /** The data: rows, or consecutive columns. Only rows within the result of `ensureCapacity` may be
   * accessed. Invalid after the writer is closed.
   */
  public MemorySegment data() {
    return data;
  }

  /** Makes room for `rows` rows in total, allocating disk space, and returns the number of rows
   * that fit now. If the disk is full, throws and changes nothing.
   */
  public long ensureCapacity(long rows) {
    checkOpen();
    if (rows > capacity)
      throw new IndexOutOfBoundsException(
          "row " + (rows - 1) + " does not fit in a file of at most " + capacity + " rows");
    if (rows > ready) {
      checkLength(); // otherwise, zeros would replace truncated rows
      checkOwned(); // otherwise, zeros would overwrite rows of another writer
      long ahead = Math.clamp(ready * schema.stride(), LEAST_STEP, MOST_STEP) / schema.stride();
      long targetRows = Math.min(capacity, Math.max(rows, ready + ahead));
      ready = fill(rows, targetRows);
      int last = starts.length - 1;
      needed = header.dataOffset() + capacity * starts[last] + ready * sizes[last];
    }
    return ready;
  }

  /** Allocates disk space for `targetRows` rows, or, if the disk is almost full, for fewer, but at
   * least `minRows`.
   */
  private long fill(long minRows, long targetRows) {
    long size = 0;
    for (long target = targetRows; ; target = minRows + (target - minRows) / 2) {
      long at = header.dataOffset();
      try {
        size = volume.size();
        for (int i = 0; i < starts.length; i++) {
          at = header.dataOffset() + capacity * starts[i] + ready * sizes[i];
          volume.fill(at, (target - ready) * sizes[i]);
        }
        long end = end(target);
        volume.extend(Math.min(end(capacity), end + (end - header.dataOffset()) / AHEAD));
        return target;
      } catch (IOException e) {
        if (target > minRows && FileErrors.isFull(e)) continue;
        try {
          volume.cut(Math.max(size, needed)); // releases the insufficient space
        } catch (IOException cutError) {
          e.addSuppressed(cutError);
        }
        throw FileErrors.of(path, at, e);
      }
    }
  }

  /** Commits the first `rows` rows with the writer's durability level. Earlier rows are forced
   * again, so that changes to them become durable.
   */
  public void commit(long rows) {
    commit(rows, false);
  }

  /** As `commit`, for rows that have checksums of their own: one force instead of two stores rows
   * and header. After a loss of power, the header may count rows of the last commit that were not
   * stored; `LastCommit` finds and removes them.
   */
  public void commitChecked(long rows) {
    commit(rows, true);
  }

  private void commit(long rows, boolean isChecked) {
    checkOpen();
    if (failed)
      throw new StructFileException(
          path, 0, ErrorKind.UNREADABLE, "a commit failed before: open the file anew");
    if (rows < header.rows() || rows > ready)
      throw new IllegalArgumentException(
          rows + " rows committed of a file with " + header.rows() + " rows and room for " + ready);
    check();
    checkOwned();
    checkNamed();
    var next = header.committed(rows, capacity, durability, number);
    long at = Header.slotOf(next.generation());
    boolean forced = durability == Durability.COMMITTED;
    failed = true; // until both are written: the file's state after a failed force is unknown
    try {
      // A header must not count rows beyond the length that the disk has of the file.
      boolean together = isChecked && readyOnDisk == ready;
      if (forced && !together) forceRows(isChecked ? ready : rows);
      volume.putSlot(next.bytes().array(), at);
      if (forced) {
        if (together) volume.force(0, end(rows));
        else volume.force(at, Header.SLOT);
      }
      MappedFaults.rethrow();
    } catch (InternalError e) {
      throw translate(e);
    } catch (IOException e) {
      throw FileErrors.of(path, at, e);
    }
    failed = false;
    hasOlderSlot = true;
    header = next;
  }

  /** Forces the first `rows` rows, or this room. */
  private void forceRows(long rows) throws IOException {
    long bytes = RowExtent.extent(schema, rows, capacity);
    if (bytes > 0) volume.force(header.dataOffset(), bytes);
    if (rows == ready) readyOnDisk = ready;
  }

  /** Throws if the file was truncated below its preallocated space, or if this thread has accessed
   * truncated pages.
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

  private void checkLength() {
    try {
      long size = volume.size();
      if (size < needed)
        throw new StructFileException(
            path, size, ErrorKind.TRUNCATED, "it ends there, and its rows need " + needed + " bytes");
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Writes the first `rows` rows as a sealed file, which atomically replaces this one, and closes.
   * Readers that have the file open keep the old content.
   */
  public void seal(long rows) {
    seal(rows, BlockTable.rowsPerBlock(schema));
  }

  void seal(long rows, long rowsPerBlock) {
    commit(rows);
    var sealing =
        new SealedFileWriter(data, capacity, schema, header.rows(), header.generation() + 1, rowsPerBlock);
    try {
      AtomicFile.write(
          target,
          output -> {
            sealing.write(output);
            check(); // throws if rows were missing
            checkOwned();
            checkNamed();
          });
      open = false; // from here on the path refers to the sealed file
      try (volume) {
        lock.closeForGood();
      }
      LocalFileStorage.forceFolder(target);
    } catch (InternalError e) {
      throw translate(e);
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

  /** Writes the rows of the last commit to the other header slot, too: then one damaged slot of a
   * closed file loses no row.
   */
  private void commitOtherSlot() throws IOException {
    try {
      putTaken();
    } catch (InternalError e) {
      throw FileErrors.of(path, e);
    }
  }

  /** Whether this writer may change the header and truncate the space after the rows. */
  private boolean isCuttable() {
    try {
      boolean isOwned = isOwned();
      MappedFaults.rethrow();
      return isOwned;
    } catch (InternalError e) {
      return false; // the file was truncated inside its headers
    }
  }

  /** Closes the writer, and deletes its file and the lock file: for a new file that could not be
   * completed. A file that has replaced it meanwhile stays.
   */
  public void discard() {
    if (!open) return;
    open = false;
    boolean isNamed = false;
    try {
      try {
        try {
          isNamed = isNamed();
        } finally {
          volume.close();
        }
      } finally {
        try {
          if (isNamed) Files.deleteIfExists(path);
        } finally {
          lock.closeForGood();
        }
      }
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Closes without a commit, which discards rows since the last one. The preallocated space is
   * released.
   */
  @Override
  public void close() {
    if (!open) return;
    open = false;
    try (lock) {
      boolean isCuttable = isCuttable();
      try {
        if (isCuttable && hasOlderSlot && !failed) commitOtherSlot();
      } finally {
        if (isCuttable) volume.closeAt(cutAt());
        else volume.close();
      }
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }
}
