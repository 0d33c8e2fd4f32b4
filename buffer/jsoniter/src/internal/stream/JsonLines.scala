package undercroft.buffer.jsoniter
package internal.stream

import undercroft.buffer.{BufferedSource, TooLargeException}

/** Values of lines; `parse` reads a value of a number of bytes, and consumes none if it fails. */
private[jsoniter] final class JsonLines[A](source: BufferedSource, maxLineBytes: Long)(
    parse: (BufferedSource, Long) => A
) extends Iterator[A]:
  // Bytes that are searched for the end of a line: its most bytes and the line end.
  private val searchBytes = if maxLineBytes == Long.MaxValue then maxLineBytes else maxLineBytes + 1

  def hasNext: Boolean =
    skipBlanks()
    !source.exhausted

  def next(): A =
    if !hasNext then throw java.util.NoSuchElementException("the source has no more lines of JSON")
    val end = source.indexOf('\n'.toByte, 0, searchBytes)
    val count =
      if end >= 0 then end
      else if source.request(searchBytes) then
        throw TooLargeException("a line of JSON", searchBytes, maxLineBytes)
      else source.buffer.size
    try parse(source, count)
    catch
      case e: Throwable =>
        source.skip(count)
        throw e

  /** Skips blanks and line ends before a value, which no limit bounds. */
  private def skipBlanks(): Unit =
    while source.request(1) && isBlank(source.buffer(0)) do source.skip(1)

  private def isBlank(byte: Byte): Boolean =
    byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'
end JsonLines
