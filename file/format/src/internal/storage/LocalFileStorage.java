package undercroft.file.format.internal.storage;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;

/** Storage in a file. Thread-safe. Reads and writes do not use channels, because an interrupt would
 * close them.
 */
public final class LocalFileStorage implements FileStorage {

  /** How often a file that could not be opened is looked for again. */
  private static final int ATTEMPTS = 100;

  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final byte[] ZEROS = new byte[1 << 16];
  private static final boolean WINDOWS = System.getProperty("os.name").startsWith("Windows");

  private final RandomAccessFile file;
  private final boolean writable;
  private final Arena arena = Arena.ofShared();
  private MemorySegment memory = MemorySegment.NULL;

  /** The identity of the file in its file system, or null if there is none. */
  private final Object key;

  private LocalFileStorage(RandomAccessFile file, boolean writable, Object key) {
    this.file = file;
    this.writable = writable;
    this.key = key;
  }

  public static LocalFileStorage open(Path path, boolean writable) {
    for (int attempt = 1; ; attempt++) {
      try {
        var attributes = Files.readAttributes(path, BasicFileAttributes.class);
        if (!attributes.isRegularFile())
          throw new StructFileException(path, 0, ErrorKind.NOT_A_STRUCT_FILE, "it is not a regular file");
        return make(path, writable, attributes.fileKey());
      } catch (NoSuchFileException e) {
        throw new StructFileException(path, 0, ErrorKind.NOT_FOUND, "cannot open it");
      } catch (FileNotFoundException e) {
        // It cannot be opened, or it was deleted after its attributes were read: they tell.
        if (attempt == ATTEMPTS) throw FileErrors.of(path, 0, e);
      } catch (IOException e) {
        throw FileErrors.of(path, 0, e);
      }
    }
  }

