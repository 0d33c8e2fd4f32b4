package undercroft.actor

/** What is done before any message: the control lane's entries. */
private[actor] abstract class Command:
  var next: Command | Null = null

  /** How many lie below it. */
  var depth = 0

  /** Does it, on the thread of the actor. */
  def apply(cell: Cell[?]): Unit

  /** Does what is left to do if the actor has stopped, on any thread. */
  def tooLate(cell: Cell[?]): Unit = ()

private[actor] object Command:
  /** Lies on the stack of an actor that takes no more commands. */
  object Closed extends Command:
    def apply(cell: Cell[?]): Unit = ()

  final class Stop extends Command:
    def apply(cell: Cell[?]): Unit = cell.beginStop(null)

  /** The last child has stopped, and the actor waits for that. */
  final class Childless extends Command:
    def apply(cell: Cell[?]): Unit = cell.childless()

  /** A child escalated its failure. */
  final class ChildFailed(child: Cell[?], cause: Throwable) extends Command:
    def apply(cell: Cell[?]): Unit = cell.childFailed(ChildFailedException(child.name, cause))

  /** A pause before a restart is over. */
  final class PauseOver extends Command:
    def apply(cell: Cell[?]): Unit = cell.pauseOver()

  /** The mailbox for which it waited has room. */
  final class Unmute extends Command:
    def apply(cell: Cell[?]): Unit = cell.unmute()

  /** A message that goes before those that wait. */
  final class First(message: AnyRef) extends Command:
    def apply(cell: Cell[?]): Unit = cell.putFirst(message)
    override def tooLate(cell: Cell[?]): Unit = cell.tooLateFirst(message)

  final class Watch(watcher: Cell[?]) extends Command:
    def apply(cell: Cell[?]): Unit = cell.ownSide().addWatcher(watcher)
    override def tooLate(cell: Cell[?]): Unit =
      watcher.tellNotice(TerminatedNotice(cell, cell.stopCause))

  final class Unwatch(watcher: Cell[?]) extends Command:
    def apply(cell: Cell[?]): Unit = cell.ownSide().removeWatcher(watcher)
end Command

/** What the runtime sends by way of the mailbox, in order with the messages. */
private[actor] abstract class Notice:
  /** Delivers it; what it returns is what the actor is next. */
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T]

  /** Does what is left to do if the actor has stopped. */
  def tooLate(): Unit = ()

/** An actor has stopped; sent after all that it sent. */
private[actor] final class TerminatedNotice(stopped: Cell[?], cause: Throwable | Null)
    extends Notice:
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    val side = cell.ownSide()
    if !side.isWatching(stopped) then cell.skip(this)
    else
      val instead = side.stopWatching(stopped)
      if Side.isMessage(instead) then behavior.receive(instead.asInstanceOf[T])
      else
        val why = Option(cause)
        val next = behavior.signal(Signal.Terminated(stopped, why))
        if next eq Behavior.unhandled then throw DeathPactException(stopped.name, why)
        next

  override def toString: String = s"Terminated(${stopped.name})"
