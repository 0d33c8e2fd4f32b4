package undercroft.actor
package internal.cell

import internal.dispatch.ReceiveTimeoutTimer

/** Applies the requests of a message handler for stash and timers, after it has returned. For
  * actors with cold state; owner thread only.
  */
private[actor] object HandlerRequests:
  /** Returns whether the handler stashed the message. */
  def settle(cell: ActorCell[?], message: AnyRef): Boolean =
    val coldState = cell.coldState()
    touch(coldState, message)
    val stash = coldState.stash
    stash != null && stash.settle(InternalMessage.aside(message))

  /** Defers the receive timeout, unless the message is one. */
  def touch(coldState: ColdState, message: AnyRef): Unit =
    val timers = coldState.timers
    if timers != null && !isReceiveTimeout(message) then timers.touch()

  private def isReceiveTimeout(message: AnyRef): Boolean = message match
    case _: ReceiveTimeoutTimer => true
    case envelope: Envelope     => isReceiveTimeout(envelope.message)
    case _                      => false

  /** As [[settle]], for a message in a slot, which is loaded only if it is needed as an object. */
  def settleSlot(cell: ActorCell[?], slot: Long): Boolean =
    val coldState = cell.coldState()
    val stash = coldState.stash
    if stash != null && stash.isAsked then
      settle(cell, cell.slotReader.nn.load(slot).asInstanceOf[AnyRef])
    else
      if coldState.timers != null then coldState.timers.nn.touch()
      false
end HandlerRequests
