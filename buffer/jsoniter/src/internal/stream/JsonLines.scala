package undercroft.buffer.jsoniter
package internal.stream

import undercroft.buffer.{BufferedSource, ByteString, TooLargeException}

/** Values of lines; `parse` reads a value of a number of bytes, and consumes none if it fails.
  *
  * @param isGrowing
  *   whether only a line feed ends a line; otherwise the end of the input does, too
  */
private[jsoniter] final class JsonLines[A](
    source: BufferedSource,
    maxLineBytes: Long,
    isGrowing: Boolean
)(parse: (BufferedSource, Long) => A)
    extends Iterator[A]:
  // Bytes that are searched for the end of a line: its most bytes and the line end.
  private val searchBytes = if maxLineBytes == Long.MaxValue then maxLineBytes else maxLineBytes + 1

  /** Bytes of a last line without an end that was malformed: it may be a part of a longer one. */
  private var malformedBytes = 0L
  private var isAtStart = true

  def hasNext: Boolean =
    if isAtStart then
      isAtStart = false
      JsonLines.skipMark(source)
    if malformedBytes == 0 then skipBlanks()
    if isGrowing then source.indexOf('\n'.toByte, 0, searchBytes) >= 0 || isTooLong
    else source.request(malformedBytes + 1)

  def next(): A =
    if !hasNext then throw java.util.NoSuchElementException("the source has no more lines of JSON")
    val end = source.indexOf('\n'.toByte, 0, searchBytes)
    if end < 0 && isTooLong then
      throw TooLargeException("a line of JSON", searchBytes, maxLineBytes)
    val count = if end >= 0 then end else source.buffer.size
    malformedBytes = 0
    try parse(source, count)
    catch
      case e: Throwable =>
        if end >= 0 then source.skip(count) else malformedBytes = count
        throw e

  private def isTooLong: Boolean = source.request(searchBytes)

  /** Skips blanks and line ends before a value, which no limit bounds. */
  private def skipBlanks(): Unit =
    while source.request(1) && isBlank(source.buffer(0)) do source.skip(1)

  private def isBlank(byte: Byte): Boolean =
    byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'
end JsonLines

private[jsoniter] object JsonLines:
  /** U+FEFF in UTF-8. */
  private val ByteOrderMark: ByteString = ByteString.of(0xef, 0xbb, 0xbf)

  /** Skips a byte order mark, which Windows programs write. */
  def skipMark(source: BufferedSource): Unit =
    if source.rangeEquals(0, ByteOrderMark) then source.skip(ByteOrderMark.size)
