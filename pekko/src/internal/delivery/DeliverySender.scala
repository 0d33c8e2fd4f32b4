package undercroft.pekko
package internal.delivery

import scala.collection.mutable.ArrayDeque

/** The sender's side of reliable delivery: go-back-N with cumulative acknowledgements.
  *
  * Messages are numbered. The unacknowledged ones are kept, in this order:
  *
  * {{{
  *   base            sent              base + window     base + entries.size
  *     | acknowledged? | not yet sent        | over the window    |
  * }}}
  *
  * A batch is sent again, with all after it, if the receiver reports a gap, or if nothing was
  * acknowledged for some time. Then, and after a full mailbox, the sender probes: it has only one
  * batch on the way until one is accepted. Replies to batches that were sent before the last
  * repetition do not cause another one. After a full mailbox, and if events could not be stored, it
  * pauses: for a millisecond, then twice as long each time until a message is accepted, at most for
  * a tick or for [[LastPauseNanos]]. The sender gives up if it hears nothing from the receiver for
  * `giveUpNanos`; a receiver that refuses a message replies, so it may take any time.
  *
  * The protocol does not depend on the network's order: a receiver ignores repeated messages, and
  * an acknowledgement counts only if it exceeds the earlier ones. See Tanenbaum, Computer Networks,
  * "A protocol using go-back-N".
  *
  * Not thread-safe. Memory: the messages and their bytes until they are acknowledged.
  *
  * @param transmit
  *   sends a batch: base, number of the first message, number of the transmission, payloads
  * @param undelivered
  *   gets each message that is given up, with the reason
  */
private[pekko] final class DeliverySender[M](window: Int, giveUpNanos: Long)(
    transmit: (Long, Long, Long, Array[Payload]) => Unit,
    undelivered: (M, String) => Unit
):
  import DeliverySender.*

  private final class Entry(val message: M, var payload: Payload)

  private val entries = ArrayDeque.empty[Entry]
  private var base = 0L

  /** The number of the first message that was not sent, or has to be sent again. */
  private var sent = 0L

  /** The number after the last message that was ever sent. */
  private var sentEnd = 0L
  private var transmissions = 0L

  /** Replies to earlier transmissions do not cause a repetition. */
  private var repeatedAt = 0L
  private var isProbing = false

  /** Whether a message was refused: nothing is sent before `resumeAt`. */
  private var isPaused = false
  private var resumeAt = 0L

  /** The length of the next pause. */
  private var pauseNanos = FirstPauseNanos
  private var lastHeard = 0L
  private var lastSent = 0L
  private var repeatNanos = FirstRepeatNanos

  /** Whether the window has room for another message. */
  def isOpen: Boolean = entries.size < window
  def isEmpty: Boolean = entries.isEmpty

  /** The number of unacknowledged messages, with the unsent ones. */
  def size: Int = entries.size

  /** Adds a message, which `flush` sends. Beyond the window it waits. */
  def add(message: M, payload: Payload, now: Long): Unit =
    if entries.isEmpty then
      lastHeard = now
      lastSent = now
    entries.append(Entry(message, payload)): Unit

  /** Sends the messages that the window allows. */
  def flush(now: Long): Unit =
    val end = base + math.min(entries.size, window)
    while !isPaused && sent < end && !(isProbing && sent > base) do
      val payloads = nextPayloads((end - sent).toInt)
      transmissions += 1
      transmit(base, sent, transmissions, payloads)
      sent += payloads.length
      sentEnd = math.max(sentEnd, sent)
      lastSent = now

  private def nextPayloads(limit: Int): Array[Payload] =
    val from = (sent - base).toInt
    var count = 1
    var bytes = entries(from).payload.length
    while count < math.min(limit, MaxMessages) &&
      bytes + entries(from + count).payload.length <= MaxBytes
    do
      bytes += entries(from + count).payload.length
      count += 1
    Array.tabulate(count)(i => entries(from + i).payload)

  /** Handles a reply of the receiver, and sends the messages that the window then allows. */
  def handle(reply: Acknowledgement, now: Long): Unit =
    // A forged reply may claim messages that were not sent.
    if reply.expected <= sentEnd && reply.transmission <= transmissions then
      lastHeard = now
      if reply.expected > base then
        pauseNanos = FirstPauseNanos
        entries.dropInPlace((reply.expected - base).toInt): Unit
        base = reply.expected
        sent = math.max(sent, base)
        // A slow receiver is given more time.
        repeatNanos = (4 * (now - lastSent)).max(FirstRepeatNanos).min(LastRepeatNanos)
        lastSent = now
      if reply.transmission > repeatedAt then
        reply.outcome match
          case Outcome.Accepted  => isProbing = false
          case Outcome.Gap       => repeat()
          case Outcome.Full      => pause(TickNanos, now)
          case Outcome.NotStored => pause(LastPauseNanos, now)
          case Outcome.Unreadable(reason) =>
            withdraw(reply.expected, reason)
            repeat()
      flush(now)
    end if
  end handle

  private def pause(limitNanos: Long, now: Long): Unit =
    repeat()
    isProbing = true
    isPaused = true
    val nanos = math.min(pauseNanos, limitNanos)
    resumeAt = now + nanos
    pauseNanos = nanos * 2

  private def repeat(): Unit =
    sent = base
    repeatedAt = transmissions

  private def withdraw(number: Long, reason: String): Unit =
    if number == base && entries.nonEmpty && (entries.head.payload ne Payload.Withdrawn) then
      entries.head.payload = Payload.Withdrawn
      undelivered(entries.head.message, reason)

  /** The time until `resume` is to be called; 0 if the sender does not pause. */
  def pausedNanos(now: Long): Long = if isPaused then math.max(resumeAt - now, 1) else 0

  /** Ends a pause whose time is over. */
  def resume(now: Long): Unit =
    if isPaused && now - resumeAt >= 0 then
      isPaused = false
      flush(now)

  /** Repeats the messages that were not acknowledged in time. To be called every [[TickNanos]]
    * while messages are unacknowledged. Returns whether the receiver is given up.
    */
  def tick(now: Long): Boolean =
    if isPaused then resume(now)
    else if entries.nonEmpty && now - lastSent >= repeatNanos then
      repeatNanos = math.min(repeatNanos * 2, LastRepeatNanos)
      isProbing = true
      repeat()
      flush(now)
    entries.nonEmpty && now - lastHeard >= giveUpNanos

  /** Gives all messages up. */
  def abandon(reason: String): Unit =
    entries.foreach: entry =>
      if entry.payload ne Payload.Withdrawn then undelivered(entry.message, reason)
    base += entries.size
    sent = base
    entries.clear()
end DeliverySender

private[pekko] object DeliverySender:
  val TickNanos = 50_000_000L

  /** The first pause after a refused message, and the last one if its events could not be stored.
    */
  val FirstPauseNanos = 1_000_000L
  val LastPauseNanos = 1_000_000_000L

  /** The time without an acknowledgement after which messages are sent again: at least, and at
    * most. It is four times the time to the last acknowledgement, and doubles with each repetition.
    */
  val FirstRepeatNanos = 200_000_000L
  val LastRepeatNanos = 5_000_000_000L

  /** The limits of a batch; a longer message has a batch of its own. A batch fits into the smallest
    * frame that Artery allows, 32 KiB.
    */
  private val MaxMessages = 256
  private val MaxBytes = 24 * 1024
