package undercroft.actor

import scala.annotation.publicInBinary

/** What an actor does with its next message, and then is.
  *
  * A behaviour is a value: it can be given to any number of actors and spawned on any [[Run]]. What
  * it closes over must be the actor's own, or safe to share; `setup` makes it anew for each.
  */
sealed abstract class Behavior[T]:

  /** Handles a message, on the actor's thread; what it returns is what the actor is next. */
  private[actor] def receive(message: T): Behavior[T]

  /** Handles a message in a slot, which is of the kind that `queue` holds, and knows how to load.
    */
  private[actor] def receiveSlot(slot: Long, queue: MailQueue[T]): Behavior[T] =
    receive(queue.reader.load(slot))

  /** What reads slots of it, if anything does. */
  private[actor] def slotted: Behavior.Slotted[T] | Null = null

  /** Handles a signal; [[Behavior.unhandled]] where it has no handler. */
  private[actor] def signal(of: Signal): Behavior[T] =
    val _ = of
    Behavior.unhandled

  /** This behaviour with a handler for signals. Where there are several, the first handler that is
    * defined for a signal gets it. It belongs to this behaviour, not to those that follow it.
    */
  final def onSignal(handle: PartialFunction[Signal, Behavior[T]]): Behavior[T] =
    this match
      case setup: Behavior.Setup[T @unchecked] =>
        Behavior.Setup[T](context => setup.make(context).onSignal(handle))
      case layer: Behavior.Supervised[T @unchecked] =>
        Behavior.Supervised(layer.inner.onSignal(handle), layer.decide, layer.failing)
      case _: Behavior.Receive[?] | _: Behavior.Slotted[?] | _: Behavior.WithSignals[?] =>
        Behavior.WithSignals(this, handle)
      case _ => throw IllegalArgumentException("same, stopped and unhandled have no signals")

  /** This behaviour, and all that follow it, with a decision what to do about failures. An inner
    * decision that is defined for the failure goes before an outer one. Without any the actor
    * stops. A handler that returns a supervised behaviour replaces all supervision there was.
    */
  final def supervised(decide: Decision): Behavior[T] = Behavior.Supervised(this, decide, null)

  /** This behaviour, and all that follow it, with a decision what to do about a message that fails,
    * by the exception. An inner decision that is defined goes before an outer one; without any, or
    * where it throws, the message is dropped. It is made together with the `supervised` around it,
    * and replaced with it.
    *
    * @param state
    *   what a parked message is to tell of the actor; evaluated by its thread, as it was when the
    *   message failed
    */
  final def failing(
      decide: PartialFunction[Throwable, Failing],
      state: => String = ""
  ): Behavior[T] =
    Behavior.Supervised(this, PartialFunction.empty, FailingRule(decide, () => state))
end Behavior

