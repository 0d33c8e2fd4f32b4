package undercroft.buffer.jsoniter
package internal.stream

import undercroft.buffer.{Buffer, BufferedSource, TooLargeException}

/** Values of lines; `parse` reads a value of a number of bytes. */
private[jsoniter] final class JsonLines[A](source: BufferedSource, maxLineBytes: Long)(
    parse: (Buffer, Long) => A
) extends Iterator[A]:

  def hasNext: Boolean =
    skipBlanks()
    !source.exhausted

  def next(): A =
    if !hasNext then throw java.util.NoSuchElementException("the source has no more lines of JSON")
    val end = source.indexOf('\n'.toByte, 0, maxLineBytes + 1)
    val count =
      if end >= 0 then end
      else if source.request(maxLineBytes + 1) then
        throw TooLargeException("a line of JSON", maxLineBytes + 1, maxLineBytes)
      else source.buffer.size
    val line = Buffer(using source.buffer.pool)
    try
      line.write(source, count)
      parse(line, count)
    finally line.clear()

  /** Skips blanks and line ends before a value, which no limit bounds. */
  private def skipBlanks(): Unit =
    while source.request(1) && isBlank(source.buffer(0)) do source.skip(1)

  private def isBlank(byte: Byte): Boolean =
    byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'
end JsonLines
