package undercroft.buffer

import java.io.InterruptedIOException
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.locks.Condition
import scala.concurrent.duration.{Duration, FiniteDuration}

/** Limits the waits of a source or a sink: a timeout for each call, a deadline for all calls, or
  * the earlier of both. Without either, waits are unlimited.
  *
  * Set by the thread that uses the source or sink; [[cancel]] is thread-safe. A wait beyond the
  * limit throws a [[TimedOutException]]; a thread that is interrupted while it waits gets an
  * InterruptedIOException and stays interrupted. Waiting virtual threads release their carrier.
  *
  * An interrupt does not end a read or write of a Socket on a platform thread: the JDK waits on. It
  * ends on a virtual thread, and that of a SocketChannel on every thread; both are closed then. A
  * read or write of a stream cannot be ended, so its limit is checked before each one.
  *
  * {{{
  * import scala.concurrent.duration.DurationInt
  * val pipe = Pipe(maxBytes = 1024)
  * pipe.source.timeout.timeout(10.millis)
  * try println(pipe.source.read(Buffer(), 1))
  * catch case error: TimedOutException => println(error.getMessage)
  * }}}
  */
class Timeout:
  private var nanos = 0L

  /** The timeout in the unit in which it was set. */
  private var each = Duration.Zero
  private var limited = false
  private var deadlineAt = 0L
  @volatile private var cancels = 0

  /** Timeout of each call in nanoseconds; 0 for no limit.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * println(Timeout().timeout(2.millis).timeoutNanos) // 2000000
    * }}}
    */
  def timeoutNanos: Long = nanos

  /** Sets the timeout of each call; zero for no limit.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val pipe = Pipe(maxBytes = 1)
    * pipe.sink.timeout.timeout(1.millis)
    * try pipe.sink.write(Buffer().writeUtf8("abc"), 3)
    * catch case error: TimedOutException => println(error.limit) // the timeout of 1 millisecond
    * }}}
    */
  def timeout(each: FiniteDuration): this.type =
    if each.toNanos < 0 then
      throw IllegalArgumentException(s"the timeout must be at least 0, but is $each")
    nanos = each.toNanos
    this.each = each
    this

  def clearTimeout(): this.type =
    nanos = 0
    this

  def hasDeadline: Boolean = limited

  /** The deadline in terms of System.nanoTime; throws an IllegalStateException if there is none. */
  def deadlineNanoTime: Long =
    if !limited then throw IllegalStateException("there is no deadline")
    deadlineAt

  /** Sets the deadline of all calls in terms of System.nanoTime.
    *
    * {{{
    * val now = System.nanoTime
    * val timeout = Timeout().deadlineNanoTime(now + 1_000_000_000L)
    * println(timeout.deadlineNanoTime - now) // 1000000000
    * }}}
    */
  def deadlineNanoTime(at: Long): this.type =
    limited = true
    deadlineAt = at
    this

  /** Sets the deadline of all calls, relative to now.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val pipe = Pipe(maxBytes = 1024)
    * pipe.source.timeout.deadline(1.millis)
    * try println(pipe.source.read(Buffer(), 1))
    * catch case error: TimedOutException => println(error.getMessage) // the deadline has passed
    * }}}
    */
  def deadline(within: FiniteDuration): this.type =
    if within.toNanos <= 0 then
      throw IllegalArgumentException(s"the deadline must be in the future, but is in $within")
    deadlineNanoTime(System.nanoTime + within.toNanos)

  def clearDeadline(): this.type =
    limited = false
    this

  /** Throws if the deadline has passed or the thread is interrupted; the thread stays interrupted.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val timeout = Timeout().deadline(1.hour)
    * for _ <- 1 to 1000 do timeout.throwIfReached() // between the steps of a long computation
    * }}}
    */
  def throwIfReached(): Unit = throwIfReachedInCall(cancels)

  /** The same, between two parts of a call that began when [[cancelCount]] was `callCancels`: after
    * a cancel, the call has no deadline.
    */
  private[buffer] final def throwIfReachedInCall(callCancels: Int): Unit =
    if Thread.currentThread.isInterrupted then throw InterruptedIOException("interrupted")
    if limited && callCancels == cancels && deadlineAt - System.nanoTime <= 0 then
      throw TimedOutException("the deadline")

  /** Removes the limit from the calls that wait now; later calls are limited as before. A canceled
    * [[awaitSignal]] or [[waitUntilNotified]] may return when its time is up, without a signal; a
    * further wait is limited again. So are the later inner writes of a sink that divides one write
    * into several: CipherSink, the sinks of [[Compression]] and [[Throttler]].
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val pipe = Pipe(maxBytes = 1024)
    * pipe.source.timeout.timeout(1.hour)
    * pipe.source.timeout.cancel() // from any thread: a read that waits now waits without limit
    * }}}
    */
  def cancel(): Unit = synchronized { cancels += 1 }

  /** Waits until the condition is signalled, or throws when the time is up. The caller holds its
    * lock and tests its own condition again afterwards.
    *
    * {{{
    * import java.util.concurrent.locks.ReentrantLock
    * import scala.concurrent.duration.DurationInt
    * val lock = ReentrantLock()
    * val ready = lock.newCondition()
    * lock.lock()
    * try Timeout().timeout(1.millis).awaitSignal(ready)
    * catch case error: TimedOutException => println("not ready in time") // not ready in time
    * finally lock.unlock()
    * }}}
    */
  final def awaitSignal(condition: Condition): Unit = awaitSignalInCall(condition, cancels)

  /** The same, for a wait of a call that began when [[cancelCount]] was `callCancels`: after a
    * cancel, later waits of the call are unlimited. A wait that is canceled itself returns when its
    * time is up, and the caller tests its condition: it may have missed a signal.
    */
  private[buffer] final def awaitSignalInCall(condition: Condition, callCancels: Int): Unit =
    waiting(
      callCancels,
      () => condition.await(),
      nanos => condition.awaitNanos(nanos) > 0
    )

  /** Waits until the monitor is notified, or throws when the time is up. The caller holds the
    * monitor and tests its own condition again afterwards.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val monitor = Object()
    * try monitor.synchronized(Timeout().timeout(1.millis).waitUntilNotified(monitor))
    * catch case error: TimedOutException => println("not notified in time") // not notified in time
    * }}}
    */
  final def waitUntilNotified(monitor: Object): Unit =
    waiting(
      cancels,
      () => monitor.wait(),
      nanos =>
        val end = System.nanoTime + nanos
        NANOSECONDS.timedWait(monitor, nanos)
        end - System.nanoTime > 0
    )

  /** Runs `body` with the shorter timeout and the earlier deadline of this and another Timeout.
    * [[Timeout.none]] is shared by all threads and stays unchanged.
    *
    * {{{
    * import scala.concurrent.duration.DurationInt
    * val (call, request) = (Timeout().timeout(1.second), Timeout().timeout(5.millis))
    * call.intersectWith(request)(println(call.timeoutNanos)) // 5000000
    * println(call.timeoutNanos) // 1000000000
    * }}}
    */
  def intersectWith[A](other: Timeout)(body: => A): A =
    val before = (nanos, each, limited, deadlineAt)
    val that = other.current
    if that.nanos != 0 && (nanos == 0 || that.nanos < nanos) then
      nanos = that.nanos
      each = that.each
    if that.limited && (!limited || that.deadlineAt - deadlineAt < 0) then
      deadlineNanoTime(that.deadlineAt): Unit
    try body
    finally
      nanos = before(0)
      each = before(1)
      limited = before(2)
      deadlineAt = before(3)

  /** The Timeout that limits calls now: this one, unless it forwards to another. */
  private[buffer] def current: Timeout = this

  /** Whether this Timeout is `to`, or forwards to it. */
  private[buffer] def forwards(to: Timeout): Boolean = this eq to

  /** Nanoseconds that a call may still take; Long.MaxValue for no limit. */
  private[buffer] final def left(): Long =
    val limitNanos = if nanos == 0 then Long.MaxValue else nanos
    if limited then Math.min(limitNanos, deadlineAt - System.nanoTime) else limitNanos

  /** Number of calls of [[cancel]]. */
  private[buffer] final def cancelCount: Int = cancels

  private[buffer] final def isLimited: Boolean = limited || nanos != 0

  private[buffer] final def late(): TimedOutException =
    TimedOutException(
      if limited && (nanos == 0 || deadlineAt - System.nanoTime <= 0) then "the deadline"
      else s"the timeout of $each"
    )

  private inline def waiting(
      callCancels: Int,
      forever: () => Unit,
      atMost: Long => Boolean
  ): Unit =
    val limit = current
    try
      val before = limit.cancels
      if !limit.isLimited || cancels != callCancels then forever()
      else
        val nanos = limit.left()
        if (nanos <= 0 || !atMost(nanos)) && before == limit.cancels then throw limit.late()
    catch
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw InterruptedIOException("interrupted while waiting")
end Timeout

object Timeout:
  /** Held during an exchange of a delegate: two at a time could make a cycle. */
  private[buffer] val exchange = Object()

  /** The Timeout of sources and sinks that never wait; it cannot be set. */
  val none: Timeout = new Timeout:
    override def timeout(each: FiniteDuration): this.type = this
    override def deadlineNanoTime(at: Long): this.type = this
    override def deadline(within: FiniteDuration): this.type = this
    override def throwIfReached(): Unit = ()
    override def intersectWith[A](other: Timeout)(body: => A): A = body
    override def clearTimeout(): this.type = this
    override def clearDeadline(): this.type = this
    override def cancel(): Unit = ()
