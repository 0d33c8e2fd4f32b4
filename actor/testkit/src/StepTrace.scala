package undercroft.actor
package testkit

import internal.cell.{ActorCell, InboundNode}
import internal.mailbox.MessageQueue
import java.util.{ArrayDeque, IdentityHashMap, Locale}
import scala.collection.mutable.ArrayBuffer

/** The steps of a simulation as text, one line per step. Confined to one thread.
  *
  * The sender of a message is known because only one actor runs at a time: it sent the messages
  * that its step added to the inbound queues.
  */
private[testkit] final class StepTrace:
  private val texts = ArrayBuffer[String]()
  private val inboundQueues = IdentityHashMap[ActorCell[?], Seen]()

  /** The newest message seen on an actor's inbound queue, and the unhandled ones with their
    * senders.
    */
  private final class Seen(var newest: InboundNode):
    val waiting = ArrayDeque[(AnyRef, String)]()

  def lines: Vector[String] = texts.toVector

  def line(step: Int, nanos: Long, text: String): Unit =
    texts += "%5d  %10s ms  %s".formatLocal(Locale.ROOT, step, StepTrace.millis(nanos), text)

  /** Adds a line for an effect of the current step. */
  def note(text: String): Unit = texts += " " * 22 + text

  def spawned(cell: ActorCell[?]): Unit = inboundQueues.put(cell, Seen(cell.headVolatile)): Unit

  /** Records that an actor is about to run, possibly in the middle of another actor's turn. */
  def before(cell: ActorCell[?], step: Int, nanos: Long, atWork: String): Unit =
    after(atWork)
    val message = MessageQueue.peek(cell)
    val text =
      if cell.needsStart then "begins"
      else if message != null then s"<- ${StepTrace.show(message)}${senderOf(cell, message)}"
      else if cell.runner.keepsThread then "goes on"
      else "does as it is told"
    line(step, nanos, s"${cell.name} $text")

  private def senderOf(cell: ActorCell[?], message: AnyRef): String =
    val seen = inboundQueues.get(cell)
    val first = if seen == null then null else seen.waiting.peek
    if first != null && (first._1 eq message) then
      seen.nn.waiting.poll(): Unit
      s"   from ${first._2}"
    else ""

  /** Attributes the messages that are new on the inbound queues to `sender`. */
  def after(sender: String): Unit = inboundQueues.forEach: (cell, seen) =>
    val newest = cell.headVolatile
    if (newest ne seen.newest) && (newest ne InboundNode.Closed) then
      val fresh = ArrayDeque[AnyRef]()
      var node: InboundNode | Null = newest
      while node != null && (node ne seen.newest) do
        val message = node.message
        if message != null then fresh.addFirst(message)
        node = node.next
      fresh.forEach(message => seen.waiting.add((message, sender)): Unit)
      seen.newest = newest

  def told(event: ActorEvent): Unit = event match
    case ActorEvent.Failed(actor, cause, decision) =>
      note(s"$actor failed: ${ValueText.of(cause)}; $decision")
    case ActorEvent.DeadLetter(to, message, reason) =>
      note(s"dead letter to $to, $reason: ${StepTrace.show(message)}")
    case event => note(ValueText.of(event))
end StepTrace

private[testkit] object StepTrace:
  private val LongestMessage = 100

  def millis(nanos: Long): String = String.format(Locale.ROOT, "%.3f", nanos / 1e6)

  def show(message: Any): String =
    val text = ValueText.of(message)
    if text.length <= LongestMessage then text else text.take(LongestMessage) + "…"
