package undercroft.actor
package internal.cell

/** A message of an ask: the ask fails if the message is not handled or the actor stops.
  *
  * @param message
  *   a user message, or an internal one that converts it
  * @param from
  *   the start of the ask, by the system's clock
  */
private[actor] final class AskMessage(
    message: Any,
    val reply: Reply[?],
    withinNanos: Long,
    from: Long
) extends InternalMessage:
  override def isBounded: Boolean = true

  /** The message of the asker. */
  def content: AnyRef = message.asInstanceOf[AnyRef]

  /** The time until the ask times out. */
  def leftNanos: Long = withinNanos - (reply.system.clock.nanos - from)
  def timeOut(): Unit = reply.timeOut(withinNanos)

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    try
      message match
        case notice: InternalMessage => notice.deliver(cell, behavior)
        case _                       => behavior.receive(message.asInstanceOf[T])
    finally if reply.isOpen then cell.coldState().keepAsk(reply)

  override def toString: String = s"$message"

  override def shown: AnyRef | Null = InternalMessage.shown(message.asInstanceOf[AnyRef])
  override def kept: AnyRef | Null = this
  override def aside: AnyRef = message match
    case notice: InternalMessage => AskMessage(notice.aside, reply, withinNanos, from)
    case _                       => this

  private def targetName = reply.name.stripPrefix("the asker of ")

  override def failed(cause: Throwable): Unit =
    if reply.isOpen then
      reply.fail(AskFailedException(s"the handler of $targetName failed: $cause", cause))

  override def tooLate(reason: DeadLetterReason): Unit =
    reply.fail(reason match
      case DeadLetterReason.Stopped =>
        AskTargetStoppedException(s"$targetName stopped before it handled the ask")
      case lossReason =>
        AskDeadLetterException(s"$targetName did not handle the ask: $lossReason"))
end AskMessage

private[actor] object AskMessage:
  /** The ask inside a message, or null. */
  def in(message: AnyRef): AskMessage | Null = InternalMessage.source(message) match
    case question: AskMessage => question
    case _                    => null

  /** Whether this message is an ask whose reply `thread` waits for already. */
  def isAwaitedBy(message: AnyRef, thread: Thread): Boolean = in(message) match
    case null     => false
    case question => question.reply.isAwaitedBy(thread)
