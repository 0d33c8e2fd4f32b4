package undercroft.actor
package internal.cell

import internal.dispatch.Dispatcher

/** An envelope that records the origin of a message. Created only if causes are recorded:
  * [[ActorSettings.causes]].
  */
private[actor] final class TracedMessage(
    sent: AnyRef,
    val id: Long,
    val sender: ActorCell[?] | Null,
    val parent: Long,
    val thread: String
) extends Envelope(sent):
  override def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    cell.coldState().ownCauses().add(this)
    super.deliver(cell, behavior)

  override def kept: AnyRef | Null = InternalMessage.kept(message) match
    case null    => null
    case content => around(content)
  override def aside: AnyRef = around(InternalMessage.aside(message))

  private def around(content: AnyRef): TracedMessage =
    if content eq message then this else TracedMessage(content, id, sender, parent, thread)
end TracedMessage

private[actor] object TracedMessage:
  /** The messages that an actor handled most recently, or null. */
  def causesOf(cell: ActorCell[?]): MessageCauses | Null =
    val coldState = cell.coldStateOrNull
    if coldState == null then null else coldState.causes

  private val numbers = java.util.concurrent.atomic.AtomicLong(1)

  /** Wraps a message that this thread is about to send. */
  def sent(message: AnyRef): TracedMessage =
    val thread = Thread.currentThread
    val sender = Dispatcher.current(thread)
    val name = if sender == null then s"thread ${thread.getName}" else ""
    TracedMessage(message, numbers.getAndIncrement, sender, currentOf(sender), name)

  /** Wraps an internal message that an actor is about to handle, unless it is wrapped. */
  def ensured(cell: ActorCell[?], message: InternalMessage): InternalMessage = message match
    case message: (TracedMessage | RetriedMessage)                        => message
    case message: Envelope if message.message.isInstanceOf[TracedMessage] => message
    case message => TracedMessage(message, numbers.getAndIncrement, cell, message.cause, "")

  /** The number of the message that an actor handled last; 0 if there is none. */
  def currentOf(cell: ActorCell[?] | Null): Long =
    val notes = if cell == null then null else causesOf(cell)
    if notes == null then 0L else notes.current
end TracedMessage

/** The messages that one actor handled most recently. Thread-safe, by a lock. */
private[actor] final class MessageCauses:
  private val notes = new Array[TracedMessage | Null](MessageCauses.Kept)
  private var count = 0L

  def add(note: TracedMessage): Unit = synchronized:
    notes((count % MessageCauses.Kept).toInt) = note
    count += 1

  def current: Long = synchronized:
    if count == 0 then 0L else notes(((count - 1) % MessageCauses.Kept).toInt).nn.id

  def find(id: Long): TracedMessage | Null = synchronized:
    var result: TracedMessage | Null = null
    var i = 0
    while result == null && i < MessageCauses.Kept do
      val note = notes(i)
      if note != null && note.id == id then result = note
      i += 1
    result

  /** Returns up to `limit` messages, newest first. */
  def last(limit: Int): Vector[TracedMessage] = synchronized:
    Vector.tabulate(math.min(limit.toLong, math.min(count, MessageCauses.Kept)).toInt): i =>
      notes(((count - 1 - i) % MessageCauses.Kept).toInt).nn
end MessageCauses

private[actor] object MessageCauses:
  /** The number of messages that each actor remembers; they are reachable until then. */
  inline val Kept = 32
