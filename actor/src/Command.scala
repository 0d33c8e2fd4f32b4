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

  /** A child failed, and others are to begin anew with it. */
  final class Together(failed: Cell[?], onlyRest: Boolean) extends Command:
    def apply(cell: Cell[?]): Unit = cell.regroup(failed, onlyRest)

  /** Asks a child to end what it does, to begin anew when it is asked to. */
  final class Halt(parent: Cell[?], number: Int) extends Command:
    def apply(cell: Cell[?]): Unit = cell.halt(number)
    override def tooLate(cell: Cell[?]): Unit = parent.answer(number)

  final class Begin(parent: Cell[?], number: Int) extends Command:
    def apply(cell: Cell[?]): Unit = cell.beginAsked(number)
    override def tooLate(cell: Cell[?]): Unit = parent.answer(number)

  /** A child has done what it was asked for, or has stopped. */
  final class Answered(number: Int) extends Command:
    def apply(cell: Cell[?]): Unit = cell.regroupAnswered(number)

  /** Another actor has linked itself to this one. */
  final class Link(other: Cell[?]) extends Command:
    def apply(cell: Cell[?]): Unit = cell.ownSide().addLink(other): Unit
    override def tooLate(cell: Cell[?]): Unit = cell.tellLink(other)

  final class Unlink(other: Cell[?]) extends Command:
    def apply(cell: Cell[?]): Unit = cell.ownSide().removeLink(other): Unit

  /** An actor to which this one is linked has failed, and stopped. */
  final class LinkBroken(other: Cell[?], cause: Throwable) extends Command:
    def apply(cell: Cell[?]): Unit =
      if cell.ownSide().removeLink(other) then
        cell.linkBroken(LinkBrokenException(other.name, cause))

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
  /** Delivers it; what it returns is what the actor is next, or [[Behavior.skipped]]. */
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T]

  /** Does what is left to do if it is not delivered. */
  def tooLate(reason: Reason): Unit =
    val _ = reason

  /** The user's message that it brings, where that is worth a word if it is lost. */
  def shown: AnyRef | Null = null

  /** What can be handled again if its handler failed: itself, or the message alone. */
  def kept: AnyRef | Null = shown

  /** What is put aside of it by who handles it: itself, or the message that it brought once. */
  def aside: AnyRef = this

  /** The number of what its actor was handling when it asked for this, for [[Cause]]. */
  def cause: Long = 0
end Notice

private[actor] object Notice:
  /** The user's message, or null where there is none. */
  def shown(message: AnyRef): AnyRef | Null = message match
    case notice: Notice => notice.shown
    case _              => message

  /** Whether it is not simply a message, that tells where it comes from or not. */
  def isNotice(message: AnyRef): Boolean = message match
    case traced: Traced => traced.message.isInstanceOf[Notice]
    case other          => other.isInstanceOf[Notice]

  def aside(message: AnyRef): AnyRef = message match
    case notice: Notice => notice.aside
    case _              => message

  /** What can be handled again, or null. */
  def kept(message: AnyRef): AnyRef | Null = message match
    case notice: Notice => notice.kept
    case _              => message
end Notice

/** A message with something about it, on its way. */
private[actor] abstract class Envelope(val message: AnyRef) extends Notice:
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] = message match
    case notice: Notice => notice.deliver(cell, behavior)
    case _              => behavior.receive(message.asInstanceOf[T])

  override def tooLate(reason: Reason): Unit = message match
    case notice: Notice => notice.tooLate(reason)
    case _              => ()
  override def shown: AnyRef | Null = Notice.shown(message)
  override def toString: String = message.toString
end Envelope

/** What becomes of a future, to be made a message on the actor's own thread. */
private[actor] final class Piped[A](
    asker: Cell[?],
    result: scala.util.Try[A],
    message: scala.util.Try[A] => Any
) extends Notice:
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    val made = message(result)
    if made == null then
      throw NullPointerException(s"what ${cell.name} makes of a future's result is null")
    behavior.receive(made.asInstanceOf[T])
  override val cause: Long = if Switches.causes then Traced.currentOf(asker) else 0L
  override def toString: String = s"the future's $result"
  override def shown: AnyRef | Null = result
  override def kept: AnyRef | Null = this

/** An actor has stopped; sent after all that it sent. */
private[actor] final class TerminatedNotice(stopped: Cell[?], failure: Throwable | Null)
    extends Notice:
  private var brought: AnyRef = this

  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    val side = cell.ownSide()
    if !side.isWatching(stopped) then Behavior.skipped
    else
      val instead = side.stopWatching(stopped)
      if Side.isMessage(instead) then brought = instead.asInstanceOf[AnyRef]
      if Side.isMessage(instead) then behavior.receive(instead.asInstanceOf[T])
      else
        val why = Option(failure)
        val next = cell.signalTo(behavior, Signal.Terminated(stopped, why))
        if next eq Behavior.unhandled then throw DeathPactException(stopped.name, why)
        next

  override def aside: AnyRef = brought
  override def toString: String = s"Terminated(${stopped.name})"
