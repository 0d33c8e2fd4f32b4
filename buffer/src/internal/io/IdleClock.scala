package undercroft.buffer
package internal.io

import java.io.InputStream
import java.net.{Socket, SocketTimeoutException}
import scala.concurrent.duration.FiniteDuration

/** The time of the last byte of a socket, in either direction. */
private[buffer] final class IdleClock(socket: Socket, limit: FiniteDuration):
  if limit.toMillis < 1 || limit.toMillis > Int.MaxValue then
    throw IllegalArgumentException(
      s"the idle limit must be from 1 millisecond to ${Int.MaxValue} milliseconds, but is $limit"
    )
  @volatile private var activeAt = System.nanoTime

  /** Records that bytes have passed. */
  def active(): Unit = activeAt = System.nanoTime

  /** Reads; waits until bytes arrive, or none has passed for the limit since this call began. */
  def read(stream: InputStream, bytes: Array[Byte], from: Int, count: Int): Int =
    val begin = System.nanoTime
    var result = IdleClock.NoResult
    while result == IdleClock.NoResult do
      val now = System.nanoTime
      val idleNanos = Math.min(now - activeAt, now - begin)
      val restNanos = limit.toNanos - idleNanos
      if restNanos <= 0 then throw TimedOutException(s"the idle limit of $limit")
      socket.setSoTimeout(((restNanos + IdleClock.MilliNanos - 1) / IdleClock.MilliNanos).toInt)
      try result = stream.read(bytes, from, count)
      catch case error: SocketTimeoutException => if socket.isClosed then throw error
    active()
    result
end IdleClock

private[buffer] object IdleClock:
  private val NoResult = -2
  private val MilliNanos = 1_000_000L
