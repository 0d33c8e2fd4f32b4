package undercroft.arrow
package internal.ipc

import internal.io.FileInput
import java.io.{IOException, InputStream}
import java.nio.file.{Files, Path}

/** A file that is open for reading, with its metadata. The buffers of a compressed file are first
  * decompressed to a temporary file, which is deleted at the close. Confined to one thread.
  */
private[arrow] final class ArrowSource private (
    val input: FileInput,
    val content: FileContent,
    temporaryFiles: Vector[Path]
) extends AutoCloseable:
  def close(): Unit =
    try input.close()
    finally temporaryFiles.foreach(Files.deleteIfExists(_))

private[arrow] object ArrowSource:

  def open(path: Path): ArrowSource = open(path, path, Vector())

  /** Opens a file; errors name `path`. */
  private def open(file: Path, path: Path, temporaryFiles: Vector[Path]): ArrowSource =
    val input = FileInput.open(file, path)
    var isKept = false
    try
      val content = FileContent.read(input)
      if content.codecs.nonEmpty then decompressed(path, input, content, temporaryFiles)
      else
        isKept = true
        ArrowSource(input, content, temporaryFiles)
    finally if !isKept then input.close()

  /** Reads a stream up to its end marker or its end. Its messages are copied to a temporary file,
    * because the number of rows is known only at the end.
    */
  def ofStream(stream: InputStream): ArrowSource = ofCopy(StreamCopy(stream).copyTo(_))

  /** Reads a stream that `write` writes to a temporary file. */
  def ofCopy(write: Path => Unit): ArrowSource =
    val copy =
      try Files.createTempFile("undercroft-arrow", ".stream").nn
      catch case error: IOException => throw ArrowException.of(StreamName, 0, error)
    try
      write(copy)
      val source = open(copy, StreamName, Vector(copy))
      delete(copy)
      source
    catch
      case error: Throwable =>
        Files.deleteIfExists(copy): Unit
        throw error

  /** The name of a stream in errors. */
  val StreamName: Path = Path.of("stream")

  /** Deletes a file that is open. Most systems allow it: then not even a killed process leaves it;
    * on the others [[ArrowSource.close]] deletes it.
    */
  private def delete(file: Path): Unit =
    try Files.deleteIfExists(file): Unit
    catch case _: IOException => ()

  private def decompressed(
      path: Path,
      input: FileInput,
      content: FileContent,
      temporaryFiles: Vector[Path]
  ): ArrowSource =
    val copy = Decompression(path, input).copy(content)
    try
      val copied = FileInput.ofCopy(path, copy.file)
      try
        copy.content.checkRows(copied)
        delete(copy.file)
        ArrowSource(copied, copy.content, temporaryFiles :+ copy.file)
      catch
        case error: Throwable =>
          copied.close()
          throw error
    catch
      case error: Throwable =>
        Files.deleteIfExists(copy.file): Unit
        throw error
  end decompressed
end ArrowSource
