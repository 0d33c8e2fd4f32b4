package undercroft.actor

import internal.cell.{ActorCell, MessageFailureRule}
import internal.macros.ReceiveMacro
import scala.annotation.publicInBinary

/** Defines how an actor handles its next message, and the behavior that follows it.
  *
  * A behavior is a value: several actors may share it, on any [[Run]]. Captured state must belong
  * to one actor or be safe to share; `setup` creates it per actor.
  *
  * {{{
  * enum Account:
  *   case Deposit(amount: Int)
  *   case Balance(to: ActorRef[Int])
  *
  * def account: Behavior[Account] = Behavior.setup: // once for each actor
  *   var sum = 0
  *   Behavior.receive:
  *     case Account.Deposit(amount) => sum += amount; Behavior.same
  *     case Account.Balance(to)     => to ! sum; Behavior.same
  * }}}
  */
sealed abstract class Behavior[T]:

  /** Handles a message on the actor's thread and returns the next behavior. */
  private[actor] def receive(message: T): Behavior[T]

  /** Handles a message stored in a slot of the kind that `cell` accepts; its `slotReader` can load
    * the message as an object.
    */
  private[actor] def receiveSlot(slot: Long, cell: ActorCell[T]): Behavior[T] =
    receive(cell.slotReader.nn.load(slot))

  /** The behavior that reads slots, or null if this behavior handles objects only. */
  private[actor] def slotted: Behavior.Slotted[T] | Null = null

  /** Handles a signal; returns [[Behavior.unhandled]] if there is no handler for it. */
  private[actor] def signal(of: Signal): Behavior[T] =
    val _ = of
    Behavior.unhandled

  /** Whether it has a handler for a signal. */
  private[actor] def handles(of: Signal): Boolean = false

  /** Adds a handler for signals to this behavior. If there are several handlers, the first one
    * defined for a signal gets it. The handler applies to this behavior only, not to its
    * successors. A setup that returns `stopped` stops the actor without a call of it.
    *
    * {{{
    * def cache: Behavior[Int] = Behavior
    *   .ignore[Int]
    *   .onSignal { case Signal.PostStop =>
    *     println("closed") // closed
    *     Behavior.same
    *   }
    * ActorSystem.scoped("caches")(spawn(cache) ! 1)
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if this is a process, which has no handlers, or `same`, `stopped` or `unhandled`
    */
  final def onSignal(handle: PartialFunction[Signal, Behavior[T]]): Behavior[T] =
    withSignals(handle, isMade = false)

  /** As [[onSignal]]; the result of a setup, if `isMade`, may be `stopped`. */
  private def withSignals(
      handle: PartialFunction[Signal, Behavior[T]],
      isMade: Boolean
  ): Behavior[T] = this match
    case setup: Behavior.Setup[T @unchecked] =>
      Behavior.Setup[T](context => setup.make(context).withSignals(handle, isMade = true))
    case layer: Behavior.Supervised[T @unchecked] =>
      Behavior.Supervised(layer.inner.withSignals(handle, isMade), layer.decide, layer.failing)
    case _ if Behavior.isReady(this)               => Behavior.WithSignals(this, handle)
    case _ if isMade && (this eq Behavior.stopped) => this
    case _: Behavior.Process[?] =>
      throw IllegalArgumentException(
        "a process cannot handle signals: it takes its messages from its inbox"
      )
    case _ => throw IllegalArgumentException("same, stopped and unhandled cannot handle signals")

  /** Adds supervision to this behavior and its successors: `decide` maps an exception to a
    * decision. An inner decision that is defined for the exception takes precedence over an outer
    * one; without any, the actor stops. If a handler returns a supervised behavior, that replaces
    * all previous supervision.
    *
    * {{{
    * def divider: Behavior[Int] = Behavior
    *   .receive[Int] { n =>
    *     println(100 / n)
    *     Behavior.same
    *   }
    *   .supervised { case _: ArithmeticException => Supervision.Resume }
    * ActorSystem.scoped("numbers", listener = _ => ()):
    *   val actor = spawn(divider)
    *   for n <- List(5, 0, 4) do actor ! n // prints 20 and 25
    * }}}
    */
  final def supervised(decide: Decider): Behavior[T] = Behavior.Supervised(this, decide, null)

  /** Adds a rule for the failed message to this behavior and its successors: `decide` maps an
    * exception to the message's outcome. An inner rule that is defined takes precedence over an
    * outer one. Without any, or if the rule throws, the message is dropped. The rule belongs to the
    * `supervised` around it and is replaced with it.
    *
    * {{{
    * def divider: Behavior[Int] = Behavior
    *   .receive[Int] { n =>
    *     println(100 / n)
    *     Behavior.same
    *   }
    *   .onMessageFailure({ case _: ArithmeticException => MessageFailure.Park }, "dividing 100")
    *   .supervised { case _: ArithmeticException => Supervision.Resume }
    * }}}
    *
    * @param state
    *   a description of the actor's state for a parked message; evaluated on the actor's thread,
    *   with the state that it had when the message failed
    */
  final def onMessageFailure(
      decide: PartialFunction[Throwable, MessageFailure],
      state: => String = ""
  ): Behavior[T] =
    Behavior.Supervised(this, PartialFunction.empty, MessageFailureRule(decide, () => state))
