package undercroft.buffer

import java.io.IOException
import java.util.concurrent.locks.{Condition, ReentrantLock}

/** A sink and a source: what one thread writes another reads, up to `maxBytes` of it in between.
  *
  * A writer waits while it is full, a reader while it is empty, each as long as the timeout of its
  * side allows. Virtual threads wait without holding their carrier. A thread that is interrupted
  * while it waits gets an InterruptedIOException and stays interrupted. The bytes are moved by
  * segments.
  */
final class Pipe(val maxBytes: Long)(using SegmentPool):
  if maxBytes < 1 then throw IllegalArgumentException(s"a pipe of $maxBytes bytes")
  private val lock = ReentrantLock()
  private val changed: Condition = lock.newCondition()
  private val buffer = Buffer()
  private var sinkOpen = true
  private var sourceOpen = true
  private var canceled = false

  /** Where everything goes since the fold. */
  @volatile private var folded: Sink | Null = null

  /** What is written here can be read from [[source]]. After the source's close nobody would read
    * it, which is an IOException.
    */
  val sink: Sink = new Sink:
    override val timeout: Timeout = Timeout()

    def write(source: Buffer, byteCount: Long): Unit =
      source.checkRange(0, byteCount)
      val moved = locked(enqueue(source, byteCount))
      val target = folded
      if moved < byteCount && target != null then
        timeout.intersectWith(target.timeout)(target.write(source, byteCount - moved))

    /** Waits until all of it was read. */
    def flush(): Unit =
      locked:
        checkWritable()
        while folded == null && buffer.size > 0 && sourceOpen && !canceled do
          timeout.awaitSignal(changed)
        if buffer.size > 0 then checkWritable()
      val target = folded
      if target != null then target.flush()

    def close(): Unit =
      val first = locked:
        val before = sinkOpen
        sinkOpen = false
        changed.signalAll()
        before
      val target = folded
      if first && target != null then target.close()

    /** Moves bytes into the pipe, until the fold; how many. */
    private def enqueue(source: Buffer, byteCount: Long): Long =
      var moved = 0L
      checkWritable()
      while moved < byteCount && folded == null do
        checkWritable()
        val some = Math.min(maxBytes - buffer.size, byteCount - moved)
        if some == 0 then timeout.awaitSignal(changed)
        else
          buffer.write(source, some)
          moved += some
          changed.signalAll()
      moved

  /** Ends after the sink's close and the last byte. */
  val source: Source = new Source:
    override val timeout: Timeout = Timeout()

    def read(sink: Buffer, byteCount: Long): Long = locked:
      if !sourceOpen then throw ClosedException("the pipe's source")
      checkCanceled()
      while buffer.size == 0 && sinkOpen do
        timeout.awaitSignal(changed)
        checkCanceled()
        if !sourceOpen then throw ClosedException("the pipe's source")
      val some = buffer.read(sink, byteCount)
      changed.signalAll()
      some

    def close(): Unit = locked:
      sourceOpen = false
      buffer.clear()
      changed.signalAll()

  /** Closes the source, and sends what is in the pipe and all that is written later straight to a
    * sink, which is closed with this pipe's. Waits for no reader. If the sink fails the pipe is
    * canceled. A second fold is an IllegalStateException.
    */
  def fold(target: Sink): Unit =
    var last = false
    while !last do
      val left = Buffer()
      val ends = locked:
        if folded != null then throw IllegalStateException("the pipe is folded already")
        checkCanceled()
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
          target.write(left, left.size)
          target.flush()
        else if ends then target.close()
      catch
        case e: Throwable =>
          left.clear()
          cancel()
          throw e
    end while
  end fold

  /** Ends both sides with an IOException, those that wait now and all later. */
  def cancel(): Unit = locked:
    canceled = true
    buffer.clear()
    changed.signalAll()

  private def checkWritable(): Unit =
    if !sinkOpen then throw ClosedException("the pipe's sink")
    checkCanceled()
    if !sourceOpen && folded == null then throw IOException("the pipe's source is closed")

  private def checkCanceled(): Unit = if canceled then throw IOException("the pipe was canceled")

  private inline def locked[A](inline body: A): A =
    lock.lock()
    try body
    finally lock.unlock()
end Pipe
