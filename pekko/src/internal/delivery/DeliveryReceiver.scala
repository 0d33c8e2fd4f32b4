package undercroft.pekko
package internal.delivery

import scala.collection.mutable

/** The receiver's side of reliable delivery: accepts each message of a sender once, in order.
  *
  * It knows the number that it expects next from each sender. From a sender that it does not know,
  * because this receiver has just started, it expects the oldest unacknowledged message. A message
  * that an earlier receiver accepted, and whose acknowledgement was lost, is then accepted twice.
  *
  * The notice that a sender has stopped may overtake its last batches, and such a batch may repeat
  * accepted messages. So the receiver keeps the numbers of the last [[DeliveryReceiver.MaxEnded]]
  * senders that have stopped.
  *
  * Not thread-safe. Memory: about 100 bytes for each sender, also for the last ones that have
  * stopped.
  */
private[pekko] final class DeliveryReceiver[S]:
  private val expectedBy = mutable.HashMap.empty[S, Long]

  /** The known senders that have stopped, in the order in which they did so. */
  private lazy val ended = mutable.LinkedHashSet.empty[S]

  def isKnown(sender: S): Boolean = expectedBy.contains(sender)

  /** The number that is expected next from a sender whose oldest unacknowledged one is `base`. */
  def expected(sender: S, base: Long): Long = math.max(expectedBy.getOrElse(sender, base), base)

  /** All messages of the sender before `next` are accepted. */
  def advance(sender: S, next: Long): Unit = expectedBy.update(sender, next)

  /** A sender has stopped. */
  def end(sender: S): Unit =
    ended.add(sender): Unit
    if ended.size > DeliveryReceiver.MaxEnded then
      val oldest = ended.head
      ended.remove(oldest): Unit
      expectedBy.remove(oldest): Unit

  /** Handles a batch: `accept` gets each new message in order, up to the first one whose outcome is
    * not Accepted. Returns the reply to the sender. While that takes long, `progress` may send it
    * the number that is expected next.
    */
  def handle(sender: S, base: Long, first: Long, transmission: Long, payloads: Array[Payload])(
      accept: Payload => Outcome,
      progress: Long => Unit
  ): Acknowledgement =
    var expected = this.expected(sender, base)
    var outcome = if first > expected then Outcome.Gap else Outcome.Accepted
    var i = math.max(expected - first, 0L)
    while outcome == Outcome.Accepted && i < payloads.length do
      val payload = payloads(i.toInt)
      if payload ne Payload.Withdrawn then outcome = accept(payload)
      if outcome == Outcome.Accepted then
        expected += 1
        progress(expected)
      i += 1
    advance(sender, expected)
    Acknowledgement(expected, transmission, outcome)
end DeliveryReceiver

private[pekko] object DeliveryReceiver:
  /** The most stopped senders that are known. A batch is accepted again only if more senders stop
    * while it is on the way.
    */
  final val MaxEnded = 32
