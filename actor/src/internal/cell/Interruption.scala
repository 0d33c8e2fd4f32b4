package undercroft.actor
package internal.cell

import internal.dispatch.{Clock, HelperThreads}
import scala.concurrent.duration.DurationLong

/** Interrupts the thread of an actor that is to stop, if its handler still runs after a time, and
  * then the handlers of its descendants that have a thread of their own. It follows the request to
  * stop in the queue of system messages.
  *
  * {{{
  *            afterNanos                      GraceNanos
  *   waiting ------------> delivered -----------------------> reported: the handler ignores it
  *      |                      |                                 |
  *      v                      v                                 v
  *     over: the actor executes this message, after its handler and before its next one, or it
  *           stops otherwise, and `PostStop` is next
  * }}}
  *
  * An interrupt is delivered, and the actor enters `over` and clears the interrupt status, under
  * the lock of this object: so it hits no handler after that.
  */
private[actor] final class Interruption(cell: ActorCell[?], afterNanos: Long)
    extends SystemMessage,
      Runnable:

  @volatile private var isEnded = false

  /** Whether the actor has executed this message, or stops by itself. */
  private def isOver: Boolean = isEnded || cell.isEndingVolatile

  /** The interrupted thread, from just before the interrupt. */
  @volatile private var thread: Thread | Null = null
  @volatile private var timer: Clock.Scheduled | Null = null

  def isDelivered: Boolean = thread != null
  override def isInterrupt: Boolean = isDelivered

  /** Stops the actor, and begins to wait. Thread-safe. */
  def begin(): Unit =
    cell.tellSystem(Lifecycle.Stop(SignalContext.here(cell))): Unit
    if cell.tellSystem(this) && cell.runner.keepsThread then again(afterNanos)

  def apply(cell: ActorCell[?]): Unit =
    finish()
    Lifecycle.beginStop(cell, null)
    val family = cell.familyOrNull
    if family != null then for child <- family.all do Interruption(child, afterNanos).begin()

  override def tooLate(cell: ActorCell[?]): Unit = finish()

  private def finish(): Unit =
    endInterrupt()
    val waiting = timer
    if waiting != null then waiting.cancel()

  /** It waits for a delivery that has begun. */
  override def endInterrupt(): Unit = synchronized:
    isEnded = true
    if isDelivered then
      val _ = Thread.interrupted()

  private def again(nanos: Long): Unit =
    val next = cell.system.clock.schedule(nanos, this)
    timer = next
    if isOver then next.cancel()

  /** The time has passed. Called by the clock, whose thread must not wait: an interrupt may close a
    * channel. In a simulation no handler blocks.
    */
  def run(): Unit =
    if !isOver && !cell.system.engine.isSimulated then
      HelperThreads.execute(() => if isDelivered then report() else deliver())

  private def deliver(): Unit =
    synchronized:
      val target = cell.ownerVolatile
      if !isOver && target != null then
        thread = target
        target.interrupt()
    if isDelivered then again(Interruption.GraceNanos)

  /** The handler still runs: it ignores interrupts. */
  private def report(): Unit =
    val target = thread
    if target != null then
      val (state, stack) = (target.getState, target.getStackTrace.toSeq)
      if !isOver then
        val time = (afterNanos + Interruption.GraceNanos).nanos.toCoarsest
        ActorEvent.logger.log(
          System.Logger.Level.WARNING,
          s"${cell.name} was interrupted to stop, and its handler still runs after " +
            s"${Interruption.GraceNanos.nanos.toCoarsest}"
        )
        cell.system.report(ActorEvent.Stalled(cell, time, state, stack))
end Interruption

private[actor] object Interruption:
  /** How long a handler may run after the interrupt before it is reported. */
  inline val GraceNanos = 1_000_000_000L
