package undercroft.buffer

import java.io.{IOException, InterruptedIOException}
import java.util.concurrent.locks.{Condition, ReentrantLock}

/** A sink and a source: what one thread writes another reads, up to `maxBytes` of it in between.
  *
  * A writer waits while it is full, a reader while it is empty. Virtual threads wait without
  * holding their carrier. A thread that is interrupted while it waits gets an
  * InterruptedIOException and stays interrupted. The bytes are moved by segments.
  */
final class Pipe(val maxBytes: Long)(using SegmentPool):
  if maxBytes < 1 then throw IllegalArgumentException(s"a pipe of $maxBytes bytes")
  private val lock = ReentrantLock()
  private val changed: Condition = lock.newCondition()
  private val buffer = Buffer()
  private var sinkOpen = true
  private var sourceOpen = true
  private var canceled = false

  /** What is written here can be read from [[source]]. After the source's close nobody would read
    * it, which is an IOException.
    */
  val sink: Sink = new Sink:
    def write(source: Buffer, byteCount: Long): Unit = locked:
      source.checkRange(0, byteCount)
      var rest = byteCount
      while rest > 0 do
        checkWritable()
        val room = maxBytes - buffer.size
        if room == 0 then await()
        else
          val some = Math.min(room, rest)
          buffer.write(source, some)
          rest -= some
          changed.signalAll()

    /** Waits until all of it was read. */
    def flush(): Unit = locked:
      checkWritable()
      while buffer.size > 0 && sourceOpen && !canceled do await()
      if buffer.size > 0 then checkWritable()

    def close(): Unit = locked:
      sinkOpen = false
      changed.signalAll()

  /** Ends after the sink's close and the last byte. */
  val source: Source = new Source:
    def read(sink: Buffer, byteCount: Long): Long = locked:
      if !sourceOpen then throw ClosedException("the pipe's source")
      checkCanceled()
      while buffer.size == 0 && sinkOpen do
        await()
        checkCanceled()
      val some = buffer.read(sink, byteCount)
      changed.signalAll()
      some

    def close(): Unit = locked:
      sourceOpen = false
      buffer.clear()
      changed.signalAll()

  /** Ends both sides with an IOException, those that wait now and all later. */
  def cancel(): Unit = locked:
    canceled = true
    buffer.clear()
    changed.signalAll()

  private def checkWritable(): Unit =
    if !sinkOpen then throw ClosedException("the pipe's sink")
    checkCanceled()
    if !sourceOpen then throw IOException("the pipe's source is closed")

  private def checkCanceled(): Unit = if canceled then throw IOException("the pipe was canceled")

  private def await(): Unit =
    try changed.await()
    catch
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw InterruptedIOException("interrupted while waiting for the pipe's other side")

  private inline def locked[A](inline body: A): A =
    lock.lock()
    try body
    finally lock.unlock()
end Pipe
