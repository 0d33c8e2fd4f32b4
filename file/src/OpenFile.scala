package undercroft.file

import undercroft.struct.internal.bytes.Backing
import java.nio.file.Path
import undercroft.file.format.{StructFile, StructFileException, StructWriter}
import undercroft.memory.Reservation

/** The resource behind a table in a file: a writer, a reader or converted rows. */
private[file] enum OpenFile derives CanEqual:
  case Written(to: StructWriter)
  case Read(from: StructFile, isRenamed: Boolean)

  /** Rows that were converted to memory. */
  case Converted(from: Path, memory: Reservation)

  def path: Path = this match
    case Written(writer)    => writer.path
    case Read(file, _)      => file.path
    case Converted(from, _) => from

  /** The writer; throws UnsupportedOperationException if the file was opened read-only. */
  def writer: StructWriter = this match
    case Written(writer) => writer
    case _               => throw UnsupportedOperationException(s"$path was opened to be read only")

  /** The reader, if it can see later commits. */
  def reader: Option[StructFile] = this match
    case Read(file, _) => Some(file)
    case _             => None

  /** Translates an InternalError of the JVM that an access to the rows threw. */
  def translate(error: InternalError): Throwable = this match
    case Written(writer) => writer.translate(error).nn
    case Read(file, _)   => file.translate(error).nn
    case _               => error

  /** Throws if the file was closed. */
  def check(): Unit = this match
    case Written(writer) => writer.check()
    case Read(file, _)   => file.check()
    case Converted(from, memory) =>
      if !memory.isOpen then throw StructFileException.closed(from, "the file")

  def backing: Backing = FileBacking(this)

  def close(): Unit = this match
    case Written(writer)      => writer.close()
    case Read(file, _)        => file.close()
    case Converted(_, memory) => memory.close()
end OpenFile

/** A table's access to its file. */
private[file] final class FileBacking(val file: OpenFile) extends Backing:
  def name: String = file.path.toString

  def check(): Unit = file.check()

  def translate(error: Throwable): Throwable =
    try
      check()
      error match
        case fault: InternalError => file.translate(fault)
        case store: RuntimeException if isReadOnly && writes(store) =>
          UnsupportedOperationException(s"$name was opened to be read only")
        case other => other
    catch case typed: StructFileException => typed

  private def isReadOnly: Boolean = file match
    case OpenFile.Written(_) => false
    case _                   => true

  /** Whether a segment rejected a write because it is read-only, which only the message shows. */
  private def writes(error: RuntimeException): Boolean =
    String.valueOf(error.getMessage).contains("read-only")
end FileBacking
