package undercroft.exchange
package internal.trades

import java.io.{FilterInputStream, InputStream}
import java.util.zip.{GZIPInputStream, ZipException}

/** All members of a gzip stream. The JDK's stream ends without an error at a member whose header is
  * damaged; this one throws a ZipException if any byte follows the last member.
  */
private[exchange] final class GzipMembers private (compressed: GzipMembers.Counted)
    extends GZIPInputStream(compressed, GzipMembers.BufferBytes):
  private var bytesAtFill = 0L

  override protected def fill(): Unit =
    super.fill()
    bytesAtFill = compressed.bytes

  override def read(bytes: Array[Byte] | Null, from: Int, count: Int): Int =
    val read = super.read(bytes, from, count)
    if read < 0 then checkEnd()
    read

  private def checkEnd(): Unit =
    val buffered = inf.getRemaining.toLong
    val trailing = GzipMembers.TrailerBytes
    val end = bytesAtFill + (trailing - buffered).max(0)
    if buffered > trailing || compressed.bytes > end || compressed.read() >= 0 then
      throw ZipException("the bytes after a gzip member are not a further member")
end GzipMembers

private[exchange] object GzipMembers:
  private inline val BufferBytes = 0x10000
  private inline val TrailerBytes = 8L

  def apply(compressed: InputStream): GzipMembers = new GzipMembers(Counted(compressed))

  /** Counts the bytes that were read. */
  private final class Counted(input: InputStream) extends FilterInputStream(input):
    var bytes = 0L

    override def read(): Int =
      val byte = super.read()
      if byte >= 0 then bytes += 1
      byte

    override def read(target: Array[Byte] | Null, from: Int, count: Int): Int =
      val read = super.read(target, from, count)
      if read > 0 then bytes += read
      read
end GzipMembers
