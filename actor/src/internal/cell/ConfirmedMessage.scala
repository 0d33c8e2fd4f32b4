package undercroft.actor
package internal.cell

/** A message to an actor that stores events, whose sender keeps it until its events are stored: see
  * `ActorRef.tellConfirmed`. It stays in its envelope in the stash and for a retry. Owner thread
  * only, once it is queued.
  */
private[actor] final class ConfirmedMessage(content: AnyRef, concluded: Boolean => Unit)
    extends Envelope(content):
  private var isConcluded = false

  /** Tells the sender, once, whether it may forget the message. */
  def conclude(isStored: Boolean): Unit =
    if !isConcluded then
      isConcluded = true
      concluded(isStored)

  /** A failure that is not of the storage is the outcome of the message. */
  override def failed(cause: Throwable): Unit = cause match
    case failure: StorageFailure => conclude(failure.isPermanent)
    case _                       => conclude(isStored = true)

  override def tooLate(reason: DeadLetterReason): Unit = conclude(isStored = false)
  override def kept: AnyRef | Null = this
end ConfirmedMessage

private[actor] object ConfirmedMessage:
  /** Concludes the message inside, if it is one of these. */
  def conclude(message: AnyRef | Null, isStored: Boolean): Unit =
    val confirmed = in(message)
    if confirmed != null then confirmed.conclude(isStored)

  def isIn(message: AnyRef): Boolean = in(message) != null

  private def in(message: AnyRef | Null): ConfirmedMessage | Null = message match
    case confirmed: ConfirmedMessage => confirmed
    case envelope: Envelope          => in(envelope.message)
    case _                           => null

/** An exception because events could not be stored. */
private[undercroft] trait StorageFailure:
  /** Whether the same events cannot be stored later. */
  private[undercroft] def isPermanent: Boolean
