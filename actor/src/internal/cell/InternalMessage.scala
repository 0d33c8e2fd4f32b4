package undercroft.actor
package internal.cell

/** An internal message: sent by the runtime and queued in order with user messages. */
private[actor] abstract class InternalMessage:
  /** Delivers it. Returns the next behavior, or [[Behavior.skipped]]. */
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T]

  /** Called instead of `deliver` if it is not delivered. */
  def tooLate(reason: DeadLetterReason): Unit =
    val _ = reason

  /** The user message inside, if losing it is worth a report, else null. */
  def shown: AnyRef | Null = null

  /** The part that can be handled again if its handler failed: this message or the user message
    * alone.
    */
  def kept: AnyRef | Null = shown

  /** Called if its handler failed, and it is not handled again. */
  def failed(cause: Throwable): Unit =
    val _ = cause

  /** How often [[kept]] has failed before. */
  def failures: Int = 0

  /** The part that `stash()` keeps: this message or, once delivered, the user message inside it. */
  def aside: AnyRef = this

  /** Whether it counts in a mailbox that drops the oldest message: true if a user sent it. */
  def isBounded: Boolean = false

  /** Whether it only notifies. A notice that no handler receives does not become a dead letter. */
  def isNotice: Boolean = false
end InternalMessage

private[actor] object InternalMessage:
  /** The user message, or null if there is none. */
  def shown(message: AnyRef): AnyRef | Null = message match
    case notice: InternalMessage => notice.shown
    case _                       => message

  /** Whether a message counts in a mailbox that drops the oldest one: true for user messages and
    * asks.
    */
  def isBounded(message: AnyRef): Boolean = message match
    case notice: InternalMessage => notice.isBounded
    case _                       => true

  def aside(message: AnyRef): AnyRef = message match
    case notice: InternalMessage => notice.aside
    case _                       => message

  def isNotice(message: AnyRef): Boolean = message match
    case notice: InternalMessage => notice.isNotice
    case _                       => false

  /** The internal message without its envelopes; null if that is a user message. */
  def source(message: AnyRef): InternalMessage | Null = message match
    case envelope: Envelope      => source(envelope.message)
    case notice: InternalMessage => notice
    case _                       => null

  def failed(message: AnyRef, cause: Throwable): Unit = message match
    case notice: InternalMessage => notice.failed(cause)
    case _                       => ()

  /** The part that can be handled again, or null. */
  def kept(message: AnyRef): AnyRef | Null = message match
    case notice: InternalMessage => notice.kept
    case _                       => message
end InternalMessage

/** A message in transit, with additional data. */
private[actor] abstract class Envelope(val message: AnyRef) extends InternalMessage:
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] = message match
    case notice: InternalMessage => notice.deliver(cell, behavior)
    case _                       => behavior.receive(message.asInstanceOf[T])

  override def tooLate(reason: DeadLetterReason): Unit = message match
    case notice: InternalMessage => notice.tooLate(reason)
    case _                       => ()
  override def failed(cause: Throwable): Unit = InternalMessage.failed(message, cause)
  override def shown: AnyRef | Null = InternalMessage.shown(message)
  override def isBounded: Boolean = InternalMessage.isBounded(message)
  override def isNotice: Boolean = InternalMessage.isNotice(message)
  override def toString: String = message.toString
end Envelope

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

/** An actor has stopped; queued after everything that it sent. */
private[actor] final class TerminatedMessage(
    stopped: ActorCell[?],
    failure: Throwable | Null,
    context: AnyRef | Null
) extends InternalMessage:
  private var content: AnyRef = this

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val coldState = cell.coldState()
    val refs = coldState.watched(stopped)
    if refs == null then Behavior.skipped
    else
      val (ref, instead) = (refs.ref, refs.message)
      if refs.hasOthers then // each reference has a notification of its own
        cell.tellInternal(TerminatedMessage(stopped, failure, context))
      coldState.endOldestWatch(stopped)
      if instead != null then
        val message = instead.asInstanceOf[AnyRef]
        content = ContextEnvelope.wrapped(cell, message, context)
        ContextEnvelope.deliver(cell, behavior, message, context)
      else
        val why = Option(failure)
        val next = Lifecycle.signal(cell, behavior, Signal.Terminated(ref, why), context)
        if next eq Behavior.unhandled then
          SignalContext.note(cell, context)
          throw DeathPactException(ref.name, why)
        next
  end deliver

  override def kept: AnyRef | Null = if content eq this then null else content
  override def aside: AnyRef = content
  override def isNotice: Boolean = true
  override def toString: String = s"Terminated(${stopped.name})"
end TerminatedMessage
