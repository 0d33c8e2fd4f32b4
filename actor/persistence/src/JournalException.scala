package undercroft.actor
package persistence

import java.io.IOException
import java.nio.channels.ClosedByInterruptException
import java.nio.file.{FileSystemException, Path}
import java.util.Locale
import undercroft.actor.internal.cell.StorageFailure
import undercroft.file.format.{ErrorKind, StructFileException}

/** A journal could not store or recover events. The message states the file, and the row and its
  * bytes if one row is at fault.
  *
  * {{{
  * def advice(error: JournalException): String = error.kind match
  *   case JournalException.Kind.NoSpace => "free some disk space, and send the command again"
  *   case _                             => error.getMessage
  * }}}
  */
final class JournalException private[persistence] (
    message: String,
    val kind: JournalException.Kind,
    cause: Throwable | Null = null
) extends RuntimeException(message, cause),
      StorageFailure:
  private[undercroft] def isPermanent: Boolean = kind == JournalException.Kind.Rejected

object JournalException:
  /** The kinds of failure.
    *
    * {{{
    * println(JournalException.Kind.values.length) // 9
    * }}}
    */
  enum Kind derives CanEqual:
    /** The disk is full, or a quota is reached. The event is not stored, and the journal continues:
      * the same command may succeed when there is space.
      */
    case NoSpace

    /** Another journal, of this process or of another one, has the folder open. */
    case InUse

    /** Another actor that has not stopped uses the persistence id. */
    case IdInUse

    /** A file is cut or changed: rows are missing, or differ from their checksum. */
    case Corrupt

    /** The files were written for other types of events or states, which cannot be converted. */
    case Schema

    /** The events could not be encoded. They are not stored, and the journal continues. */
    case Rejected

    /** The event handler failed for an event of the journal. */
    case Replay

    /** The journal is closed. */
    case Closed

    /** A file could not be read, written or forced, or there was no memory to open the journal. If
      * an open journal failed, its last events may be stored or not: a new journal over the same
      * folder knows. That journal stores no more events. It continues if only a file that no
      * recovery needs cannot be deleted.
      */
    case Failed
  end Kind

  /** Translates a failure of a file of the journal. */
  private[persistence] def of(error: StructFileException): JournalException =
    val kind = error.kind match
      case ErrorKind.NO_SPACE                                                    => Kind.NoSpace
      case ErrorKind.IN_USE                                                      => Kind.InUse
      case ErrorKind.WRONG_SCHEMA                                                => Kind.Schema
      case ErrorKind.TRUNCATED | ErrorKind.CORRUPT | ErrorKind.NOT_A_STRUCT_FILE => Kind.Corrupt
      case _                                                                     => Kind.Failed
    JournalException(String.valueOf(error.getMessage), kind, error)

  /** Translates an I/O error. */
  private[persistence] def of(subject: String, error: IOException): JournalException =
    val reason = error match
      case _: ClosedByInterruptException => "the thread was interrupted"
      case _                             => error.toString
    val kind = if isFull(error) then Kind.NoSpace else Kind.Failed
    JournalException(s"$subject: $reason", kind, error)

  /** Whether the disk is full, or a quota is reached: only the text of the system tells. */
  private def isFull(error: IOException): Boolean =
    val reason: String | Null = error match
      case system: FileSystemException => system.getReason
      case other                       => other.getMessage
    val words = String.valueOf(reason).toLowerCase(Locale.ROOT)
    List("no space", "too large", "quota").exists(text => words.contains(text))

  private[persistence] def closed(name: String): JournalException =
    JournalException(s"$name: the journal is closed", Kind.Closed)

  /** The failure of one row of a file. */
  private[persistence] def corrupt(path: Path, row: Long, stride: Long, reason: String) =
    JournalException(
      s"$path: row $row, bytes [${row * stride}, ${(row + 1) * stride}) of its rows: $reason",
      Kind.Corrupt
    )
end JournalException
