package undercroft.actor
package internal.cell

/** An internal message: sent by the runtime and queued in order with user messages. */
private[actor] abstract class InternalMessage:
  /** Delivers it. Returns the next behavior, or [[Behavior.skipped]]. */
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T]

  /** Called instead of `deliver` if it is not delivered. */
  def tooLate(reason: DeadLetterReason): Unit = ()

  /** The user message inside, if losing it is worth a report, else null. */
  def shown: AnyRef | Null = null

  /** The part that can be handled again if its handler failed: this message or the user message
    * alone.
    */
  def kept: AnyRef | Null = shown

  /** Called if its handler failed, and it is not handled again. */
  def failed(cause: Throwable): Unit = ()

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
