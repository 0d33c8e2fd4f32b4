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
  def adapted(message: U): ConvertedMessage =
    val conversion = convert.asInstanceOf[Any => Any]
    ConvertedMessage(message.asInstanceOf[AnyRef], conversion, isResult = false)

  def isStopped: Boolean = cell.isStopped
  private[undercroft] override def hasRoom: Boolean = cell.hasRoom
  private[undercroft] def lifetime: ActorRef[Nothing] = cell
end MessageAdapter

/** A message that the actor's own thread converts to a user message when it handles it: one to an
  * adapter or, if `isResult`, the result of a future.
  */
private[actor] final class ConvertedMessage(
    source: AnyRef,
    conversion: Any => Any,
    isResult: Boolean
) extends InternalMessage:
  private var converted: AnyRef | Null = null
  private var content: AnyRef = this

  /** Creates the user message. Owner thread only. */
  private def convert(cell: ActorCell[?]): AnyRef =
    val message = conversion(source)
    if message == null then
      throw NullPointerException(
        if isResult then s"the function given to pipeToSelf of ${cell.name} returned null"
        else s"a message adapter of ${cell.name} returned null for $source"
      )
    message.asInstanceOf[AnyRef]

  /** The user message, for the inbox of a process, which may examine it several times before it
    * takes it. It is converted once. Owner thread only.
    */
  def userMessage(cell: ActorCell[?]): AnyRef = converted match
    case null =>
      val message = convert(cell)
      converted = message
      message
    case message => message

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    content = userMessage(cell)
    converted = null // a retry converts again
    behavior.receive(content.asInstanceOf[T])

  override def shown: AnyRef | Null = source
  override def kept: AnyRef | Null = this
  override def aside: AnyRef = content
  override def isBounded: Boolean = !isResult
  override def toString: String = if isResult then s"the future's $source" else s"$source"
end ConvertedMessage
