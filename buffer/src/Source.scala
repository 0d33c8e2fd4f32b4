package undercroft.buffer

import scala.annotation.publicInBinary

/** Where bytes come from. For one thread at a time. */
trait Source extends AutoCloseable:
  /** Moves at least one and at most `byteCount` bytes to the end of `sink`, as many as there are
    * without waiting for more; -1 at the end of the input.
    */
  def read(sink: Buffer, byteCount: Long): Long

  /** How long it may wait. [[Timeout.none]] of what never waits, and of what is not told. */
  def timeout: Timeout = Timeout.none

  /** Frees what it holds. A second close does nothing. */
  def close(): Unit

extension (source: Source)
  /** The same bytes, with everything a [[BufferedSource]] can do. */
  def buffered(using SegmentPool): BufferedSource = SourceBuffer(source)

/** Where bytes go. For one thread at a time. */
trait Sink extends AutoCloseable:
  /** Takes `byteCount` bytes from the beginning of `source`; an [[EndOfInputException]] if it has
    * fewer, and then none.
    */
  def write(source: Buffer, byteCount: Long): Unit

  /** Hands everything on to where it is going. */
  def flush(): Unit

  /** How long it may wait. [[Timeout.none]] of what never waits, and of what is not told. */
  def timeout: Timeout = Timeout.none

  /** Hands everything on, and frees what it holds. A second close does nothing. */
  def close(): Unit

extension (sink: Sink)
  /** The same, with everything a [[BufferedSink]] can do. */
  def buffered(using SegmentPool): BufferedSink = SinkBuffer(sink)

object Sink:
  /** Takes everything and keeps nothing. */
  def blackhole(): Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit = source.skip(byteCount)
    def flush(): Unit = ()
    def close(): Unit = ()

/** A [[Source]] and what it gave so far, read through a buffer. */
private[buffer] final class SourceBuffer(source: Source)(using SegmentPool) extends BufferedSource:
  val buffer: Buffer = Buffer()
  private var open = true

  override def timeout: Timeout = source.timeout

  def request(byteCount: Long): Boolean =
    checkOpen()
    Search.checkCount(byteCount)
    while buffer.size < byteCount && source.read(buffer, SourceBuffer.ReadBytes) != -1 do ()
    buffer.size >= byteCount

  def skip(byteCount: Long): Unit =
    Search.checkCount(byteCount)
    var rest = byteCount
    while rest > 0 do
      if !request(1) then throw buffer.ended(s"$rest more bytes to skip")
      val some = Math.min(rest, buffer.size)
      buffer.drop(some)
      rest -= some

  private[buffer] def readNumber(bytes: Int, little: Boolean): Long =
    if buffer.size < bytes then request(bytes): Unit
    buffer.readNumber(bytes, little)

  def read(sink: Buffer, byteCount: Long): Long =
    checkOpen()
    Search.checkCount(byteCount)
    if buffer.size == 0 && source.read(buffer, SourceBuffer.ReadBytes) == -1 then -1
    else buffer.read(sink, byteCount)

  def close(): Unit =
    if open then
      open = false
      buffer.clear()
      source.close()

  private def checkOpen(): Unit = if !open then throw ClosedException("the source")
end SourceBuffer

private[buffer] object SourceBuffer:
  /** Bytes asked for at a time. */
  val ReadBytes = 8192L

/** A [[Sink]] and what it is given next: whole segments are handed on at once. */
private[buffer] final class SinkBuffer(sink: Sink)(using SegmentPool) extends BufferedSink:
  private val own = Buffer()
  private var open = true

  /** Every operation begins with it, so that a closed sink takes nothing. */
  def buffer: Buffer = if open then own else throw ClosedException("the sink")

  override def timeout: Timeout = sink.timeout

  @publicInBinary private[buffer] def writeNumber(value: Long, bytes: Int, little: Boolean): Unit =
    buffer.writeNumber(value, bytes, little)
    written()

  def write(source: Buffer, byteCount: Long): Unit =
    buffer.write(source, byteCount)
    written()

  private[buffer] def written(): Unit =
    val whole = own.completeSegmentByteCount
    if whole > 0 then sink.write(own, whole)

  def emit(): this.type =
    val all = buffer
    if all.size > 0 then sink.write(all, all.size)
    this

  def emitCompleteSegments(): this.type =
    buffer.emitCompleteSegments(): Unit
    written()
    this

  def flush(): Unit =
    emit(): Unit
    sink.flush()

  def close(): Unit =
    if open then
      try if own.size > 0 then sink.write(own, own.size)
      finally
        open = false
        own.clear()
        sink.close()
end SinkBuffer
