package undercroft.actor
package internal.cell

import internal.mailbox.MessageQueue

/** A reference for messages of another protocol, which the actor converts to its own. */
private[actor] final class MessageAdapter[U, T](val cell: ActorCell[T], convert: U => T)
    extends ExternalRef[U](cell.system):
  def name: String = s"adapter of ${cell.name}"

  def tell(message: U): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    cell.tellBounded(adapted(message))

  override def tellPriority(message: U): Unit =
    if message == null then throw NullPointerException(s"a message to $name is null")
    MessageQueue.putPriority(cell, adapted(message))

  /** The message as it is sent to the actor. */
  def adapted(message: U): AdaptedMessage =
    AdaptedMessage(message, convert.asInstanceOf[Any => Any])

  def isStopped: Boolean = cell.isStopped
  private[undercroft] override def hasRoom: Boolean = cell.hasRoom
  private[undercroft] def lifetime: ActorRef[Nothing] = cell
end MessageAdapter

/** A message to an adapter; the actor's own thread converts it. */
private[actor] final class AdaptedMessage(message: Any, convert: Any => Any)
    extends ConvertedMessage:
  private var content: AnyRef = this

  protected def convert(cell: ActorCell[?]): AnyRef =
    val converted = convert(message)
    if converted == null then
      throw NullPointerException(s"a message adapter of ${cell.name} returned null for $message")
    converted.asInstanceOf[AnyRef]

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    content = take(cell)
    behavior.receive(content.asInstanceOf[T])

  override def shown: AnyRef | Null = message.asInstanceOf[AnyRef]
  override def kept: AnyRef | Null = this
  override def aside: AnyRef = content
  override def isBounded: Boolean = true
  override def toString: String = s"$message"
end AdaptedMessage

/** A message that the actor's own thread converts to a user message, to handle it. */
private[actor] abstract class ConvertedMessage extends InternalMessage:
  private var converted: AnyRef | Null = null

  /** Creates the user message. Owner thread only. */
  protected def convert(cell: ActorCell[?]): AnyRef

  /** The user message, for the inbox of a process, which may examine it several times before it
    * takes it. It is converted once. Owner thread only.
    */
  final def userMessage(cell: ActorCell[?]): AnyRef = converted match
    case null =>
      val message = convert(cell)
      converted = message
      message
    case message => message

  /** The user message, to be handled. Owner thread only. */
  protected final def take(cell: ActorCell[?]): AnyRef = converted match
    case null => convert(cell)
    case message =>
      converted = null // a retry converts again
      message
end ConvertedMessage

/** The result of a future; the actor's own thread converts it to a user message. */
private[actor] final class FutureResultMessage[A](
    result: scala.util.Try[A],
    message: scala.util.Try[A] => Any
) extends ConvertedMessage:
  private var content: AnyRef = this

  protected def convert(cell: ActorCell[?]): AnyRef =
    val converted = message(result)
    if converted == null then
      throw NullPointerException(s"the function given to pipeToSelf of ${cell.name} returned null")
    converted.asInstanceOf[AnyRef]

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    content = take(cell)
    behavior.receive(content.asInstanceOf[T])
  override def toString: String = s"the future's $result"
  override def shown: AnyRef | Null = result
  override def kept: AnyRef | Null = this
  override def aside: AnyRef = content
end FutureResultMessage
