package undercroft.actor
package internal.cell

import internal.mailbox.FullMailbox

/** A system message: it overtakes all user messages. Entries of an intrusive stack in
  * [[ActorFields]].
  */
private[actor] abstract class SystemMessage:
  var next: SystemMessage | Null = null

  /** The number of priority messages among this entry and those below. */
  private var priorityDepth = 0

  /** Places it above `below` in the stack. */
  final def placeAbove(below: SystemMessage | Null): Unit =
    next = below
    val depth = SystemMessage.priorityDepth(below)
    priorityDepth = if isInstanceOf[SystemMessage.First] then depth + 1 else depth

  /** Executes it on the actor's thread. */
  def apply(cell: ActorCell[?]): Unit

  /** Called instead of `apply` if the actor has stopped, on any thread. */
  def tooLate(cell: ActorCell[?]): Unit = ()
end SystemMessage

private[actor] object SystemMessage:
  /** Marks the stack of an actor that accepts no more system messages. */
  object Closed extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = ()

  /** The number of priority messages in a stack. */
  def priorityDepth(top: SystemMessage | Null): Int = if top == null then 0 else top.priorityDepth

  /** Executes all pending system messages. Owner thread only. */
  def runAll(cell: ActorCell[?]): Unit =
    val before = cell.isAtWork
    cell.isAtWork = true
    try
      var remaining = cell.takeSystemMessages(null)
      while remaining != null do
        val message = remaining
        remaining = message.next
        message.next = null
        if cell.state == State.Stopped then message.tooLate(cell) else message(cell)
    finally cell.isAtWork = before

  /** Closes the stack; the pending system messages are too late. Owner thread only. */
  def rejectAll(cell: ActorCell[?]): Unit =
    var remaining = cell.takeSystemMessages(Closed)
    while remaining != null do
      val message = remaining
      remaining = message.next
      message.tooLate(cell)

  /** The system has failed: the actor ends without its handlers. */
  final class EndBySystem extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.state = State.Stopped

  /** Stops the actor; `context` is that of the message that caused it. */
  final class Stop(context: AnyRef | Null) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then SignalContext.note(cell, context)
      Lifecycle.beginStop(cell, null)

  /** The actor cannot have further turns, because of `cause`. */
  final class StopBy(cause: Throwable) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then
        cell.system.report(ActorEvent.Failed(cell, cause, Supervision.Stop))
        Lifecycle.beginStop(cell, cause)

  /** The last child has stopped; the actor was waiting for that. */
  final class Childless extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = Lifecycle.childless(cell)

  /** A child escalated its failure. */
  final class ChildFailed(child: ActorCell[?], cause: Throwable, context: AnyRef | Null)
      extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then SignalContext.note(cell, context)
      FaultHandling.childFailed(cell, ChildFailedException(child.name, cause))

  /** The delay `number` before a restart has passed. */
  final class PauseOver(number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = Lifecycle.pauseOver(cell, number)

  /** A child failed, and other children restart with it. */
  final class RestartGroup(failed: ActorCell[?], onlyRest: Boolean) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = GroupRestart.restart(cell, failed, onlyRest)

  /** Asks a child to stop its work and its children, and to restart on a later [[Begin]]. */
  final class Halt(parent: ActorCell[?], number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = GroupRestart.halt(cell, number)
    override def tooLate(cell: ActorCell[?]): Unit = GroupRestart.answer(parent, number)

  final class Begin(parent: ActorCell[?], number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = GroupRestart.endHalt(cell, number)
    override def tooLate(cell: ActorCell[?]): Unit = GroupRestart.answer(parent, number)

  /** A child has completed the request with this number, or has stopped. */
  final class Answered(number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = GroupRestart.answered(cell, number)

  /** Another actor has linked itself to this one. */
  final class Link(peer: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().addLink(peer): Unit
    override def tooLate(cell: ActorCell[?]): Unit = DeathWatch.notifyLinked(cell, peer)

  final class Unlink(peer: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().removeLink(peer): Unit

  /** A linked actor has failed and stopped. */
  final class LinkBroken(peer: ActorCell[?], cause: Throwable, context: AnyRef | Null)
      extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then SignalContext.note(cell, context)
      if cell.coldState().removeLink(peer) then
        FaultHandling.linkBroken(cell, LinkedActorFailedException(peer.name, cause))

  /** The mailbox for which the actor was muted has room. */
  final class Unmute extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = FullMailbox.unmute(cell)

  /** A priority message: due before all waiting messages, and counted like a stashed one. */
  final class First(message: AnyRef) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      cell.coldState().ownStash().putFirst(message)
      cell.countSentRelease()
      cell.countOtherRelease()
    override def tooLate(cell: ActorCell[?]): Unit =
      DeadLetters.reject(cell, message, DeadLetterReason.Stopped)

  final class Watch(watcher: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().addWatcher(watcher)
    override def tooLate(cell: ActorCell[?]): Unit =
      DeathWatch.notifyWatcher(cell, watcher)

  final class Unwatch(watcher: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().removeWatcher(watcher)
end SystemMessage
