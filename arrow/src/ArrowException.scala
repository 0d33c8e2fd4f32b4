package undercroft.arrow

import java.io.IOException
import java.nio.file.{FileSystemException, Path}

/** The kinds of error of an operation on an Arrow file.
  *
  * {{{
  * def mayRetry(error: ArrowException): Boolean = error.kind match
  *   case ArrowErrorKind.NoSpace | ArrowErrorKind.Unreadable => true
  *   case _                                                  => false
  * }}}
  */
enum ArrowErrorKind(val description: String) derives CanEqual:
  case NotFound extends ArrowErrorKind("there is no such file")

  /** The target of a write exists already. */
  case Exists extends ArrowErrorKind("already exists")

  /** The file is not in Arrow's IPC file format. */
  case NotAnArrowFile extends ArrowErrorKind("not an Arrow file")

  /** The file ends too early. */
  case Truncated extends ArrowErrorKind("truncated")

  /** The contents of the file are inconsistent. */
  case Corrupt extends ArrowErrorKind("corrupt")

  /** The file uses a feature of the format that this module does not read. */
  case Unsupported extends ArrowErrorKind("not supported")

  /** The fields of the file do not match the requested struct. */
  case WrongSchema extends ArrowErrorKind("schema mismatch")

  /** A value cannot be stored in its field. */
  case WrongValue extends ArrowErrorKind("invalid value")

  /** The disk is full, or a quota or size limit of the process is reached. */
  case NoSpace extends ArrowErrorKind("no space")

  /** The operating system reported an I/O error. */
  case Unreadable extends ArrowErrorKind("unreadable")
end ArrowErrorKind

/** Thrown when an operation on an Arrow file fails.
  *
  * {{{
  * import java.nio.file.Path
  * import undercroft.struct.*
  * def bills(file: Path): Option[Rows[Bill]] =
  *   try Some(Rows.readArrow[Bill](file))
  *   catch
  *     case error: ArrowException =>
  *       println(s"${error.file}, offset ${error.offset}: ${error.kind.description}")
  *       None
  * }}}
  *
  * @param offset
  *   position in the file, in bytes from its start
  */
final class ArrowException private[arrow] (
    val file: Path,
    val offset: Long,
    val kind: ArrowErrorKind,
    reason: String,
    cause: Throwable | Null = null
) extends RuntimeException(s"$file: offset $offset: ${kind.description}: $reason", cause)

private[arrow] object ArrowException:

  /** Translates an I/O error; the message of the system selects the kind. */
  def of(file: Path, offset: Long, error: IOException): ArrowException =
    val words = error match
      case system: FileSystemException if system.getReason != null => system.getReason.nn
      case _ => String.valueOf(error.getMessage).nn
    val small = words.toLowerCase(java.util.Locale.ROOT)
    val full = Seq("no space", "too large", "quota").exists(small.contains)
    val kind = if full then ArrowErrorKind.NoSpace else ArrowErrorKind.Unreadable
    ArrowException(file, offset, kind, words, error)
end ArrowException
