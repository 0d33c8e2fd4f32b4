package undercroft.structfile

import java.nio.file.Path
import undercroft.file.{StructFile, StructFileException, StructWriter}
import undercroft.memory.Reservation
import undercroft.struct.Backing

/** What a table in a file has open. */
private[structfile] enum OpenFile derives CanEqual:
  case Written(to: StructWriter)
  case Read(from: StructFile)

  /** Rows that were converted into memory. */
  case Converted(from: Path, memory: Reservation)

  def path: Path = this match
    case Written(writer)    => writer.path
    case Read(file)         => file.path
    case Converted(from, _) => from

  /** What appends; an UnsupportedOperationException where the file was opened to be read. */
  def writer: StructWriter = this match
    case Written(writer) => writer
    case _               => throw UnsupportedOperationException(s"$path was opened to be read only")

  /** What sees later rows. */
  def reader: Option[StructFile] = this match
    case Read(file) => Some(file)
    case _          => None

  /** The error for one of the JVM, which an access to the rows failed with. */
  def explained(error: InternalError): Throwable = this match
    case Written(writer) => writer.explained(error).nn
    case Read(file)      => file.explained(error).nn
    case _               => error

  def backing: Backing | Null = this match
    case Converted(_, _) => null
    case other           => FileBacking(other)

  def close(): Unit = this match
    case Written(writer)      => writer.close()
    case Read(file)           => file.close()
    case Converted(_, memory) => memory.close()
end OpenFile

/** A file under a table. */
private[structfile] final class FileBacking(file: OpenFile) extends Backing:
  def name: String = file.path.toString

  def check(): Unit = file match
    case OpenFile.Written(writer) => writer.check()
    case OpenFile.Read(read)      => read.check()
    case _                        => ()

  def explained(error: Throwable): Throwable =
    try
      check()
      error match
        case gone: InternalError => file.explained(gone)
        case store: RuntimeException if isReadOnly && writes(store) =>
          UnsupportedOperationException(s"$name was opened to be read only")
        case other => other
    catch case typed: StructFileException => typed

  private def isReadOnly: Boolean = file.reader.isDefined

  /** Whether a segment refused an access because it is read only: it says so in words alone. */
  private def writes(error: RuntimeException): Boolean =
    String.valueOf(error.getMessage).contains("read-only")
end FileBacking
