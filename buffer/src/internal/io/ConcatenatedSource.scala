package undercroft.buffer
package internal.io

import internal.codec.Search

/** Sources one after another, each closed when it has ended.
  *
  * @param isOwner
  *   whether the close closes those that follow
  */
private[buffer] final class ConcatenatedSource(sources: Iterator[Source], isOwner: Boolean)
    extends Source:
  private var current: Source | Null = null
  private var open = true

  override def timeout: Timeout =
    val source = current
    if source == null then Timeout.none else source.timeout

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    if !open then throw ClosedException("the source")
    var count = if byteCount == 0 then 0L else -1L
    while count == -1 && advance() do
      val source = current.nn
      count = source.read(sink, byteCount)
      if count == -1 then
        current = null
        source.close()
    count

  /** Whether there is a current source. */
  private def advance(): Boolean =
    if current == null && sources.hasNext then current = sources.next()
    current != null

  def close(): Unit =
    if open then
      open = false
      val source = current
      current = null
      val others = if isOwner then sources else Iterator.empty
      val steps = Iterator(source).collect { case source: Source => source } ++ others
      Closing.all(steps.map(source => () => source.close()).toSeq*)
end ConcatenatedSource
