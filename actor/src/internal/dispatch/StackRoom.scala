package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell

/** The stack that a thread needs to schedule a turn. Once the `notified` flag of an actor is set,
  * an overflow would lose the turn; so the room is tested before.
  */
private[actor] object StackRoom:
  /** Throws StackOverflowError if fewer nested calls fit on the stack than the actor's dispatcher
    * needs; then another thread wakes the actor later.
    */
  def require(cell: ActorCell[?]): Unit =
    try descend(cell.runner.callsToWake, 1L, 2L, 3L): Unit
    catch
      case cause: StackOverflowError =>
        StrandedTurns.add(cell, isNotified = false)
        throw cause

  // Its variables live across the call: each call needs stack.
  private def descend(calls: Int, a: Long, b: Long, c: Long): Long =
    if calls == 0 then a else descend(calls - 1, b, c, a) + a * b * c
end StackRoom
