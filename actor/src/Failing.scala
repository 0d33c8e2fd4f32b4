package undercroft.actor

/** What becomes of a message that its handler failed with: see [[Behavior.failing]]. It is decided
  * beside what becomes of the actor, which is [[Supervision]].
  */
enum Failing derives CanEqual:
  /** It is gone, and counted as failed: what happens where nothing else is said. */
  case Drop

  /** It is handled again, before all that waits, by the actor as it is after the failure: as it was
    * before it, or begun anew. Until then it counts as stashed. What fails after `times` more
    * trials, or with an actor that stops, becomes what `otherwise` says.
    */
  case Retry(times: Int = 3, otherwise: Failing = Failing.Drop)

  /** It is counted as failed and kept, with the cause and what the actor says of its state, until
    * somebody takes it: [[ActorSystem.takeParked]].
    */
  case Park

  /** It is counted as failed, and the parent gets a [[Signal.MessageFailed]]. For a child of the
    * system itself it is parked: nobody would look at the signal.
    */
  case ToParent

  /** What is done after the message has failed so many times. */
  private[actor] def after(failures: Int, mayRetry: Boolean): Failing = this match
    case Retry(times, otherwise) if !mayRetry || failures > times =>
      if otherwise == null then Drop else otherwise.after(failures - times, mayRetry)
    case decided => decided
end Failing

/** A message that failed and is kept. */
final case class Parked(
    actor: ActorRef[Nothing],
    message: Any,
    cause: Throwable,
    state: String
) derives CanEqual:

  /** Sends the message to its actor once more, as a new one. */
  def sendAgain(): Unit = actor.asInstanceOf[ActorRef[Any]].tell(message)

/** What a `failing` around a behaviour says. The actor's thread. */
private[actor] final class FailingRule(
    val decide: PartialFunction[Throwable, Failing],
    describe: () => String
):
  /** What is decided; a decision that throws, or is null, is to drop the message. */
  def wanted(cause: Throwable): Failing =
    try decided(decide(cause), "failing")
    catch
      case other: Throwable =>
        addSuppressed(cause, other)
        Failing.Drop

  /** The state in the user's words, or why there are none. */
  def state: String =
    try describe()
    catch
      case cause: Throwable =>
        try s"not described: $cause"
        catch case _: Throwable => s"not described: ${cause.getClass.getName}"

/** A message on its way to be handled again. */
private[actor] final class Retried(failed: AnyRef, val failures: Int)
    extends Envelope(failed):
  override def kept: AnyRef | Null = message

private[actor] object Retried:
  /** The message itself. */
  def inner(message: AnyRef): AnyRef = message match
    case retried: Retried => retried.message
    case other            => other

  def failures(message: AnyRef): Int = message match
    case retried: Retried => retried.failures
    case _                => 0

/** Messages that were parked. Any thread, by a lock. */
private[actor] final class ParkedBox:
  private val parked = java.util.ArrayDeque[Parked]()

  /** Keeps a message. Returns the oldest one if there is no room for both. */
  def add(one: Parked): Parked | Null = synchronized:
    parked.addLast(one)
    if parked.size > ActorSystem.ParkedLimit then parked.pollFirst else null

  /** Gives all of them away, in their order. */
  def takeAll(): Vector[Parked] = synchronized:
    val all = Vector.newBuilder[Parked]
    while !parked.isEmpty do all += parked.pollFirst.nn
    all.result()
end ParkedBox

/** A child failed with a message that its parent is to have. */
private[actor] final class MessageFailedNotice(child: Cell[?], message: AnyRef, failure: Throwable)
    extends Notice:
  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    cell.signalTo(behavior, Signal.MessageFailed(child, message, failure))
  override def shown: AnyRef | Null = message
  override def kept: AnyRef | Null = null
  override def toString: String = s"MessageFailed(${child.name}, $message)"
