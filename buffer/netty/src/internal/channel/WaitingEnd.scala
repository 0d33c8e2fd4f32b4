package undercroft.buffer.netty
package internal.channel

import io.netty.channel.{Channel, ChannelFuture, ChannelFutureListener}
import io.netty.util.concurrent.{Future, FutureListener}
import java.io.IOException
import java.nio.channels.ClosedChannelException
import java.util.concurrent.RejectedExecutionException
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

  private var isClosed = false

  /** The termination of the event loop that wakes the waits of this end. */
  private var watched: Future[Object] | Null = null

  /** Called on a thread of Netty's global executor, which outlives the event loop. */
  private val termination: FutureListener[Object] = (_: Future[Object]) =>
    locked(changed.signalAll())

  /** Waits for a change within the limit, and fails if there can be none: because the channel is
    * closed, or because its event loop has terminated, which then calls no listener and may leave
    * the channel open. The caller holds the lock; its call began when the limit's `cancelCount` was
    * `callCancels`.
    */
  protected final def awaitChange(callCancels: Int): Unit =
    val terminated = channel.eventLoop.terminationFuture.asInstanceOf[Future[Object]]
    if terminated.isDone then fail(IOException("its event loop has terminated"))
    else if isClosed then fail(ClosedChannelException())
    else
      if terminated ne watched then watch(terminated)
      limit.awaitSignalInCall(changed, callCancels)

  private def watch(terminated: Future[Object]): Unit =
    watched = terminated
    terminated.addListener(termination)
    afterClose: () =>
      terminated.removeListener(termination)
      closed()

  /** Runs `action` on the event loop after the channel was closed, failed its writes, each with its
    * cause, and passed the close to its handlers, which may pass on their last bytes then.
    */
  protected final def afterClose(action: () => Unit): Unit =
    val closing: ChannelFutureListener =
      (_: ChannelFuture) => afterEvents(action, WaitingEnd.MaxTurns)
    channel.closeFuture.addListener(closing): Unit

  /** Netty completes the future of a close first. It passes the close to the handlers in a later
    * turn of the event loop, which also unregisters the channel.
    */
  private def afterEvents(action: () => Unit, turns: Int): Unit =
    try
      channel.eventLoop.execute: () =>
        if turns > 1 && channel.isRegistered then afterEvents(action, turns - 1) else action()
    catch case _: RejectedExecutionException => action()

  private def closed(): Unit = locked:
    isClosed = true
    changed.signalAll()

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

private[netty] object WaitingEnd:
  /** Limit of the turns of the event loop until a closed channel is unregistered, usually two. */
  private val MaxTurns = 100
