package undercroft.actor
package internal.cell

import internal.dispatch.{Clock, HelperThreads}
import scala.concurrent.duration.DurationLong

/** Interrupts the handler of an actor that is to stop, if it still runs after a time, and then the
  * handlers of its descendants in the same way. It follows the request to stop in the queue of
  * system messages.
  *
  * {{{
  *            afterNanos           the handler runs: interrupt        GraceNanos
  *   waiting ------------> trying -----------------------> delivered -----------> reported
  *      |                  |    ^                              |                      |
  *      |                  +----+ no handler runs              |                      |
  *      v                  v                                   v                      v
  *     over: the actor executes this message, after its handler and before its next one, or it
  *           stops otherwise, and `PostStop` is next
  * }}}
  *
  * An interrupt reaches no other handler: the dispatcher delivers it, and the actor enters `over`,
  * under one lock. A delivery checks under the lock that the request is not over, and that the
  * thread runs a handler of this actor. The actor clears the thread's interrupt status under the
  * lock; a worker does so too before its next turn, see `Worker.interruptHandler`. So the handler's
  * thread waits for a delivery that has begun, and later ones find the request over.
  */
private[actor] final class Interruption(val cell: ActorCell[?], afterNanos: Long)
    extends SystemMessage,
      Runnable:

  /** Written under the dispatcher's lock. */
  @volatile private var isEnded = false

  /** Whether the actor has executed this message, or stops by itself: no handler of it is to be
    * interrupted.
    */
  def isOver: Boolean = isEnded || cell.isEndingVolatile

  /** The interrupted thread, from just before the interrupt. Written under the dispatcher's lock.
    */
  @volatile private var thread: Thread | Null = null

  @volatile private var timer: Clock.Scheduled | Null = null
  private var pauseNanos = Interruption.ShortestPauseNanos
  private var isReported = false

  def isDelivered: Boolean = thread != null

  /** Interrupts `target`. Under the dispatcher's lock, while it runs a handler of the actor. */
  def deliver(target: Thread): Unit =
    thread = target
    target.interrupt()

  /** Ends this request. The actor's thread only, under the dispatcher's lock. */
  def end(): Unit =
    isEnded = true
    if isDelivered then
      val _ = Thread.interrupted()

  /** Stops the actor, and begins to wait. Thread-safe. */
  def begin(): Unit =
    if cell.pushSystemMessage(SystemMessage.Stop(SignalContext.here(cell))) then cell.wake()
    if cell.pushSystemMessage(this) then
      cell.wake()
      again(afterNanos)

  def apply(cell: ActorCell[?]): Unit =
    finish()
    Lifecycle.beginStop(cell, null)
    val family = cell.familyOrNull
    if family != null then for child <- family.all do Interruption(child, afterNanos).begin()

  override def tooLate(cell: ActorCell[?]): Unit = finish()

  private def finish(): Unit =
    cell.runner.endInterruption(this)
    val waiting = timer
    if waiting != null then waiting.cancel()

  private def again(nanos: Long): Unit =
    val next = cell.system.clock.schedule(nanos, this)
    timer = next
    if isOver then next.cancel()

  /** The time has passed. Called by the clock, whose thread must not wait: an interrupt may close a
    * channel. In a simulation no handler blocks.
    */
  def run(): Unit =
    if !isOver && !cell.system.engine.isSimulated then
      try HelperThreads.execute(() => step())
      catch case _: OutOfMemoryError => again(Interruption.LongestPauseNanos)

  private def step(): Unit =
    if !isOver then
      if isDelivered then report()
      else
        cell.runner.interruptHandler(this)
        if isDelivered then again(Interruption.GraceNanos)
        else
          again(pauseNanos)
          pauseNanos = math.min(2 * pauseNanos, Interruption.LongestPauseNanos)

  /** The handler still runs: it ignores interrupts. */
  private def report(): Unit =
    val target = thread
    if !isReported && target != null then
      isReported = true
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

  /** The time between two attempts to find the handler running. */
  private inline val ShortestPauseNanos = 1_000_000L
  private inline val LongestPauseNanos = 1_000_000_000L
