package undercroft.buffer

import internal.codec.Search
import internal.io.{Closing, ConcatenatedSource, LimitedSource, Progress, TeeSource}
import scala.annotation.publicInBinary

/** Supplies a stream of bytes. For one thread at a time.
  *
  * {{{
  * final class Zeros extends Source:
  *   def read(sink: Buffer, byteCount: Long): Long =
  *     sink.writeByte(0)
  *     1
  *   def close(): Unit = ()
  *
  * println(Zeros().buffered.readInt())
  * }}}
  */
trait Source extends AutoCloseable:
  /** Moves at least one and at most `byteCount` bytes to the end of `sink`, without waiting for
    * more than the first; returns -1 at the end of the input.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val source = ByteArrayInputStream("abc".getBytes).source()
    * val buffer = Buffer()
    * while source.read(buffer, 8192) != -1 do ()
    * println(buffer.readUtf8()) // abc
    * }}}
    */
  def read(sink: Buffer, byteCount: Long): Long

  /** The timeout of reads. [[Timeout.none]] if the source never waits, or does not support
    * timeouts.
    */
  def timeout: Timeout = Timeout.none

  /** Closes the source and releases its resources; idempotent. */
  def close(): Unit
end Source

extension (source: Source)
  /** A [[BufferedSource]] over this source.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * val input = ByteArrayInputStream("one\ntwo\n".getBytes).source().buffered
    * println(input.readUtf8Line()) // one
    * }}}
    */
  def buffered(using SegmentPool): BufferedSource = SourceBuffer(source)

  /** A source of at most the next `maxBytes` bytes of this one: it takes no byte beyond them, and
    * ends earlier if this source does. Closing it closes this source; with bytes to follow, leave
    * it open.
    *
    * {{{
    * val input = Buffer().writeUtf8("headbody")
    * println(input.limited(4).buffered.readUtf8()) // head
    * println(input.readUtf8()) // body
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `maxBytes` is negative
    */
  def limited(maxBytes: Long): Source =
    if maxBytes < 0 then
      throw IllegalArgumentException(s"maxBytes must be at least 0, but is $maxBytes")
    LimitedSource(source, maxBytes)

  /** A source of the same bytes that also writes them to `target`, by segments, before a read
    * returns them. If that write fails, the read throws its error, and the next read repeats the
    * rest of the write first. Closing it closes this source, not `target`.
    *
    * {{{
    * val log = Buffer()
    * val input = Buffer().writeUtf8("price 251").tee(log).buffered
    * println(input.readUtf8()) // price 251
    * println(log.readUtf8()) // price 251
    * }}}
    */
  def tee(target: Sink)(using SegmentPool): Source = TeeSource(source, target)
end extension

object Source:
  /** The bytes of several sources, one after another. Each is closed when it has ended; closing the
    * concatenation closes all others. Its timeout is that of the current source.
    *
    * {{{
    * val parts = List("one ", "two").map(Buffer().writeUtf8(_))
    * println(Source.concat(parts*).buffered.readUtf8()) // one two
    * }}}
    */
  def concat(sources: Source*): Source = ConcatenatedSource(sources.iterator, isOwner = true)

  /** The same for sources of an iterator, each taken when the one before has ended, so that one
    * file is open at a time. Closing the concatenation closes the current source, and takes no
    * other.
    */
  def concat(sources: Iterator[Source]): Source = ConcatenatedSource(sources, isOwner = false)
end Source

/** Receives a stream of bytes. For one thread at a time.
  *
  * {{{
  * final class Counter(next: Sink) extends Sink:
  *   var count = 0L
  *   def write(source: Buffer, byteCount: Long): Unit =
  *     next.write(source, byteCount)
  *     count += byteCount
  *   def flush(): Unit = next.flush()
  *   def close(): Unit = next.close()
  *
  * val counter = Counter(Sink.blackhole())
  * counter.buffered.writeUtf8("hello").flush()
  * println(counter.count) // 5
  * }}}
  */
trait Sink extends AutoCloseable:
  /** Consumes `byteCount` bytes from the beginning of `source`; if it has fewer, throws an
    * [[EndOfInputException]] and consumes none.
    */
  def write(source: Buffer, byteCount: Long): Unit

  /** Passes all buffered bytes to their destination. */
  def flush(): Unit

  /** The timeout of writes. [[Timeout.none]] if the sink never waits, or does not support timeouts.
    */
  def timeout: Timeout = Timeout.none

  /** Passes all buffered bytes on, closes the sink and releases its resources; idempotent. */
  def close(): Unit

extension (sink: Sink)
  /** A [[BufferedSink]] over this sink.
    *
    * {{{
    * import java.io.ByteArrayOutputStream
    * val stream = ByteArrayOutputStream()
    * val output = stream.sink().buffered
    * output.writeUtf8("price ").writeDecimalLong(251).flush()
    * println(stream) // price 251
    * }}}
    */
  def buffered(using SegmentPool): BufferedSink = SinkBuffer(sink)

