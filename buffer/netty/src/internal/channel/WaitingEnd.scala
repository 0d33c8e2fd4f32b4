package undercroft.buffer.netty
package internal.channel

import io.netty.channel.Channel
import java.io.IOException
import java.util.concurrent.locks.{Condition, ReentrantLock}
import undercroft.buffer.Timeout

/** The shared part of a channel's source and sink: a lock whose condition the event loop signals,
  * and the first error.
  */
private[netty] abstract class WaitingEnd(channel: Channel, name: String):
  private val lock = ReentrantLock()
  protected final val changed: Condition = lock.newCondition().nn
  protected final val limit: Timeout = Timeout()
  protected final var failure: Throwable | Null = null

  protected final inline def locked[A](inline body: A): A =
    lock.lock()
    try body
    finally lock.unlock()

  protected final def fail(cause: Throwable): Unit = locked:
    if failure eq null then failure = cause
    changed.signalAll()

  protected final def checkThread(): Unit =
    if channel.eventLoop.inEventLoop then
      throw IllegalStateException(
        s"$name of $channel cannot wait on a thread of the channel's event loop: use another thread"
      )

  protected final def checkFailure(): Unit =
    val cause = failure
    if cause ne null then throw IOException(s"$name of $channel failed: $cause", cause)
end WaitingEnd
