package undercroft.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** The right to write a file: of one process, and of one writer in it.
 *
 * It is a lock of the system on a file beside, `NAME.lock`, because a process loses its locks on a
 * file when it closes that file anywhere, as a reader does. The file stays; it is empty. The system
 * gives the lock back when the process ends, however it ends.
 */
final class WriterLock implements AutoCloseable {

  /** What writers of this process have: to look there first is what keeps the system's locks. */
  private static final Set<Path> TAKEN = new HashSet<>();

  private final Path key;
  private final FileChannel channel;

  private WriterLock(Path key, FileChannel channel) {
    this.key = key;
    this.channel = channel;
  }

  static WriterLock take(Path file) {
    try {
      var absolute = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath().normalize();
      var folder = absolute.getParent().toRealPath();
      var key = folder.resolve(absolute.getFileName() + ".lock");
      synchronized (TAKEN) {
        if (!TAKEN.add(key))
          throw new StructFileException(file, 0, Fault.IN_USE, "a writer of this process has it");
      }
      boolean locked = false;
      try {
        var channel =
            FileChannel.open(key, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
          FileLock lock = channel.tryLock();
          if (lock == null)
            throw new StructFileException(
                file, 0, Fault.IN_USE, "another process writes it, and has locked " + key);
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

  /** Gives the right back, for good: the file will never be written again. */
  void closeForGood() throws IOException {
    Files.deleteIfExists(key);
    close();
  }

  @Override
  public void close() throws IOException {
    if (!channel.isOpen()) return;
    channel.close();
    forget(key);
  }
}
