package undercroft.arrow

import java.io.IOException
import java.nio.file.{FileSystemException, Path}

/** What is wrong with an Arrow file, or with what was asked of it. */
enum ArrowFault(val words: String) derives CanEqual:
  case Absent extends ArrowFault("there is no such file")

  /** A new file would take the place of one that is there. */
  case Exists extends ArrowFault("exists already")

  /** It is no Arrow file. */
  case Foreign extends ArrowFault("no Arrow file")

  /** Bytes are missing at its end. */
  case Truncated extends ArrowFault("truncated")

  /** Its bytes contradict each other. */
  case Damaged extends ArrowFault("damaged")

  /** A part of the format that is not read. */
  case Unsupported extends ArrowFault("not supported")

  /** Its fields are not the ones that were asked for. */
  case WrongSchema extends ArrowFault("another schema")

  /** A value that has no place where it is to go. */
  case WrongValue extends ArrowFault("a value that does not fit")

  /** The disk, or a limit of the process, ends here. */
  case NoSpace extends ArrowFault("no space")

  /** The system could not read or write it. */
  case Unreadable extends ArrowFault("unreadable")
end ArrowFault

/** An operation on an Arrow file that failed.
  *
  * @param offset
  *   where in the file, in bytes from its beginning
  */
final class ArrowException private[arrow] (
    val file: Path,
    val offset: Long,
    val fault: ArrowFault,
    reason: String,
    cause: Throwable | Null = null
) extends RuntimeException(s"$file: offset $offset: ${fault.words}: $reason", cause)

private[arrow] object ArrowException:

  /** What the system said, as a fault. */
  def of(file: Path, offset: Long, error: IOException): ArrowException =
    val words = error match
      case system: FileSystemException if system.getReason != null => system.getReason.nn
      case other => String.valueOf(other.getMessage).nn
    val small = words.toLowerCase(java.util.Locale.ROOT)
    val full = Seq("no space", "too large", "quota").exists(small.contains)
    val fault = if full then ArrowFault.NoSpace else ArrowFault.Unreadable
    ArrowException(file, offset, fault, words, error)
end ArrowException