object Behavior:

  /** Handles messages by a function.
    *
    * Where `T` has a [[undercroft.struct.Struct]] and `handle` is written out as cases, it is
    * compiled twice: for messages that are objects, and for those that `!` wrote into slots outside
    * the heap, whose fields it reads where they lie. See docs/design/0012.
    */
  inline def receive[T](inline handle: T => Behavior[T]): Behavior[T] =
    ${ internal.Receiving[T]('handle) }

  @publicInBinary private[actor] def receiveObjects[T](handle: T => Behavior[T]): Behavior[T] =
    new Receive[T]:
      def onObject(message: T): Behavior[T] = handle(message)

  /** Handles the messages that `handle` is defined for; the rest are unhandled. */
  def receivePartial[T](handle: PartialFunction[T, Behavior[T]]): Behavior[T] =
    receiveObjects(message => handle.applyOrElse(message, _ => unhandled))

  /** Makes the behaviour when the actor starts, on its own thread, and anew when it restarts. In
    * `make` there is a [[Context]]: the actor's view of itself.
    */
  def setup[T](make: Context[T] ?=> Behavior[T]): Behavior[T] =
    Setup(context => make(using context))

  /** Runs `body`, which asks its inbox for messages and waits for them, and stops when it returns.
    * It keeps its stack while it waits, so it has a thread of its own: on [[Run.Workers]] and
    * [[Run.Caller]] too, where it is a virtual one. It may block. It is spawned, not returned by a
    * handler or setup. `Resume` cannot mend it: it stops. A stop leaves it from where it waits.
    */
  def process[T](body: Context[T] ?=> Inbox[T] => Unit): Behavior[T] =
    Process((context, inbox) => body(using context)(inbox))

  /** Stays what it is. */
  def same[T]: Behavior[T] = Same.asInstanceOf[Behavior[T]]

  /** Stops: its children first, then itself, after this message. */
  def stopped[T]: Behavior[T] = Stopped.asInstanceOf[Behavior[T]]

  /** Stays what it is, and sends the message to the dead letters as unhandled. */
  def unhandled[T]: Behavior[T] = Unhandled.asInstanceOf[Behavior[T]]

  /** Stays what it is: a notice of the runtime's was not delivered, as nobody wants it now. */
  private[actor] def skipped[T]: Behavior[T] = Skipped.asInstanceOf[Behavior[T]]

  /** Handles no message: all are unhandled. */
  def empty[T]: Behavior[T] = Empty.asInstanceOf[Behavior[T]]

  /** Handles every message by doing nothing. */
  def ignore[T]: Behavior[T] = Ignore.asInstanceOf[Behavior[T]]

  /** What `receive` makes of a function: what that closes over lies in the behaviour itself. */
  abstract class Receive[T] @publicInBinary private[undercroft] () extends Behavior[T]:
    def onObject(message: T): Behavior[T]
    private[actor] final def receive(message: T): Behavior[T] = onObject(message)

  /** What `receive` makes of cases: it handles messages in slots of one kind, and objects. */
  abstract class Slotted[T] @publicInBinary private[undercroft] (
      private[actor] val kind: Long
  ) extends Behavior[T]:
    def onObject(message: T): Behavior[T]
    def onSlot(slot: Long): Behavior[T]

    /** Makes the message in a slot. */
    def load(slot: Long): T

    private[actor] final def receive(message: T): Behavior[T] = onObject(message)
    override private[actor] final def slotted: Slotted[T] | Null = this
    override private[actor] final def receiveSlot(slot: Long, queue: MailQueue[T]): Behavior[T] =
      if queue.slotKind == kind then onSlot(slot) else onObject(queue.reader.load(slot))

  private[actor] final class Setup[T](val make: Context[T] => Behavior[T]) extends Behavior[T]:
    def receive(message: T): Behavior[T] = notYet("setup")

  private[actor] final class Process[T](val body: (Context[T], Inbox[T]) => Unit)
      extends Behavior[T]:
    def receive(message: T): Behavior[T] = notYet("process")

  /** Hands what notices bring to a process. */
  private[actor] final class Catching[T](inbox: Inbox[T]) extends Behavior[T]:
    def receive(message: T): Behavior[T] =
      inbox.catchIt(message)
      same

  private[actor] final class Supervised[T](
      val inner: Behavior[T],
      val decide: Decision,
      val failing: FailingRule | Null
  ) extends Behavior[T]:
    def receive(message: T): Behavior[T] = notYet("supervised")

  private[actor] final class WithSignals[T](
      inner: Behavior[T],
      handle: PartialFunction[Signal, Behavior[T]]
  ) extends Behavior[T]:
    def receive(message: T): Behavior[T] = inner.receive(message)
    override def receiveSlot(slot: Long, queue: MailQueue[T]): Behavior[T] =
      inner.receiveSlot(slot, queue)
    override def slotted: Slotted[T] | Null = inner.slotted
    override def signal(of: Signal): Behavior[T] =
      val next = inner.signal(of)
      if next eq unhandled then handle.applyOrElse(of, _ => unhandled) else next

  private val Empty: Behavior[Any] = receiveObjects(_ => unhandled)
  private val Ignore: Behavior[Any] = receiveObjects(_ => same)

  private object Same extends Behavior[Any]:
    def receive(message: Any): Behavior[Any] = notYet("same")

  private object Stopped extends Behavior[Any]:
    def receive(message: Any): Behavior[Any] = notYet("stopped")

  private object Unhandled extends Behavior[Any]:
    def receive(message: Any): Behavior[Any] = notYet("unhandled")

  private object Skipped extends Behavior[Any]:
    def receive(message: Any): Behavior[Any] = notYet("skipped")

  /** Whether it is a process, under whatever decisions. */
  private[actor] def isProcess(behavior: Behavior[?]): Boolean =
    var each: Behavior[?] = behavior
    while each.isInstanceOf[Supervised[?]] do each = each.asInstanceOf[Supervised[?]].inner
    each.isInstanceOf[Process[?]]

  /** Whether it can handle messages as it is. */
  private[actor] def isReady(behavior: Behavior[?]): Boolean = behavior match
    case _: Receive[?] | _: Slotted[?] | _: WithSignals[?] => true
    case _                                                 => false

  /** What a behaviour that cannot be is called. */
  private[actor] def named(behavior: Behavior[?] | Null): String =
    if behavior == null then "null"
    else if behavior eq Same then "Behavior.same"
    else if behavior eq Unhandled then "Behavior.unhandled"
    else behavior.getClass.getSimpleName

  private def notYet(what: String): Nothing =
    throw IllegalStateException(s"a behaviour that is '$what' handles no message")
end Behavior