end Behavior

object Behavior:

  /** A behavior that handles messages by a function.
    *
    * If `T` has a [[undercroft.struct.Struct]] and `handle` is written as a list of cases, it is
    * compiled twice: for messages that are objects, and for messages that `!` wrote into off-heap
    * slots, whose fields it reads in place. See docs/design/0012.
    *
    * {{{
    * def counter(sum: Int): Behavior[Int] = Behavior.receive: n =>
    *   println(sum + n)
    *   counter(sum + n)
    * ActorSystem.scoped("numbers"):
    *   val actor = spawn(counter(0))
    *   for n <- 1 to 3 do actor ! n // prints 1, 3 and 6
    * }}}
    */
  inline def receive[T](inline handle: T => Behavior[T]): Behavior[T] =
    ${ ReceiveMacro[T]('handle) }

  @publicInBinary private[actor] def receiveObjects[T](handle: T => Behavior[T]): Behavior[T] =
    new Receive[T]:
      def onObject(message: T): Behavior[T] = handle(message)

  /** Creates the behavior on the actor's thread when the actor starts, and again when it restarts.
    * `make` has access to the [[ActorContext]], the actor's view of itself.
    *
    * {{{
    * def counter: Behavior[Int] = Behavior.setup:
    *   var sum = 0 // one for each actor
    *   Behavior.receive: n =>
    *     sum += n
    *     println(sum)
    *     Behavior.same
    * ActorSystem.scoped("numbers"):
    *   val actor = spawn(counter)
    *   for n <- 1 to 3 do actor ! n // prints 1, 3 and 6
    * }}}
    */
  def setup[T](make: ActorContext[T] ?=> Behavior[T]): Behavior[T] =
    Setup(context => make(using context))

  /** A process: an actor in direct style. It runs `body`, which takes messages from its inbox and
    * waits for them, and stops when `body` returns.
    *
    * It keeps its stack while it waits, so it has its own thread: a virtual one on [[Run.Workers]]
    * and [[Run.Caller]] too. It may block. A process must be spawned, not returned by a handler; on
    * [[Run.Virtual]] and [[Run.Thread]] a setup may return one. It cannot be resumed: `Resume`
    * stops it. Stopping it ends `body` at the point where it waits.
    *
    * {{{
    * def adder: Behavior[Int] = Behavior.process: inbox =>
    *   val (first, second) = (inbox.receive(), inbox.receive())
    *   println(first + second) // 5
    * ActorSystem.scoped("numbers"):
    *   val actor = spawn(adder)
    *   actor ! 2
    *   actor ! 3
    * }}}
    */
  def process[T](body: ActorContext[T] ?=> Inbox[T] => Unit): Behavior[T] =
    Process((context, inbox) => body(using context)(inbox))

  /** A behavior inside an interceptor, which sees each message and signal first. It remains around
    * the behaviors that follow the inner one. The actor may accept a wider type than the inner
    * behavior; the interceptor then narrows the messages. For another type, see
    * [[ActorContext.messageAdapter]].
    *
    * `interceptor` is evaluated for each actor, on its thread, when the actor starts, and again
    * when it restarts: unless the supervision is inside of the interceptor, which then survives.
    * Messages of the actor to itself, of its timers, asks and adapters pass the interceptor too. A
    * handler that `onSignal` adds around it gets the signals that neither the interceptor nor the
    * inner behavior handles, until the inner one is replaced by a supervised behavior.
    *
    * Cost: a call per message, without an allocation. A struct message is passed as an object, not
    * in a slot.
    *
    * {{{
    * enum Request:
    *   case Hour(now: Int)
    *   case Order(item: String)
    *
    * class Opening(hours: Range) extends BehaviorInterceptor[Request, Request.Order]:
    *   private var hour = 0
    *   def aroundReceive(
    *       request: Request,
    *       shop: BehaviorInterceptor.Target[Request.Order]
    *   ): Behavior[Request.Order] = request match
    *     case Request.Hour(now)                                    => hour = now; Behavior.same
    *     case order: Request.Order if hours.contains(hour) => shop.receive(order)
    *     case _                                                    => Behavior.unhandled
    *
    * def shop: Behavior[Request.Order] = Behavior.receive: order =>
    *   println(order.item)
    *   Behavior.same
    *
    * def openingShop: Behavior[Request] = Behavior.intercept(Opening(9 until 18))(shop)
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `inner` is a process, which takes its messages from its inbox, or `same` or `unhandled`
    */
  def intercept[Outer, Inner <: Outer](
      interceptor: ActorContext[Outer] ?=> BehaviorInterceptor[Outer, Inner]
  )(inner: Behavior[Inner]): Behavior[Outer] =
    if inner == null then throw NullPointerException("the behavior inside an interceptor is null")
    if isProcess(inner) then throw interceptedProcess
    if (inner eq Same) || (inner eq Unhandled) then
      throw IllegalArgumentException(s"${named(inner)} cannot be intercepted")
    Setup: context =>
      val evaluated = interceptor(using context)
      if evaluated == null then
        throw NullPointerException(s"the interceptor of ${context.self.name} is null")
      intercepted(context, evaluated, inner)

  private def interceptedProcess =
    IllegalArgumentException(
      "a process cannot be intercepted: it takes its messages from its inbox"
    )

  /** `interceptor` around `inner`, in the form that the cell can install. */
  private def intercepted[Outer, Inner <: Outer](
      context: ActorContext[Outer],
      interceptor: BehaviorInterceptor[Outer, Inner],
      inner: Behavior[Inner]
  ): Behavior[Outer] = inner match
    case _ if isProcess(inner)          => throw interceptedProcess
    case setup: Setup[Inner @unchecked] =>
      // Sound: a context uses its type only for messages that the actor accepts.
      Setup(_ =>
        intercepted(context, interceptor, setup.make(context.asInstanceOf[ActorContext[Inner]]))
      )
    case layer: Supervised[Inner @unchecked] =>
      // A setup: a restart begins with the first inner behavior.
      val first = Setup[Outer](_ => intercepted(context, interceptor, layer.inner))
      Supervised(first, layer.decide, layer.failing)
    case _ if isReady(inner) => Intercepted(interceptor, context, inner)
    case _                   => inner.asInstanceOf[Behavior[Outer]] // stopped, or an error

  /** Keeps the current behavior.
    *
    * {{{
    * def printer: Behavior[String] = Behavior.receive: page =>
    *   println(page)
    *   Behavior.same
    * }}}
    */
  def same[T]: Behavior[T] = Same.asInstanceOf[Behavior[T]]

  /** Stops the actor after this message: first its children, then itself.
    *
    * {{{
    * def once: Behavior[Int] = Behavior.receive: n =>
    *   println(n) // 1
    *   Behavior.stopped
    * ActorSystem.scoped("numbers", listener = _ => ()):
    *   val actor = spawn(once)
    *   for n <- 1 to 3 do actor ! n // 2 and 3 are dead letters
    * }}}
    */
  def stopped[T]: Behavior[T] = Stopped.asInstanceOf[Behavior[T]]

  /** Keeps the current behavior; the message becomes a dead letter, as unhandled.
    *
    * {{{
    * def account: Behavior[Int] = Behavior.receive: amount =>
    *   if amount < 0 then Behavior.unhandled // the message becomes a dead letter
    *   else Behavior.same
    * }}}
    */
  def unhandled[T]: Behavior[T] = Unhandled.asInstanceOf[Behavior[T]]

  /** Keeps the current behavior; an internal message was discarded because it is obsolete. */
  private[actor] def skipped[T]: Behavior[T] = Skipped.asInstanceOf[Behavior[T]]

  /** Handles no message: all are unhandled.
    *
    * {{{
    * def closing: Behavior[Int] = Behavior.receive: n =>
    *   if n == 0 then Behavior.empty else Behavior.same // after 0 no message is handled
    * }}}
    */
  def empty[T]: Behavior[T] = Empty.asInstanceOf[Behavior[T]]

  /** Handles every message by doing nothing.
    *
    * {{{
    * ActorSystem.scoped("metrics"):
    *   val sink = spawn(Behavior.ignore[Double])
    *   sink ! 36.6
    * }}}
    */
  def ignore[T]: Behavior[T] = Ignore.asInstanceOf[Behavior[T]]

  /** The compiled form of a `receive` function; it stores the captured variables as fields. */
  abstract class Receive[T] @publicInBinary private[undercroft] () extends Behavior[T]:
    def onObject(message: T): Behavior[T]
    private[actor] final def receive(message: T): Behavior[T] = onObject(message)

  /** The compiled form of a `receive` with cases: handles messages in slots of one kind, and
    * objects.
    */
  abstract class Slotted[T] @publicInBinary private[undercroft] (
      private[actor] val kind: Long
  ) extends Receive[T]:
    def onSlot(slot: Long): Behavior[T]

    /** Creates the message object from a slot. */
    def load(slot: Long): T

    override private[actor] final def slotted: Slotted[T] | Null = this
    override private[actor] final def receiveSlot(slot: Long, cell: ActorCell[T]): Behavior[T] =
      if cell.slotKind == kind then onSlot(slot) else onObject(cell.slotReader.nn.load(slot))

  /** A behavior that the cell evaluates, and that cannot handle messages itself. */
  private[actor] sealed abstract class Unready[T](kind: String) extends Behavior[T]:
    final def receive(message: T): Behavior[T] =
      throw IllegalStateException(s"a behavior of kind '$kind' cannot handle messages")

  private[actor] final class Setup[T](val make: ActorContext[T] => Behavior[T])
      extends Unready[T]("setup")

  private[actor] final class Process[T](val body: (ActorContext[T], Inbox[T]) => Unit)
      extends Unready[T]("process")

  /** Passes the content of internal messages to the inbox of a process. */
  private[actor] final class Catching[T](inbox: Inbox[T]) extends Behavior[T]:
    def receive(message: T): Behavior[T] =
      inbox.catchIt(message)
      same

  private[actor] final class Supervised[T](
      val inner: Behavior[T],
      val decide: Decider,
      val failing: MessageFailureRule | Null
  ) extends Unready[T]("supervised")

  private[actor] final class WithSignals[T](
      inner: Behavior[T],
      handle: PartialFunction[Signal, Behavior[T]]
  ) extends Behavior[T]:
    def receive(message: T): Behavior[T] = inner.receive(message)
    override def receiveSlot(slot: Long, cell: ActorCell[T]): Behavior[T] =
      inner.receiveSlot(slot, cell)
    override def slotted: Slotted[T] | Null = inner.slotted
    override def signal(of: Signal): Behavior[T] =
      val next = inner.signal(of)
      if next eq unhandled then handle.applyOrElse(of, _ => unhandled) else next
    override def handles(of: Signal): Boolean = inner.handles(of) || handle.isDefinedAt(of)

  /** An interceptor around the present inner behavior of one actor. */
  private[actor] final class Intercepted[Outer, Inner <: Outer](
      interceptor: BehaviorInterceptor[Outer, Inner],
      context: ActorContext[Outer],
      inner: Behavior[Inner]
  ) extends Behavior[Outer]:
    private val target = BehaviorInterceptor.Target[Inner](context, inner)

    def receive(message: Outer): Behavior[Outer] =
      target.isOpen = true
      val next =
        try interceptor.aroundReceive(message, target)
        finally target.isOpen = false
      become(next)

    override def signal(of: Signal): Behavior[Outer] =
      target.isOpen = true
      val next =
        try interceptor.aroundSignal(of, target)
        finally target.isOpen = false
      of match
        case Signal.PostStop | Signal.PreRestart => if next eq unhandled then unhandled else same
        case _                                   => become(next)

    /** Keeps the next inner behavior here, unless the cell must install it. */
    private def become(next: Behavior[Inner]): Behavior[Outer] =
      if next eq same then same
      else if next == null then
        throw IllegalStateException(
          s"an interceptor of ${context.self.name} returned null"
        )
      else
        val present = evaluated(next)
        if isReady(present) then
          target.present = present
          same
        else intercepted(context, interceptor, present)

    private def evaluated(next: Behavior[Inner]): Behavior[Inner] =
      var present = next
      while present.isInstanceOf[Setup[?]] do
        present = context.evaluate(present.asInstanceOf[Setup[Inner]])
        if (present eq same) || (present eq unhandled) || present == null then
          throw IllegalStateException(
            s"the setup of ${context.self.name} ended in ${named(present)}, which is not a behavior"
          )
      present
  end Intercepted

  private object Empty extends Receive[Any]:
    def onObject(message: Any): Behavior[Any] = unhandled
  private object Ignore extends Receive[Any]:
    def onObject(message: Any): Behavior[Any] = same

  private object Same extends Unready[Any]("same")
  private object Stopped extends Unready[Any]("stopped")
  private object Unhandled extends Unready[Any]("unhandled")
  private object Skipped extends Unready[Any]("skipped")

  /** Whether `behavior` is a process, inside any number of supervision layers. */
  private[actor] def isProcess(behavior: Behavior[?]): Boolean =
    var layer: Behavior[?] = behavior
    while layer.isInstanceOf[Supervised[?]] do layer = layer.asInstanceOf[Supervised[?]].inner
    layer.isInstanceOf[Process[?]]

  /** Whether `behavior` can handle messages without being started or unwrapped first. */
  private[actor] def isReady(behavior: Behavior[?]): Boolean = behavior match
    case _: Receive[?] | _: WithSignals[?] | _: Intercepted[?, ?] => true
    case _                                                        => false

  /** The name of an invalid behavior, for error messages. */
  private[actor] def named(behavior: Behavior[?] | Null): String =
    if behavior == null then "null"
    else if behavior eq Same then "Behavior.same"
    else if behavior eq Unhandled then "Behavior.unhandled"
    else behavior.getClass.getSimpleName
end Behavior
