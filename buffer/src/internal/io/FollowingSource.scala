package undercroft.buffer
package internal.io

import internal.codec.Search
import java.io.{IOException, InterruptedIOException}
import java.nio.channels.{ClosedChannelException, FileChannel}
import java.util.concurrent.locks.ReentrantLock

/** Reads a file to which others append: at its end it waits for more bytes, which it looks for at
  * an interval.
  */
private[buffer] final class FollowingSource(file: FileChannel, intervalNanos: Long) extends Source:
  private val lock = ReentrantLock()
  private val closed = lock.newCondition()
  @volatile private var open = true

  override val timeout: Timeout = Timeout()

  def read(sink: Buffer, byteCount: Long): Long =
    Search.checkCount(byteCount)
    val callCancels = timeout.cancelCount
    val (begin, limitNanos) = (System.nanoTime, timeout.left())
    timeout.throwIfReached()
    var count = if byteCount == 0 then 0L else readOnce(sink, byteCount)
    while count == -1 do
      checkSize()
      val restNanos =
        if callCancels != timeout.cancelCount then Long.MaxValue
        else limitNanos - (System.nanoTime - begin)
      if restNanos <= 0 then throw timeout.late()
      await(Math.min(restNanos, intervalNanos))
      count = readOnce(sink, byteCount)
    count

  private def readOnce(sink: Buffer, byteCount: Long): Long =
    whileOpen(sink.filledInPlace(byteCount)(file.read(_)))

  private def checkSize(): Unit =
    val (position, size) = whileOpen((file.position, file.size))
    if size < position then
      throw IOException(s"the file was truncated to $size bytes after $position bytes were read")

  /** Uses the file, which another thread may close at any time. */
  private inline def whileOpen[A](inline use: A): A =
    if !open then throw ClosedException("the file's source")
    try use
    catch
      case error: ClosedChannelException if !open =>
        throw ClosedException("the file's source").initCause(error)

  private def await(nanos: Long): Unit =
    lock.lock()
    try if open then closed.awaitNanos(nanos): Unit
    catch
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw InterruptedIOException("interrupted while waiting")
    finally lock.unlock()

  def close(): Unit =
    lock.lock()
    try
      open = false
      closed.signalAll()
    finally lock.unlock()
    file.close()
end FollowingSource
