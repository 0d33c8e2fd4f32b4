package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell

/** The turns that a thread had to schedule or run when its stack or the memory was exhausted. The
  * clocks of all systems resume them, each on a stack of its own: without that, an actor whose
  * `notified` flag is set would never run again.
  */
private[actor] object StrandedTurns:
  /** A turn that can be scheduled again. */
  trait Turn:
    def resume(): Unit

  private val Capacity = 1024
  private val PeriodNanos = 200_000_000L
  private val turns = new Array[AnyRef | Null](Capacity)
  private val notified = new Array[Boolean](Capacity)
  @volatile private var count = 0

  /** Adds an actor or a [[Turn]], unless 1024 of them wait. Does not allocate, and calls no method:
    * it is called at the end of a stack. Thread-safe.
    *
    * @param isNotified
    *   whether the actor's `notified` flag was set for this turn
    */
  def add(turn: AnyRef, isNotified: Boolean): Unit = synchronized:
    if count < Capacity then
      turns(count) = turn
      notified(count) = isNotified
      count += 1

  /** Resumes turns periodically, until the clock stops. */
  def resumeBy(clock: Clock): Unit = Dispatcher.retryOnOutOfMemory:
    val task: Runnable = () =>
      if count > 0 then resumeAll()
      resumeBy(clock)
    clock.schedule(PeriodNanos, task): Unit

  private def resumeAll(): Unit =
    var resume = take()
    while resume != null do
      val task = resume
      Dispatcher.retryOnOutOfMemory(Thread.startVirtualThread(task): Unit)
      resume = take()

  private def take(): Runnable | Null = synchronized:
    if count == 0 then null
    else
      count -= 1
      val turn = turns(count).nn
      turns(count) = null
      resumption(turn, notified(count))

  private def resumption(turn: AnyRef, isNotified: Boolean): Runnable = turn match
    case cell: ActorCell[?] if isNotified => () => cell.runner.wake(cell)
    case cell: ActorCell[?]               => () => cell.wake()
    case turn: Turn                       => () => turn.resume()
end StrandedTurns
