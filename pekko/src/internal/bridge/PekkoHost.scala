package undercroft.pekko
package internal.bridge

import internal.delivery.DeliveryBatch
import org.apache.pekko.actor.{typed, DeadLetterSuppression, NoSerializationVerificationNeeded}
import org.apache.pekko.actor.typed.scaladsl.{AbstractBehavior, ActorContext, Behaviors}
import scala.collection.mutable.ArrayDeque
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import undercroft.actor.{
  ActorRef,
  Behavior,
  ChildFailedException,
  Mailbox,
  MailboxFullException,
  Overflow,
  Run
}
import undercroft.actor.{Signal, Supervision, spawn}

/** A Pekko actor that hosts one actor of Undercroft: it is the executor of that actor's turns, so
  * setup, messages, signals, timers, stash and supervision are Undercroft's own. The hosted actor
  * has a parent of its own, which learns how it ended:
  *
  * {{{
  *   Pekko's mailbox --> PekkoHost --> tell --> parent
  *                           ^                    | child
  *                           |                  hosted actor
  *                           +--- turns ----------+
  * }}}
  *
  * Messages of reliable delivery arrive in batches, which the host acknowledges.
  */
private[pekko] final class PekkoHost[T](
    behavior: Behavior[T],
    mailbox: Mailbox,
    bridge: PekkoBridge,
    context: ActorContext[Any]
) extends AbstractBehavior[Any](context):
  private val address = context.self
  private val turns = HostTurns(address)
  private val batches = BatchReceiver(context, bridge.contexts, () => turns.runDue())
  @volatile private var hosted: ActorRef[T] | Null = null
  @volatile private var ended: PekkoHost.Ended | Null = null

  /** The messages that wait until the hosted actor has room for them, before all later ones; null
    * if there is none.
    */
  private var waiting: PekkoHost.Waiting | Null = null

  private val parent: ActorRef[Unit] =
    turns.within(
      spawn(guard, s"host of ${address.path}", Run.On(turns))(using bridge.system)
    )

  private def guard: Behavior[Unit] = Behavior
    .setup[Unit] {
      val actor = spawn(behavior, s"${address.path}", Run.On(turns), mailbox)
      undercroft.actor.context.watch(actor)
      bridge.host(actor, address)
      hosted = actor
      Behavior
        .receive[Unit](_ => Behavior.stopped)
        .onSignal {
          case Signal.Terminated(_, cause) =>
            ended = PekkoHost.Ended(cause)
            Behavior.stopped
          case Signal.PostStop => // also if Pekko stops or restarts the host
            bridge.release(actor)
            Behavior.same
        }
    }
    .supervised { case _: ChildFailedException => Supervision.Resume }

  // ---- Pekko's side

  def onMessage(message: Any): typed.Behavior[Any] =
    val earlier = waiting
    message match
      case _: HostTurns.Wake.type => turns.awake()
      case concluded: BatchReceiver.Concluded =>
        turns.within(batches.resume(concluded, hosted.nn.asInstanceOf[ActorRef[Any]]))
      case first: PekkoHost.Waiting => waiting = first
      case _: PekkoHost.Retry.type =>
        if earlier ne null then earlier.isTimed = false
        turns.awake() // a full mailbox of Pekko may have dropped the wake
      case _ => if earlier eq null then handle(message) else earlier.add(message, bridge.pekko)
    if waiting ne null then deliverWaiting(waiting.nn)
    next()

  private def handle(message: Any): Unit = message match
    case _: PekkoHost.StopInOrder.type => turns.within(hosted.nn.stopInOrder())
    case batch: DeliveryBatch =>
      turns.within(batches.handle(batch, hosted.nn.asInstanceOf[ActorRef[Any]]))
    case _ => turns.within(deliver(message))

  /** Delivers waiting messages while the hosted actor has room. The rest follows after its turns; a
    * process has none, so a timer tries again, too.
    */
  private def deliverWaiting(earlier: PekkoHost.Waiting): Unit =
    val actor = hosted.nn
    while (ended eq null) && !earlier.messages.isEmpty && !actor.isStopped && actor.hasRoom do
      handle(earlier.messages.removeHead())
    if earlier.messages.isEmpty then waiting = null
    else if (ended eq null) && !earlier.isTimed then
      earlier.isTimed = true
      context.scheduleOnce(PekkoHost.RetryTime, address, PekkoHost.Retry): Unit

  private def discardWaiting(): Unit =
    val earlier = waiting
    waiting = null
    if earlier ne null then earlier.discard(bridge.pekko)

  private def deliver(message: Any): Unit =
    try bridge.contexts.deliver(message)(hosted.nn.tell(message.asInstanceOf[T]))
    catch case _: MailboxFullException => () // counted as a dead letter

  /** Pekko's next behavior: a failure of the hosted actor becomes one of the Pekko actor. */
  private def next(): typed.Behavior[Any] =
    val end = ended
    if end eq null then this
    else
      discardWaiting()
      end.cause.foreach(cause => throw cause)
      Behaviors.stopped

  override def onSignal: PartialFunction[typed.Signal, typed.Behavior[Any]] = {
    case _: (typed.PostStop | typed.PreRestart) =>
      discardWaiting()
      if ended eq null then turns.within(parent ! ())
      turns.close()
      this
    case typed.Terminated(sender) =>
      batches.end(sender)
      this
    case signal if PekkoHost.isPoisonPill(signal) => onMessage(PekkoHost.StopInOrder)
  }
