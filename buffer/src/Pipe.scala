package undercroft.buffer

import internal.codec.Search
import internal.io.Progress
import java.io.IOException
import java.util.concurrent.locks.{Condition, ReentrantLock}

/** A sink and a source connected by a buffer of up to `maxBytes`, for a writer and a reader thread.
  *
  * A writer waits while it is full, a reader while it is empty, each for the timeout of its side; a
  * flush does not wait for a reader. Waiting virtual threads release their carrier. A thread that
  * is interrupted while it waits gets an InterruptedIOException and stays interrupted. Bytes are
  * moved by segments.
  *
  * {{{
  * val pipe = Pipe(maxBytes = 1024)
  * Thread.startVirtualThread: () =>
  *   pipe.sink.write(Buffer().writeUtf8("hello"), 5)
  *   pipe.sink.close()
  * println(pipe.source.buffered.readUtf8())
  * }}}
  */
final class Pipe(val maxBytes: Long)(using SegmentPool):
  if maxBytes < 1 then
    throw IllegalArgumentException(s"maxBytes must be at least 1, but is $maxBytes")
  private val lock = ReentrantLock()
  private val changed: Condition = lock.newCondition()
  private val buffer = Buffer()
  private var sinkOpen = true
  private var sourceOpen = true
  private var canceled = false

  /** The bytes that were in the pipe when the source was closed. */
  private var unread = 0L

  /** The destination of all bytes after a fold. */
  @volatile private var folded: Sink | Null = null

  /** The writer's side: its bytes can be read from [[source]]. After the source is closed a write
    * throws an IOException.
    *
    * {{{
    * import java.io.IOException
    * val pipe = Pipe(maxBytes = 1024)
    * pipe.source.close()
    * try pipe.sink.write(Buffer().writeUtf8("abc"), 3)
    * catch case error: IOException => println(error.getMessage) // the pipe's source is closed
    * }}}
    */
  val sink: Sink = new Sink:
    override val timeout: Timeout = Timeout()

    def write(source: Buffer, byteCount: Long): Unit =
      source.require(byteCount)
      val moved = locked(enqueue(source, byteCount))
      val target = folded
      if moved < byteCount && target != null then
        limited(target)(target.write(source, byteCount - moved))

    /** Flushes the sink that a folded pipe passes bytes to. Otherwise does nothing, because the
      * bytes are already available to the source, and does not wait for a reader.
      */
    def flush(): Unit =
      locked(checkWritable())
      val target = folded
      if target != null then limited(target)(target.flush())

    /** Uses the fold's sink within its own timeout and that of this sink. */
    private inline def limited(target: Sink)(inline body: Unit): Unit =
      target.timeout.intersectWith(timeout)(body)

    /** Closes the sink; idempotent. Throws an IOException if the source was closed before it had
      * read all bytes: they are lost.
      */
    def close(): Unit =
      val first = locked:
        val before = sinkOpen
        sinkOpen = false
        changed.signalAll()
        before
      val target = folded
      if first && target != null then limited(target)(target.close())
      if first && unread > 0 then
        throw IOException(s"the pipe's source was closed before it had read the last $unread bytes")

    /** Moves bytes into the pipe until it is folded; returns their number. */
    private def enqueue(source: Buffer, byteCount: Long): Long =
      var moved = 0L
      val cancels = timeout.cancelCount
      checkWritable()
      while moved < byteCount && folded == null do
        checkWritable()
        val step = Math.min(maxBytes - buffer.size, byteCount - moved)
        if step == 0 then timeout.awaitSignalInCall(changed, cancels)
        else
          buffer.write(source, step)
          moved += step
          changed.signalAll()
      moved

  /** The reader's side: ends after the sink is closed and the last byte is read.
    *
    * {{{
    * val pipe = Pipe(maxBytes = 1024)
    * pipe.sink.write(Buffer().writeUtf8("abc"), 3)
    * pipe.sink.close()
    * println(pipe.source.buffered.readUtf8()) // abc
    * }}}
    */
  val source: Source = new Source:
    override val timeout: Timeout = Timeout()

    def read(sink: Buffer, byteCount: Long): Long = locked:
      Search.checkCount(byteCount)
      if !sourceOpen then throw ClosedException("the pipe's source")
      checkCanceled()
      val cancels = timeout.cancelCount
      while buffer.size == 0 && sinkOpen && byteCount != 0 do
        timeout.awaitSignalInCall(changed, cancels)
        checkCanceled()
        if !sourceOpen then throw ClosedException("the pipe's source")
      val count = if byteCount == 0 then 0 else buffer.read(sink, byteCount)
      changed.signalAll()
      count

    def close(): Unit = locked:
      if sourceOpen && sinkOpen then unread = buffer.size
      sourceOpen = false
      buffer.clear()
      changed.signalAll()

  /** Closes the source and redirects the pipe's bytes, and all later writes, to a sink. That sink
    * is closed with the pipe's sink, or at once if the pipe's sink is closed. Does not wait for a
    * reader. If the sink fails, the pipe is canceled. On a canceled pipe it throws, and `target` is
    * still closed with the pipe's sink. A second fold throws an IllegalStateException.
    *
    * {{{
    * val pipe = Pipe(maxBytes = 1024)
    * pipe.sink.write(Buffer().writeUtf8("head "), 5)
    * val file = Buffer()
    * pipe.fold(file)
    * pipe.sink.write(Buffer().writeUtf8("body"), 4)
    * println(file.readUtf8()) // head body
    * }}}
    */
  def fold(target: Sink): Unit =
    var last = false
    while !last do
      val left = Buffer()
      val ends = locked:
        if folded != null then throw IllegalStateException("the pipe is already folded")
        if canceled then abandon(target, canceledError)
        if !sourceOpen then throw ClosedException("the pipe's source")
        if buffer.size == 0 then
          folded = target
          sourceOpen = false
          last = true
        else left.write(buffer, buffer.size)
        changed.signalAll()
        !sinkOpen
      try
        if !last then
          Progress.write(target, left, left.size)
          target.flush()
        else if ends then target.close()
      catch
        case e: Throwable =>
          left.clear()
          cancel()
          if last then throw e else abandon(target, e)
    end while
  end fold

  /** Cancels both sides: current and later calls throw an IOException.
    *
    * {{{
    * val pipe = Pipe(maxBytes = 1024)
    * pipe.cancel()
    * try println(pipe.source.read(Buffer(), 1))
    * catch case error: java.io.IOException => println(error.getMessage) // the pipe was canceled
    * }}}
    */
  def cancel(): Unit = locked:
    canceled = true
    buffer.clear()
    changed.signalAll()

  /** Ends a failed fold: its sink is closed with the pipe's sink, or now if that is closed. */
  private def abandon(target: Sink, error: Throwable): Nothing =
    val ends = locked:
      folded = target
      sourceOpen = false
      !sinkOpen
    try if ends then target.close()
    catch case e: Throwable => if e ne error then error.addSuppressed(e)
    throw error

  private def canceledError = IOException("the pipe was canceled")

  private def checkWritable(): Unit =
    if !sinkOpen then throw ClosedException("the pipe's sink")
    checkCanceled()
    if !sourceOpen && folded == null then throw IOException("the pipe's source is closed")

  private def checkCanceled(): Unit = if canceled then throw canceledError

  private inline def locked[A](inline body: A): A =
    lock.lock()
    try body
    finally lock.unlock()
end Pipe