object Sink:
  /** A sink that discards all bytes.
    *
    * {{{
    * println(Buffer().writeUtf8("abc").readAll(Sink.blackhole())) // 3
    * }}}
    */
  def blackhole(): Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit = source.skip(byteCount)
    def flush(): Unit = ()
    def close(): Unit = ()

/** A [[Source]] with a buffer of bytes that were read ahead. */
private[buffer] final class SourceBuffer(source: Source)(using SegmentPool) extends BufferedSource:
  val buffer: Buffer = Buffer()
  @volatile private var open = true

  /** Whether a thread reads the source into the buffer: after a close meanwhile, that thread clears
    * the buffer.
    */
  @volatile private var isFilling = false

  override def timeout: Timeout = source.timeout

  def request(byteCount: Long): Boolean =
    checkOpen()
    Search.checkCount(byteCount)
    byteCount < buffer.front.size || requestMore(byteCount)

  private def requestMore(byteCount: Long): Boolean =
    while buffer.size < byteCount && fill() != -1 do ()
    buffer.size >= byteCount

  private def fill(): Long =
    isFilling = true // before the check: a close sees this read, or the read sees the close
    try
      checkOpen()
      val count = Progress.read(source, buffer, SourceBuffer.ReadBytes)
      checkOpen() // the close of another thread may have ended the read
      count
    finally
      isFilling = false
      if !open then clear()

  def skip(byteCount: Long): Unit = if !buffer.dropInFront(byteCount) then skipMore(byteCount)

  private def skipMore(byteCount: Long): Unit =
    Search.checkCount(byteCount)
    var rest = byteCount
    while rest > 0 do
      if !request(1) then
        throw buffer.ended(s"$rest more ${if rest == 1 then "byte" else "bytes"} to skip")
      val step = Math.min(rest, buffer.size)
      buffer.drop(step)
      rest -= step

  private[buffer] def readNumber(bytes: Int, little: Boolean): Long =
    if buffer.front.size < bytes && buffer.size < bytes then request(bytes): Unit
    buffer.readNumber(bytes, little)

  def read(sink: Buffer, byteCount: Long): Long =
    checkOpen()
    Search.checkCount(byteCount)
    if byteCount == 0 then 0
    else if buffer.size == 0 && fill() == -1 then -1
    else buffer.read(sink, byteCount)

  /** Ends a read of another thread that waits in the source, if the source's close does. That
    * thread must not be at work with the buffered bytes.
    */
  def close(): Unit =
    val isFirst = open
    open = false
    Closing.all(() => if isFirst then source.close(), () => if !isFilling then clear())

  /** Two threads may clear at once: the one that closes, and the one whose read ends. */
  private def clear(): Unit = synchronized(buffer.clear())

  private[buffer] def isClosed: Boolean = !open

  private def checkOpen(): Unit = if !open then throw ClosedException("the source")
end SourceBuffer

private[buffer] object SourceBuffer:
  /** Bytes requested at a time. */
  val ReadBytes = 8192L

/** A [[Sink]] with a buffer of bytes to write; full segments are passed on at once. */
private[buffer] final class SinkBuffer(sink: Sink)(using SegmentPool) extends BufferedSink:
  private val storage = Buffer()

  /** Changed with the monitor, which each write to the sink enters. */
  private var open = true

  /** Whether a thread writes the buffer to the sink: after a close meanwhile, that thread clears
    * the buffer. Used with the monitor.
    */
  private var isWriting = false

  /** The buffer; every operation uses it first, so a closed sink rejects all of them. */
  def buffer: Buffer =
    checkOpen()
    storage

  override def timeout: Timeout = sink.timeout

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    buffer.writeNumber(value, bytes, little)
    written()

  def write(source: Buffer, byteCount: Long): Unit =
    buffer.write(source, byteCount)
    written()

  private[buffer] def written(): Unit =
    val whole = storage.completeSegmentByteCount
    if whole > 0 then pass(whole)

  private def pass(byteCount: Long): Unit =
    synchronized:
      checkOpen()
      isWriting = true
    try Progress.write(sink, storage, byteCount)
    finally
      synchronized:
        isWriting = false
        if !open then storage.clear()
    checkOpen() // the close of another thread may have ended the write

  def emit(): this.type =
    val bytes = buffer
    if bytes.size > 0 then pass(bytes.size)
    this

  def emitCompleteSegments(): this.type =
    buffer.emitCompleteSegments(): Unit
    written()
    this

  def flush(): Unit =
    emit(): Unit
    sink.flush()

  /** Ends a write of another thread that waits in the sink, if the sink's close does; the buffered
    * bytes are dropped then. That thread must not be at work with the buffered bytes.
    */
  def close(): Unit =
    val (isFirst, isIdle) = synchronized:
      val before = (open, !isWriting)
      open = false
      before
    if isFirst then
      Closing.all(
        () => if isIdle && storage.size > 0 then Progress.write(sink, storage, storage.size),
        () => if isIdle then storage.clear(),
        () => sink.close()
      )

  private[buffer] def isClosed: Boolean = !open

  private def checkOpen(): Unit = if !open then throw ClosedException("the sink")
end SinkBuffer
