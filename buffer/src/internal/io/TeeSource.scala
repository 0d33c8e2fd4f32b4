package undercroft.buffer
package internal.io

import internal.codec.Search

/** Writes the bytes of a source to a sink before it returns them. Bytes that the sink did not take
  * stay here, and the next read passes them on first.
  */
private[buffer] final class TeeSource(source: Source, target: Sink)(using SegmentPool)
    extends ForwardingSource(source):
  private val bytes = Buffer()
  private val copies = Buffer()
  private var open = true

  override def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the source")
    if byteCount > 0 && bytes.isEmpty then
      try super.read(bytes, byteCount): Unit
      finally bytes.copyTo(copies)
    if !copies.isEmpty then Progress.write(target, copies, copies.size)
    if byteCount == 0 then 0 else bytes.read(sink, byteCount)

  override def close(): Unit =
    open = false
    bytes.clear()
    copies.clear()
    super.close()
end TeeSource
