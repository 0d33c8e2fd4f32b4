package undercroft.buffer
package internal.io

import internal.codec.Search

/** The first bytes of another source. */
private[buffer] final class LimitedSource(source: Source, maxBytes: Long)
    extends ForwardingSource(source):
  private var rest = maxBytes

  override def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if rest == 0 && byteCount > 0 then -1
    else
      val count = super.read(sink, Math.min(byteCount, rest))
      if count > 0 then rest -= count
      count
end LimitedSource
