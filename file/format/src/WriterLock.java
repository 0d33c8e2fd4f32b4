package undercroft.file.format;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** The exclusive right to write a file, among processes and among the writers of one process.
 *
 * It is a system lock on a separate file, `NAME.lock`, because POSIX locks on a file are lost when
 * the process closes that file anywhere, as a reader does. The lock file is empty and remains
 * until the data file is sealed. The system releases the lock when the process ends in any way.
 */
final class WriterLock implements AutoCloseable {

  /** Lock files held by writers of this process. Checked first, so that a second writer does not
   * open and close the lock file, which would release the lock.
   */
  private static final Set<Path> TAKEN = new HashSet<>();

  private final Path key;
  private final FileChannel channel;

  private WriterLock(Path key, FileChannel channel) {
    this.key = key;
    this.channel = channel;
  }

  /** The file that a path refers to, after resolving symbolic links, if it exists. It is this file
   * that is replaced atomically.
   */
  static Path target(Path file) throws IOException {
    if (Files.exists(file)) return file.toRealPath();
    if (Files.isSymbolicLink(file))
      throw new StructFileException(
          file, 0, ErrorKind.NOT_FOUND,
          "a symbolic link to " + Files.readSymbolicLink(file) + ", which does not exist");
    return file.toAbsolutePath().normalize();
  }

  static WriterLock take(Path file) {
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
        var channel =
            FileChannel.open(key, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
          FileLock lock = channel.tryLock();
          if (lock == null)
            throw new StructFileException(
                file, 0, ErrorKind.IN_USE, "another process writes it, and has locked " + key);
          locked = true;
        } finally {
          if (!locked) channel.close();
        }
        return new WriterLock(key, channel);
      } finally {
        if (!locked) forget(key);
      }
    } catch (IOException e) {
      throw StructFileException.of(file, 0, e);
    }
  }

  private static void forget(Path key) {
    synchronized (TAKEN) {
      TAKEN.remove(key);
    }
  }

  /** Releases the lock and deletes its file: the data file will never be written again. A file that
   * is not empty is not a lock file of this library, and stays.
   */
  void closeForGood() throws IOException {
    // Not by the channel, which an interrupted thread would close.
    if (Files.exists(key) && Files.size(key) == 0) Files.deleteIfExists(key);
    close();
  }

  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) return;
    channel.close();
    forget(key);
  }
}
