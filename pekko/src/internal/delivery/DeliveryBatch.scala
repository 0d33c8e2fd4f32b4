package undercroft.pekko
package internal.delivery

import org.apache.pekko.actor.typed

/** A message as its serializer wrote it. */
private[pekko] final class Payload(
    val serializer: Int,
    val manifest: String,
    val bytes: Array[Byte]
):
  /** The trace context in which it was sent, as text. Not part of the batch's own bytes. */
  var context: String | Null = null

  /** An upper bound of its length in a batch, in bytes. */
  def length: Int = Payload.Overhead + 3 * manifest.length + bytes.length

private[pekko] object Payload:
  /** The place of a message that the sender has given up: the receiver passes over it. */
  val Withdrawn: Payload = Payload(0, "", Array.emptyByteArray)

  /** Serializer, length of the manifest and length of the bytes. */
  private val Overhead = 10

/** Consecutive messages of one sender to one receiver.
  *
  * @param base
  *   the number of the oldest message that is not acknowledged
  * @param first
  *   the number of the batch's first message
  * @param transmission
  *   the number of the batch; a batch that is sent again gets a new one
  */
private[pekko] final class DeliveryBatch(
    val replyTo: typed.ActorRef[Acknowledgement],
    val base: Long,
    val first: Long,
    val transmission: Long,
    val payloads: Array[Payload]
):
  /** The reply that nothing of it is accepted now: its sender sends it again. */
  def refusal: Acknowledgement = reply(base, Outcome.Full)

  def reply(expected: Long, outcome: Outcome): Acknowledgement =
    Acknowledgement(expected, transmission, outcome)

  override def toString: String = s"messages $first to ${first + payloads.length - 1}"

/** The receiver's reply to a batch.
  *
  * @param expected
  *   the number of the next message that the receiver accepts: it has accepted all earlier ones
  * @param transmission
  *   the number of the batch
  */
private[pekko] final class Acknowledgement(
    val expected: Long,
    val transmission: Long,
    val outcome: Outcome
)

/** The outcome of a batch for the message that is expected next. */
private[pekko] enum Outcome derives CanEqual:
  /** The whole batch was accepted. */
  case Accepted

  /** An earlier message is missing. */
  case Gap

  /** The mailbox is full. */
  case Full

  /** The events of the message could not be stored. */
  case NotStored

  /** The message cannot be read: the sender has to withdraw it. */
  case Unreadable(reason: String)
end Outcome
