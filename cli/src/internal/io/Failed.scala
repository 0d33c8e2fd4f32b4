package undercroft.cli
package internal.io

import java.io.IOException
import java.nio.file.{
  AccessDeniedException,
  FileAlreadyExistsException,
  FileSystemException,
  NoSuchFileException
}

/** Input that a command cannot use; it ends with exit code 2. */
private[cli] final class BadInput(message: String) extends RuntimeException(message)

/** A failure without a fault of the input; the command ends with exit code 1. */
private[cli] final class Failed(message: String) extends RuntimeException(message)

private[cli] object Failed:
  /** The reason of an I/O error without the name of its file, which may be a temporary one. */
  def reason(failure: IOException): String = failure match
    case system: FileSystemException if system.getReason != null => system.getReason.nn
    case _: FileAlreadyExistsException                           => "it exists already"
    case _: NoSuchFileException                                  => "it does not exist"
    case _: AccessDeniedException                                => "permission denied"
    case _                                                       => s"${failure.getMessage}"
end Failed
