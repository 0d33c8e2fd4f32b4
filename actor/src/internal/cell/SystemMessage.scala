package undercroft.actor
package internal.cell

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
    priorityDepth = if isPriority then depth + 1 else depth

  /** Executes it on the actor's thread. */
  def apply(cell: ActorCell[?]): Unit

  /** Whether it brings a priority message. */
  def isPriority: Boolean = false

  /** Whether it ends the work of the actor, to stop or for a group restart. */
  def stopsWork: Boolean = false

  /** Whether it may end or restart the actor. */
  def endsActor: Boolean = stopsWork

  /** Whether it has interrupted the actor's handler. */
  def isInterrupt: Boolean = false

  /** The actor is about to stop: ends a request to interrupt its handler. Owner thread only. */
  def endInterrupt(): Unit = ()

  /** Called instead of `apply` if the actor has stopped, on any thread. */
  def tooLate(cell: ActorCell[?]): Unit = ()
end SystemMessage

private[actor] object SystemMessage:
  /** Marks the stack of an actor that accepts no more system messages. */
  val Closed: SystemMessage = new SystemMessage:
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
end SystemMessage
