package undercroft.file.format;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/** Thrown when an operation on a struct file fails, with the file, the offset and the reason.
 * Committed rows are unaffected.
 */
public final class StructFileException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Path file;
  private final long offset;
  private final ErrorKind kind;

  StructFileException(Path file, long offset, ErrorKind kind, String reason) {
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

  /** Translates an I/O error; its type and message select the kind. */
  static StructFileException of(Path file, long offset, IOException error) {
    var kind =
        isFull(error)
            ? ErrorKind.NO_SPACE
            : error instanceof NoSuchFileException ? ErrorKind.NOT_FOUND : ErrorKind.UNREADABLE;
    var typed = new StructFileException(file, offset, kind, reason(error));
    typed.initCause(error);
    return typed;
  }

  /** Whether the disk is full, or a quota or limit of the process is reached. */
  static boolean isFull(IOException error) {
    var small = reason(error).toLowerCase(Locale.ROOT);
    return small.contains("no space") || small.contains("too large") || small.contains("quota");
  }

  /** The reason of an I/O error. Some JDK exceptions have the path as their only message, or no
   * message: then their class is the reason.
   */
  private static String reason(IOException error) {
    return switch (error) {
      case FileSystemException system when system.getReason() != null -> system.getReason();
      case AccessDeniedException denied -> "permission denied: " + denied.getFile();
      case NoSuchFileException absent -> absent.getFile();
      case NotDirectoryException file -> "it is no folder: " + file.getFile();
      case DirectoryNotEmptyException folder -> "a folder that is not empty: " + folder.getFile();
      case FileAlreadyExistsException there -> "it exists already: " + there.getFile();
      case ClosedByInterruptException interrupted -> "the thread was interrupted";
      case ClosedChannelException closed -> "it was closed by another thread";
      default -> {
        var name = error.getClass().getSimpleName();
        yield error.getMessage() == null ? name : error.getMessage();
      }
    };
  }

  /** An InternalError of the JVM for a missing page, although the file has its full length. */
  static StructFileException of(Path file, InternalError error) {
    var typed =
        new StructFileException(file, 0, ErrorKind.UNREADABLE, "its pages were gone when they were read");
    typed.initCause(error);
    return typed;
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
