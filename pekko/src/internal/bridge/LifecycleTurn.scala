package undercroft.actor
package internal.bridge

import undercroft.actor.internal.cell.{ActorCell, State}

/** The turns of an actor that an executor must not delay for the sake of the actor's messages. */
private[undercroft] object LifecycleTurn:
  /** Whether the next turn starts, stops or restarts the actor. Only while no turn runs, by the
    * thread that runs the turns.
    */
  def isDue(actor: ActorRef[Nothing]): Boolean = actor match
    case cell: ActorCell[?] => cell.isStopRequested || cell.state != State.Running
    case _                  => false
