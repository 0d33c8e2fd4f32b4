package undercroft.file.format;

import java.nio.file.Path;

/** Thrown when an operation on a struct file fails, with the file, the offset and the reason.
 * Committed rows are unaffected.
 */
public final class StructFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Path file;
  private final long offset;
  private final ErrorKind kind;

  public StructFileException(Path file, long offset, ErrorKind kind, String reason) {
    super(file + ": offset " + offset + ": " + kind.description + ": " + reason);
    this.file = file;
    this.offset = offset;
    this.kind = kind;
  }

  /** The error of a use of something that was closed, such as "the file". */
  public static StructFileException closed(Path file, String subject) {
    return new StructFileException(file, 0, ErrorKind.CLOSED, subject + " was closed");
  }

  /** The error of a use of a table whose file has been replaced by another one. */
  public static StructFileException replaced(Path file) {
    return new StructFileException(
        file, 0, ErrorKind.REPLACED, "another file has its name since it was opened");
  }

  public Path file() {
    return file;
  }

  /** The position in the file, in bytes from its start. */
  public long offset() {
    return offset;
  }

  public ErrorKind kind() {
    return kind;
  }
}
