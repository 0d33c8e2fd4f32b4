package undercroft.file;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;

/** An operation on a struct file that failed: which file, where in it, and why. What was committed
 * before is as it was.
 */
public final class StructFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Path file;
  private final long offset;
  private final Fault fault;

  StructFileException(Path file, long offset, Fault fault, String reason) {
    super(file + ": offset " + offset + ": " + fault.words + ": " + reason);
    this.file = file;
    this.offset = offset;
    this.fault = fault;
  }

  /** What the system said, as a fault. */
  static StructFileException of(Path file, long offset, IOException error) {
    var words =
        error instanceof FileSystemException system && system.getReason() != null
            ? system.getReason()
            : String.valueOf(error.getMessage());
    var small = words.toLowerCase(Locale.ROOT);
    var full = small.contains("no space") || small.contains("too large") || small.contains("quota");
    var fault = full ? Fault.NO_SPACE : Fault.UNREADABLE;
    var typed = new StructFileException(file, offset, fault, words);
    typed.initCause(error);
    return typed;
  }

  /** What the JVM said of a page that was gone, while the file is as long as it should be. */
  static StructFileException of(Path file, InternalError error) {
    var typed =
        new StructFileException(file, 0, Fault.UNREADABLE, "its pages were gone when they were read");
    typed.initCause(error);
    return typed;
  }

  public Path file() {
    return file;
  }

  /** Where in the file, in bytes from its beginning. */
  public long offset() {
    return offset;
  }

  public Fault fault() {
    return fault;
  }
}
