package undercroft.actor
package internal.cell

/** The rule of one `onMessageFailure` layer around a behavior. Owner thread only. */
private[actor] final class MessageFailureRule(
    val decide: PartialFunction[Throwable, MessageFailure],
    describe: () => String
):
  /** The decision for an exception; to drop the message if the rule throws or returns null. */
  def wanted(cause: Throwable): MessageFailure =
    try decided(decide(cause), "onMessageFailure")
    catch
      case failure: Throwable =>
        addSuppressed(cause, failure)
        MessageFailure.Drop

  /** The user's description of the state, or the reason why there is none. */
  def state: String =
    try describe()
    catch
      case cause: Throwable =>
        try s"not described: $cause"
        catch case _: Throwable => s"not described: ${cause.getClass.getName}"

/** A failure of a message: its cause, the rule's decision, and the actor's state at that moment.
  *
  * @param context
  *   for the tracer of the parent, or null
  */
private[actor] final class MessageFailureRecord(
    val cause: Throwable,
    val outcome: MessageFailure,
    val stateText: String,
    val context: AnyRef | Null
)

/** A failed message that will be handled again; `last` is its latest failure. */
private[actor] final class RetriedMessage(
    failed: AnyRef,
    override val failures: Int,
    val last: MessageFailureRecord
) extends Envelope(failed):
  override def kept: AnyRef | Null = message

private[actor] object RetriedMessage:
  def failures(message: AnyRef): Int = message match
    case retried: RetriedMessage => retried.failures
    case envelope: Envelope      => failures(envelope.message)
    case notice: InternalMessage => notice.failures
    case _                       => 0

/** The parked messages of a system. Thread-safe, by a lock. */
private[actor] final class ParkedMessages(limit: Int):
  private val parked = java.util.ArrayDeque[ParkedMessage]()

  /** Adds a message. Returns the oldest one if there is no room for both, else null. */
  def add(message: ParkedMessage): ParkedMessage | Null = synchronized:
    parked.addLast(message)
    if parked.size > limit then parked.pollFirst else null

  /** Removes and returns all messages, in their order. */
  def takeAll(): Vector[ParkedMessage] = synchronized:
    val messages = Vector.newBuilder[ParkedMessage]
    while !parked.isEmpty do messages += parked.pollFirst.nn
    messages.result()
end ParkedMessages

/** Passes a child's failed message to its parent. */
private[actor] final class ChildMessageFailed(
    child: ActorCell[?],
    message: AnyRef,
    failure: Throwable,
    context: AnyRef | Null
) extends InternalMessage:
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val ref = child.asInstanceOf[ActorRef[Any]]
    Lifecycle.signal(cell, behavior, Signal.MessageFailed(ref, message, failure), context)
  override def shown: AnyRef | Null = message
  override def kept: AnyRef | Null = null
  override def toString: String = s"MessageFailed(${child.name}, $message)"
