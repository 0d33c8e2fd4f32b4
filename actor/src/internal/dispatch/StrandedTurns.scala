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

  private inline val Capacity = 1024

  /** The part for actors that are not notified, which the next message wakes in any case. */
  private inline val MaxUnnotified = 512
  private inline val PeriodNanos = 200_000_000L
  private val turns = new Array[AnyRef | Null](Capacity)
  private val notified = new Array[Boolean](Capacity)
  @volatile private var count = 0

  /** Adds an actor or a [[Turn]], if there is room. Does not allocate, and calls no method: it is
    * called at the end of a stack. Thread-safe.
    *
    * @param isNotified
    *   whether the actor's `notified` flag was set for this turn
    */
  def add(turn: AnyRef, isNotified: Boolean): Unit = synchronized:
    val isKnown = !isNotified && count > 0 && (turns(count - 1) eq turn)
    if !isKnown && count < (if isNotified then Capacity else MaxUnnotified) then
      turns(count) = turn
      notified(count) = isNotified
      count += 1

  /** Resumes turns periodically, until the clock stops. */
  def resumeBy(clock: Clock): Unit = Dispatcher.retryOnOutOfMemory:
    val task: Runnable = () =>
      try if count > 0 then resumeAll()
      finally resumeBy(clock)
    clock.schedule(PeriodNanos, task): Unit

  /** Starts a thread for each turn, which stays here until its thread takes it. */
  private def resumeAll(): Unit =
    var remaining = count
    try
      while remaining > 0 do
        HelperThreads.execute(resumeOne)
        remaining -= 1
    catch case _: OutOfMemoryError => () // the rest in the next period

  private val resumeOne: Runnable = () =>
    var turn: AnyRef | Null = null
    var isNotified = false
    synchronized:
      if count > 0 then
        count -= 1
        turn = turns(count)
        isNotified = notified(count)
        turns(count) = null
    turn match
      case null                             => ()
      case cell: ActorCell[?] if isNotified => cell.runner.wake(cell)
      case cell: ActorCell[?]               => cell.wake()
      case turn: Turn                       => turn.resume()
      case other                            => throw IllegalStateException(s"$other is no turn")
end StrandedTurns
