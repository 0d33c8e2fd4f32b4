package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell

/** The next-turn slot of a worker: the actor that runs next, and its message. It is replaced from
  * time to time so that it stays in the young generation: storing a reference in an old object
  * triggers a write barrier with a fence (G1, before JDK 26) of about 20 cycles.
  */
private[actor] final class NextTurn:
  /** The actor that runs next, and its message if that is an object. */
  var cell: ActorCell[?] | Null = null
  var message: AnyRef | Null = null

  /** The actor whose turn it is, or was last. */
  var running: ActorCell[?] | Null = null

  def clear(): Unit =
    cell = null
    message = null
    running = null
