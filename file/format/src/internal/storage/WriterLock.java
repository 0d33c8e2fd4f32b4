package undercroft.file.format.internal.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;

/** The exclusive right to write a file, among processes and among the writers of one process.
 *
 * It is a system lock on a separate file, `NAME.lock`, because POSIX locks on a file are lost when
 * the process closes that file anywhere, as a reader does. The lock file is empty and remains
 * until the data file is sealed, unless the writer that created it could not be opened. Only the
 * holder of the lock deletes it. The system releases the lock when the process ends in any way.
 */
public final class WriterLock implements AutoCloseable {

  /** Lock files held by writers of this process. Checked first, so that a second writer does not
   * open and close the lock file, which would release the lock.
   */
  private static final Set<Path> TAKEN = new HashSet<>();

  /** How often a lock file is opened again if other processes delete it meanwhile. */
  private static final int ATTEMPTS = 100;

  /** Opens a writer that releases the lock when it is closed. */
  public interface Opening<W> {
    W open(WriterLock lock) throws IOException;
  }

  private final Path key;
  private final FileChannel channel;

  /** Whether this lock created its file. */
  private final boolean isNew;

  private WriterLock(Path key, FileChannel channel, boolean isNew) {
    this.key = key;
    this.channel = channel;
    this.isNew = isNew;
  }

  /** The file that a path refers to, after resolving symbolic links, if it exists. It is this file
   * that is replaced atomically.
   */
  public static Path target(Path file) throws IOException {
    if (Files.exists(file)) return file.toRealPath();
    if (Files.isSymbolicLink(file))
      throw new StructFileException(
          file, 0, ErrorKind.NOT_FOUND,
          "a symbolic link to " + Files.readSymbolicLink(file) + ", which does not exist");
    return file.toAbsolutePath().normalize();
  }

  /** Takes the lock and opens a writer; any failure to open it releases the lock. */
  public static <W> W open(Path file, Opening<W> opening) {
    var lock = take(file);
    try {
      return opening.open(lock);
    } catch (IOException e) {
      throw lock.released(FileErrors.of(file, 0, e));
    } catch (Throwable e) { // for example of a default argument, which is code of the user
      lock.released(e);
      throw e;
    }
  }

  private <E extends Throwable> E released(E error) {
    try {
      closeUnused();
    } catch (IOException e) {
      error.addSuppressed(e);
    }
    return error;
  }

  public static WriterLock take(Path file) {
    try {
      var absolute = target(file);
      if (absolute.getFileName() == null)
        throw new StructFileException(file, 0, ErrorKind.UNREADABLE, "it is a folder; expected a file");
      var folder = absolute.getParent().toRealPath();
      var key = folder.resolve(absolute.getFileName() + ".lock");
      synchronized (TAKEN) {
        if (!TAKEN.add(key))
          throw new StructFileException(file, 0, ErrorKind.IN_USE, "a writer of this process has it");
      }
      boolean locked = false;
      try {
        var lock = lock(file, key);
        locked = true;
        return lock;
      } finally {
        if (!locked) forget(key);
      }
    } catch (IOException e) {
      throw FileErrors.of(file, 0, e);
    }
  }

  /** Opens the lock file and locks it. If its holder has deleted it in between, the lock would
   * exclude no other writer: then the lock file is created again.
   */
  private static WriterLock lock(Path file, Path key) throws IOException {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      boolean isNew = create(key);
      var before = identity(key);
      FileChannel channel;
      try {
        channel = FileChannel.open(key, StandardOpenOption.WRITE);
      } catch (NoSuchFileException e) {
        continue;
      }
      boolean locked = false;
      try {
        var opened = identity(key);
        if (channel.tryLock() == null)
          throw new StructFileException(
              file, 0, ErrorKind.IN_USE, "another process writes it, and has locked " + key);
        // The opened file is the one at this path, unless it was replaced before, in between or after.
        locked = before.isPresent() && before.equals(opened) && opened.equals(identity(key));
        if (locked) return new WriterLock(key, channel, isNew);
      } finally {
        if (!locked) channel.close();
      }
    }
    throw new StructFileException(
        file, 0, ErrorKind.IN_USE, "other processes have deleted " + key + " " + ATTEMPTS + " times meanwhile");
  }

  /** Creates the lock file; returns false if it exists. */
  private static boolean create(Path key) throws IOException {
    try {
      Files.createFile(key);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /** The identity of the lock file, or its path if the file system has none; empty without a file. */
  private static Optional<Object> identity(Path key) throws IOException {
    try {
      var attributes = Files.readAttributes(key, BasicFileAttributes.class);
      return Optional.of(Objects.requireNonNullElse(attributes.fileKey(), key));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static void forget(Path key) {
    synchronized (TAKEN) {
      TAKEN.remove(key);
    }
  }

  /** Releases the lock and deletes its file: the data file will never be written again, or this lock
   * created its file. A file that is not empty is not a lock file of this library, and stays.
   */
  public void closeForGood() throws IOException {
    try {
      // Not by the channel, which an interrupted thread would close.
      if (Files.exists(key) && Files.size(key) == 0) Files.deleteIfExists(key);
    } finally {
      close();
    }
  }

  /** Releases the lock of a writer that could not be opened. Deletes the lock file if this lock
   * created it.
   */
  public void closeUnused() throws IOException {
    if (isNew) closeForGood();
    else close();
  }

  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) return;
    channel.close();
    forget(key);
  }
}
