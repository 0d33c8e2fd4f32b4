package undercroft.exchange
package internal.trades

import java.io.{BufferedOutputStream, IOException, OutputStream, PrintStream}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

/** Writes malformed lines byte for byte to a file, if there is one. The file is created, or an
  * existing one replaced, at the first malformed line or at the end of the input.
  */
private[exchange] final class Rejects(from: Path, to: Option[Path], err: PrintStream)
    extends AutoCloseable:
  private var output: Option[OutputStream] = None
  private var lineCount = 0L

  /** The number of malformed lines. */
  def count: Long = lineCount

  /** Writes a line, and prints the reason of the first few. Throws BadInput if there is no file. */
  def take(line: String, malformed: Malformed): Unit =
    if to.isEmpty then throw BadInput(malformed.where)
    writing:
      open().foreach(_.write((line + "\n").getBytes(ISO_8859_1)))
    lineCount += 1
    if lineCount <= Rejects.MostTold then err.println(s"$from: ${malformed.where}")

  /** Writes the file whole, also without lines. */
  def finish(): Unit = writing:
    open().foreach(_.flush())

  def close(): Unit = writing:
    val opened = output
    output = None
    opened.foreach(_.close())

  private def open(): Option[OutputStream] =
    if output.isEmpty then
      output = to.map(path => BufferedOutputStream(Files.newOutputStream(path)))
    output

  private def writing(body: => Unit): Unit =
    try body
    catch
      case failure: IOException =>
        throw Failed(s"--rejects ${to.mkString}: cannot be written ($failure)")
end Rejects

private[exchange] object Rejects:
  /** Malformed lines whose reason is printed; the others are in the file only. */
  val MostTold = 10
