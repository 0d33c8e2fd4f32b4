package undercroft.file

import undercroft.struct.internal.bytes.Backing
import java.nio.file.{Files, NoSuchFileException, Path}
import java.nio.file.attribute.BasicFileAttributes
import undercroft.file.format.{ErrorKind, StructFile, StructFileException, StructWriter}
import undercroft.file.format.internal.codec.CompressedFile
import undercroft.memory.Reservation

/** The resource behind a table in a file: a writer, a reader or converted rows. */
private[file] enum OpenFile derives CanEqual:
  case Written(to: StructWriter)
  case Read(from: StructFile, isRenamed: Boolean)

  /** Rows that were converted to memory.
    *
    * @param key
    *   identifies the file, if the system has such keys
    */
  case Converted(from: Path, key: Option[String], memory: Reservation)

  def path: Path = this match
    case Written(writer)       => writer.path
    case Read(file, _)         => file.path
    case Converted(from, _, _) => from

  /** The writer; throws UnsupportedOperationException if the file was opened read-only. */
  def writer: StructWriter = this match
    case Written(writer) => writer
    case _               => throw UnsupportedOperationException(s"$path was opened to be read only")

  /** The reader, if it can see later commits. */
  def reader: Option[StructFile] = this match
    case Read(file, _) => Some(file)
    case _             => None

  /** Whether the rows are those of the file, and not a copy. */
  def isMapped: Boolean = this match
    case Converted(_, _, _) => false
    case _                  => true

  /** Translates an InternalError of the JVM that an access to the rows threw. */
  def translate(error: InternalError): Throwable = this match
    case Written(writer) => writer.translate(error).nn
    case Read(file, _)   => file.translate(error).nn
    case _               => error

  /** Throws if the file was closed. */
  def check(): Unit = this match
    case Written(writer) => writer.check()
    case Read(file, _)   => file.check()
    case Converted(from, _, memory) =>
      if !memory.isOpen then throw StructFileException.closed(from, "the file")

  /** Compares the file with its checksums. */
  def verify(): Unit =
    check()
    this match
      case Read(file, _)   => file.verify()
      case Written(writer) => OpenFile.verify(writer.path)
      case Converted(from, key, _) =>
        if OpenFile.key(from) != key then throw StructFileException.replaced(from)
        OpenFile.verify(from)

  def backing: Backing = FileBacking(this)

  def close(): Unit = this match
    case Written(writer)         => writer.close()
    case Read(file, _)           => file.close()
    case Converted(_, _, memory) => memory.close()
end OpenFile

private[file] object OpenFile:
  /** Identifies the file that has a name; None if there is none, or the system has no such keys. */
  def key(path: Path): Option[String] =
    try Option(Files.readAttributes(path, classOf[BasicFileAttributes]).nn.fileKey).map(_.toString)
    catch case _: NoSuchFileException => None

  private def verify(path: Path): Unit =
    try
      val read: StructFile = StructFile.open(path)
      try read.verify()
      finally read.close()
    catch
      case error: StructFileException if error.kind.equals(ErrorKind.COMPRESSED) =>
        val read: CompressedFile = CompressedFile.open(path)
        try read.verify()
        finally read.close()
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