end PekkoHost

private[pekko] object PekkoHost:
  def apply[T](behavior: Behavior[T], mailbox: Mailbox): typed.Behavior[Any] =
    Behaviors.setup[Any](context =>
      new PekkoHost(behavior, mailbox, PekkoBridge(context.system), context).next()
    )

  /** Whether a signal is Pekko's one to an entity that moves or is passivated. Its type is Pekko's
    * own. Unless the entity handles it, Pekko stops the entity at once, with the messages that the
    * hosted actor has not handled.
    */
  def isPoisonPill(signal: typed.Signal): Boolean =
    signal.getClass.getName == "org.apache.pekko.actor.typed.internal.PoisonPill$"

  /** A message of the host's own node: the hosted actor stops after the messages before it. */
  object StopInOrder extends NoSerializationVerificationNeeded

  /** The most messages that wait. As the buffers of Cluster Sharding. */
  val WaitingLimit = 100_000

  /** Messages that arrived before the hosted actor started, in their order: the host passes them on
    * as the actor has room. Confined to the Pekko actor.
    */
  final class Waiting extends NoSerializationVerificationNeeded:
    val messages: ArrayDeque[Any] = ArrayDeque.empty[Any]

    /** Whether a [[Retry]] will come. */
    var isTimed = false

    /** Adds a message; one beyond the limit is refused. */
    def add(message: Any, system: typed.ActorSystem[?]): Unit = message match
      case batch: DeliveryBatch              => batch.replyTo ! batch.refusal
      case _: StopInOrder.type               => messages.append(message): Unit
      case _ if messages.size < WaitingLimit => messages.append(message): Unit
      case _                                 => refuse(message, system)

    def discard(system: typed.ActorSystem[?]): Unit =
      messages.removeAll().foreach(refuse(_, system))
  end Waiting

  /** A message of a host to itself: the hosted actor may have room. */
  private object Retry extends NoSerializationVerificationNeeded, DeadLetterSuppression
  private val RetryTime: FiniteDuration = 50.millis

  /** Makes a message a dead letter of Pekko; the sender of a batch sends it again. */
  def refuse(message: Any, system: typed.ActorSystem[?]): Unit = message match
    case _: (StopInOrder.type | DeliveryBatch | Waiting) => ()
    case _                                               => system.deadLetters[Any] ! message

  /** Throws an IllegalArgumentException if a hosted actor cannot have the mailbox. */
  def requireAllowed(mailbox: Mailbox): Unit =
    if mailbox.overflow == Overflow.Backpressure then
      throw IllegalArgumentException(
        "the mailbox of an actor on Pekko cannot have Overflow.Backpressure, which would block the" +
          " actor itself; allowed: Fail, DropNewest, DropOldest"
      )

  /** The hosted actor has stopped. */
  private final class Ended(val cause: Option[Throwable])
end PekkoHost
