package undercroft.exchange
package internal.trades

import java.io.InputStream
import java.nio.charset.StandardCharsets.ISO_8859_1

/** The lines of a stream, byte for byte: one Char a byte, without the line feed that ends them, and
  * with a carriage return if there is one. For one thread.
  */
private[exchange] final class ByteLines(input: InputStream) extends Iterator[String]:
  private val buffer = new Array[Byte](ByteLines.BufferBytes)
  private var from = 0
  private var until = 0
  private var count = 0L

  /** The number of the last line read, from 1. */
  def number: Long = count

  def hasNext: Boolean =
    if from == until then
      from = 0
      until = math.max(input.read(buffer), 0)
    from < until

  /** The next line. Throws BadInput for a line longer than [[ByteLines.LongestBytes]]. */
  def next(): String =
    if !hasNext then throw java.util.NoSuchElementException(s"no line after line $count")
    count += 1
    val feed = indexOfFeed()
    if feed < 0 then longer()
    else
      val line = new String(buffer, from, feed - from, ISO_8859_1)
      from = feed + 1
      line

  /** A line that crosses the end of the buffer. */
  private def longer(): String =
    val line = StringBuilder()
    var isComplete = false
    while !isComplete && hasNext do
      val feed = indexOfFeed()
      val end = if feed >= 0 then feed else until
      line.append(new String(buffer, from, end - from, ISO_8859_1))
      if line.length > ByteLines.LongestBytes then
        throw BadInput(s"line $count is longer than ${ByteLines.LongestBytes} bytes")
      from = if feed >= 0 then feed + 1 else until
      isComplete = feed >= 0
    line.toString

  private def indexOfFeed(): Int =
    var at = from
    while at < until && buffer(at) != '\n' do at += 1
    if at < until then at else -1
end ByteLines

private[exchange] object ByteLines:
  private val BufferBytes = 1 << 16

  /** A trade takes some forty bytes. A line of more than a mebibyte is not a trade, and is not
    * kept.
    */
  val LongestBytes: Int = 1 << 20
