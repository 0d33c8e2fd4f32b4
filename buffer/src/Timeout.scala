package undercroft.buffer

import java.io.InterruptedIOException
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.locks.Condition
import scala.concurrent.duration.FiniteDuration

/** How long a source or a sink may wait: a time for each call, a deadline for all of them, or both,
  * whichever comes first; without either, for ever.
  *
  * Set by the thread that uses the source or sink; [[cancel]] is for any thread. What is late is a
  * [[TimedOutException]], and a thread that is interrupted while it waits gets an
  * InterruptedIOException and stays interrupted. Virtual threads wait without their carrier.
  */
class Timeout:
  private var nanos = 0L
  private var limited = false
  private var deadlineAt = 0L
  @volatile private var cancels = 0

  /** Nanoseconds that each call may take; 0 for any number. */
  def timeoutNanos: Long = nanos

  /** Each call may take so long; zero for any time. */
  def timeout(each: FiniteDuration): this.type =
    if each.toNanos < 0 then throw IllegalArgumentException(s"a timeout of $each")
    nanos = each.toNanos
    this

  def clearTimeout(): this.type =
    nanos = 0
    this

  def hasDeadline: Boolean = limited

  /** By the clock of System.nanoTime; without one an IllegalStateException. */
  def deadlineNanoTime: Long =
    if !limited then throw IllegalStateException("there is no deadline")
    deadlineAt

  /** All calls have to end by this time of System.nanoTime. */
  def deadlineNanoTime(at: Long): this.type =
    limited = true
    deadlineAt = at
    this

  /** All calls have to end within this time from now. */
  def deadline(within: FiniteDuration): this.type =
    if within.toNanos <= 0 then throw IllegalArgumentException(s"a deadline within $within")
    deadlineNanoTime(System.nanoTime + within.toNanos)

  def clearDeadline(): this.type =
    limited = false
    this

  /** An error if the deadline has passed or the thread is interrupted, which it stays. */
  def throwIfReached(): Unit =
    if Thread.currentThread.isInterrupted then throw InterruptedIOException("interrupted")
    if limited && deadlineAt - System.nanoTime <= 0 then throw TimedOutException("the deadline")

  /** Lets the calls that wait now wait for ever; those after them are limited as before. */
  def cancel(): Unit = synchronized { cancels += 1 }

  /** Waits until the condition is signalled, or too late for it. The caller holds its lock, and
    * looks again at what it waits for.
    */
  final def awaitSignal(condition: Condition): Unit =
    waiting(
      () => condition.await(),
      nanos => condition.awaitNanos(nanos) > 0
    )

  /** Waits until the monitor is notified, or too late for it. The caller holds it, and looks again
    * at what it waits for.
    */
  final def waitUntilNotified(monitor: Object): Unit =
    waiting(
      () => monitor.wait(),
      nanos =>
        val end = System.nanoTime + nanos
        NANOSECONDS.timedWait(monitor, nanos)
        end - System.nanoTime > 0
    )

  /** Runs `body` with the shorter timeout and the earlier deadline of this and another one. */
  final def intersectWith[A](other: Timeout)(body: => A): A =
    val before = (nanos, limited, deadlineAt)
    if other.nanos != 0 && (nanos == 0 || other.nanos < nanos) then nanos = other.nanos
    if other.limited && (!limited || other.deadlineAt - deadlineAt < 0) then
      deadlineNanoTime(other.deadlineAt): Unit
    try body
    finally
      nanos = before(0)
      limited = before(1)
      deadlineAt = before(2)

  /** Nanoseconds from now on that a call may take; Long.MaxValue for any number. */
  private[buffer] final def left(): Long =
    val each = if nanos == 0 then Long.MaxValue else nanos
    if limited then Math.min(each, deadlineAt - System.nanoTime) else each

  private[buffer] final def isLimited: Boolean = limited || nanos != 0

  private[buffer] final def late(): TimedOutException =
    TimedOutException(
      if limited && (nanos == 0 || deadlineAt - System.nanoTime <= 0) then "the deadline"
      else s"the timeout of ${nanos / 1000} us"
    )

  private inline def waiting(forever: () => Unit, atMost: Long => Boolean): Unit =
    try
      if !isLimited then forever()
      else
        val before = cancels
        val nanos = left()
        if (nanos <= 0 || !atMost(nanos)) && before == cancels then throw late()
    catch
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw InterruptedIOException("interrupted while waiting")
end Timeout

object Timeout:
  /** Of what never waits: nothing sets it. */
  val none: Timeout = new Timeout:
    override def timeout(each: FiniteDuration): this.type = this
    override def deadlineNanoTime(at: Long): this.type = this
    override def deadline(within: FiniteDuration): this.type = this
    override def throwIfReached(): Unit = ()
