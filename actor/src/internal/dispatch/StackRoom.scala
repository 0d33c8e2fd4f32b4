package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell

/** The stack that a thread needs for steps that an overflow must not interrupt. */
private[actor] object StackRoom:
  /** Calls for the begin or the end of a stop, which wakes children, watchers and the parent. */
  private inline val CallsToStop = 512

  /** Throws StackOverflowError if fewer nested calls fit on the stack than the actor's dispatcher
    * needs to wake it; then another thread wakes the actor later. It is called before the
    * `notified` flag is set: afterwards an overflow would lose the turn.
    */
  def requireToWake(cell: ActorCell[?]): Unit =
    try descend(cell.runner.callsToWake, 1L, 2L, 3L): Unit
    catch
      case cause: StackOverflowError =>
        StrandedTurns.add(cell, isNotified = false)
        throw cause

  /** Throws StackOverflowError if the stack of a sender has no room for the begin or the end of a
    * stop; another thread does it in a later turn.
    */
  def requireToStop(cell: ActorCell[?]): Unit =
    if cell.runner.runsOnSender then descend(CallsToStop, 1L, 2L, 3L): Unit

  // Its variables live across the call: each call needs stack.
  private def descend(calls: Int, a: Long, b: Long, c: Long): Long =
    if calls == 0 then a else descend(calls - 1, b, c, a) + a * b * c
end StackRoom
