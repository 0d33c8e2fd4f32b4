package undercroft.exchange

import java.io.{BufferedOutputStream, IOException, OutputStream, PrintStream}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

/** Where malformed lines go: byte for byte to a file, or nowhere, and then the first one is the
  * end.
  */
private[exchange] final class Rejects(from: Path, to: Option[Path], err: PrintStream)
    extends AutoCloseable:
  private val output: Option[OutputStream] =
    try to.map(path => BufferedOutputStream(Files.newOutputStream(path)))
    catch case failure: IOException => throw BadInput(s"--rejects: cannot be written ($failure)")
  private var lineCount = 0L

  /** How many lines were taken. */
  def count: Long = lineCount

  /** Takes a line, and tells the reason of the first few. Throws BadInput if there is no file. */
  def take(line: String, malformed: Malformed): Unit = output match
    case None => throw BadInput(malformed.where)
    case Some(stream) =>
      stream.write((line + "\n").getBytes(ISO_8859_1))
      lineCount += 1
      if lineCount <= Rejects.MostTold then err.println(s"$from: ${malformed.where}")

  def close(): Unit = output.foreach(_.close())
end Rejects

private object Rejects:
  /** Malformed lines whose reason is printed; the rest are in the file. */
  val MostTold = 10