  /** Throws, with the reason, if the path is not an existing file. */
  public static void checkThere(Path path) {
    try {
      Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      throw new StructFileException(path, 0, ErrorKind.NOT_FOUND, "cannot open it");
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** Locks the file against other writers, whatever name they use, as far as the system can:
   * closing the file by a reader of this process ends the protection against other processes.
   */
  public void lock(Path path) throws IOException {
    var reason = "a writer of this process has it under another name";
    try {
      var lock = file.getChannel().tryLock(Long.MAX_VALUE - 1, 1, false);
      if (lock != null) return;
      reason = "another process writes it, under another name or without its .lock";
    } catch (OverlappingFileLockException e) {
      // The initial message applies.
    }
    throw new StructFileException(path, 0, ErrorKind.IN_USE, reason);
  }

  @Override
  public void checkNamed(Path path) throws IOException {
    Object now;
    try {
      now = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException e) {
      throw new StructFileException(
          path, 0, ErrorKind.NOT_FOUND, "it was deleted or renamed while it was written");
    }
    if (key != null && !key.equals(now))
      throw new StructFileException(
          path, 0, ErrorKind.REPLACED, "another file has its name since it was opened to be written");
  }

  /** A new empty file, which replaces an existing one.
   *
   * @param permissions the permissions of the file; by default those of new files of the process
   */
  public static LocalFileStorage create(Path path, Optional<Set<PosixFilePermission>> permissions) {
    try {
      Files.deleteIfExists(path);
      if (permissions.isEmpty()) return make(path, true, null);
      Files.createFile(path, OWNER_ONLY); // until it has its permissions
      var volume = make(path, true, null);
      try {
        // Mounts without permissions of their own reject a change to the present ones.
        if (!permissions(path).equals(permissions)) Files.setPosixFilePermissions(path, permissions.get());
      } catch (IOException | RuntimeException e) {
        volume.close();
        throw e;
      }
      return volume;
    } catch (IOException e) {
      throw FileErrors.of(path, 0, e);
    }
  }

  /** The permissions of a file; empty if there is no such file, or no POSIX permissions. */
  public static Optional<Set<PosixFilePermission>> permissions(Path path) throws IOException {
    var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
    if (view == null) return Optional.empty();
    try {
      return Optional.of(view.readAttributes().permissions());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static LocalFileStorage make(Path path, boolean writable, Object key)
      throws FileNotFoundException {
    var file = new RandomAccessFile(path.toFile(), writable ? "rw" : "r");
    return new LocalFileStorage(file, writable, key);
  }

  @Override
  public long size() throws IOException {
    return file.length();
  }

  @Override
  public synchronized int read(byte[] into, int count, long at) throws IOException {
    file.seek(at);
    int done = 0;
    while (done < count) {
      int chunk = file.read(into, done, count - done);
      if (chunk < 0) break;
      done += chunk;
    }
    VarHandle.acquireFence();
    return done;
  }

  public synchronized void write(byte[] bytes, int count, long at) throws IOException {
    file.seek(at);
    file.write(bytes, 0, count);
  }

  @Override
  public synchronized void fill(long at, long count) throws IOException {
    file.seek(at);
    for (long done = 0; done < count; ) {
      int part = (int) Math.min(ZEROS.length, count - done);
      file.write(ZEROS, 0, part);
      done += part;
    }
  }

  @Override
  public MemorySegment map(long bytes) throws IOException {
    var mode = writable ? MapMode.READ_WRITE : MapMode.READ_ONLY;
    long before = file.length();
    boolean isExtended = writable && before < bytes;
    try {
      memory = file.getChannel().map(mode, 0, bytes, arena);
    } catch (IOException | RuntimeException | Error e) {
      try {
        if (isExtended) cut(before); // the file is extended before the system maps it
      } catch (IOException cutError) {
        e.addSuppressed(cutError);
      }
      throw e;
    }
    // Mapping extended the file. Its last pages become accessible when the file reaches them.
    if (isExtended) cut(before);
    return memory;
  }

  @Override
  public synchronized void extend(long bytes) throws IOException {
    if (bytes > file.length()) file.setLength(bytes);
  }

  @Override
  public synchronized void cut(long bytes) throws IOException {
    try {
      if (bytes < file.length()) file.setLength(bytes);
    } catch (IOException e) {
      // Windows cannot truncate a mapped file: it stays sparse until it is closed.
      if (!WINDOWS) throw e;
    }
  }

  @Override
  public void putSlot(byte[] slot, long at) {
    VarHandle.fullFence();
    MemorySegment.copy(slot, 0, memory, ValueLayout.JAVA_BYTE, at, slot.length);
  }

  @Override
  public void force(long at, long count) throws IOException {
    try {
      memory.asSlice(at, count).force();
    } catch (java.io.UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Forces all data and metadata to the device, including the file's length. */
  public void forceAll() throws IOException {
    file.getFD().sync();
  }

  /** Forces the folder of a file, so that its name is durable, if the system supports it. */
  public static void forceFolder(Path path) throws IOException {
    var folder = path.toAbsolutePath().getParent();
    if (folder == null || WINDOWS) return;
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try (var names = FileChannel.open(folder)) {
      names.force(true);
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  /** Creates a folder and its missing parents, and makes their names durable. */
  public static void createFolders(Path folder) throws IOException {
    var absolute = folder.toAbsolutePath();
    var existing = absolute;
    while (existing != null && !Files.exists(existing)) existing = existing.getParent();
    Files.createDirectories(folder);
    for (var path = absolute; !path.equals(existing); path = path.getParent()) forceFolder(path);
  }

  @Override
  public void closeAt(long bytes) throws IOException {
    try (file) {
      if (arena.scope().isAlive()) arena.close();
      if (bytes < file.length()) file.setLength(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    // Throws while a channel reads the memory: then the file stays open, too.
    if (arena.scope().isAlive()) arena.close();
    file.close();
  }

  /** Closes the file after an error. Returns that error. */
  public RuntimeException closed(RuntimeException error) {
    try {
      close();
    } catch (IOException e) {
      error.addSuppressed(e);
    }
    return error;
  }
}
