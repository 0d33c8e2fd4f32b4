package undercroft.file.format.internal.storage;

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
import undercroft.file.format.ErrorKind;
import undercroft.file.format.StructFileException;

/** Translates errors of the JDK to errors of a struct file. */
public final class FileErrors {
  private FileErrors() {}

  /** Translates an I/O error; its type and message select the kind. */
  public static StructFileException of(Path file, long offset, IOException error) {
    var kind =
        isFull(error)
            ? ErrorKind.NO_SPACE
            : error instanceof NoSuchFileException ? ErrorKind.NOT_FOUND : ErrorKind.UNREADABLE;
    var typed = new StructFileException(file, offset, kind, reason(error));
    typed.initCause(error);
    return typed;
  }

  /** Whether the disk is full, or a quota or limit of the process is reached. */
  public static boolean isFull(IOException error) {
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
  public static StructFileException of(Path file, InternalError error) {
    var typed =
        new StructFileException(file, 0, ErrorKind.UNREADABLE, "its pages were gone when they were read");
    typed.initCause(error);
    return typed;
  }
}
