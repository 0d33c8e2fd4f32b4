package undercroft.buffer

/** A source that passes each call to another source; a subclass overrides the calls that differ.
  * Thread safety, cost and errors are the other source's properties.
  *
  * An `export` clause is not a replacement: it does not forward `timeout`, which [[Source]]
  * defines.
  *
  * {{{
  * final class CountingSource(source: Source) extends ForwardingSource(source):
  *   var count = 0L
  *   override def read(sink: Buffer, byteCount: Long): Long =
  *     val bytes = super.read(sink, byteCount)
  *     if bytes > 0 then count += bytes
  *     bytes
  *
  * val counting = CountingSource(Buffer().writeUtf8("price"))
  * println(counting.buffered.readUtf8()) // price
  * println(counting.count) // 5
  * }}}
  */
open class ForwardingSource(source: Source) extends Source:
  def read(sink: Buffer, byteCount: Long): Long = source.read(sink, byteCount)
  override def timeout: Timeout = source.timeout
  def close(): Unit = source.close()

/** A sink that passes each call to another sink; a subclass overrides the calls that differ. Thread
  * safety, cost and errors are the other sink's properties.
  *
  * {{{
  * final class FlushCounter(sink: Sink) extends ForwardingSink(sink):
  *   var flushes = 0
  *   override def flush(): Unit =
  *     super.flush()
  *     flushes += 1
  *
  * val counter = FlushCounter(Sink.blackhole())
  * counter.buffered.writeUtf8("price").flush()
  * println(counter.flushes) // 1
  * }}}
  */
open class ForwardingSink(sink: Sink) extends Sink:
  def write(source: Buffer, byteCount: Long): Unit = sink.write(source, byteCount)
  def flush(): Unit = sink.flush()
  override def timeout: Timeout = sink.timeout
  def close(): Unit = sink.close()
