package undercroft.actor
package testkit

import java.util.{ArrayDeque, IdentityHashMap, Locale}
import scala.collection.mutable.ArrayBuffer

/** What happened in a simulation, in words: a line a step. One thread.
  *
  * Who sent what is known because only one actor is at work at a time: what lies on the lanes after
  * its step, and did not before, is its.
  */
private[testkit] final class Trace:
  private val texts = ArrayBuffer[String]()
  private val lanes = IdentityHashMap[Cell[?], Seen]()

  /** The newest message on an actor's lane that was seen, and those that it has not handled. */
  private final class Seen(var newest: Node):
    val waiting = ArrayDeque[(AnyRef, String)]()

  def lines: Vector[String] = texts.toVector

  def line(step: Int, nanos: Long, text: String): Unit =
    texts += f"$step%5d  ${Trace.millis(nanos)}%10s ms  $text"

  /** Something that a step brought about. */
  def note(text: String): Unit = texts += " " * 22 + text

  def spawned(cell: Cell[?]): Unit = lanes.put(cell, Seen(cell.headVolatile)): Unit

  /** An actor is about to have a turn, maybe in the middle of what another is at. */
  def before(cell: Cell[?], step: Int, nanos: Long, atWork: String): Unit =
    after(atWork)
    val message = cell.upcoming
    val text =
      if cell.needsStart then "begins"
      else if message != null then s"<- ${Trace.show(message)}${senderOf(cell, message)}"
      else if cell.runner.keepsThread then "goes on"
      else "does as it is told"
    line(step, nanos, s"${cell.name} $text")

  private def senderOf(cell: Cell[?], message: AnyRef): String =
    val seen = lanes.get(cell)
    val first = if seen == null then null else seen.waiting.peek
    if first != null && (first._1 eq message) then
      seen.nn.waiting.poll(): Unit
      s"   from ${first._2}"
    else ""

  /** Somebody has done something: what is new on the lanes is his. */
  def after(sender: String): Unit = lanes.forEach: (cell, seen) =>
    val newest = cell.headVolatile
    if (newest ne seen.newest) && (newest ne Node.Closed) then
      val fresh = ArrayDeque[AnyRef]()
      var each: Node | Null = newest
      while each != null && (each ne seen.newest) do
        val message = each.message
        if message != null then fresh.addFirst(message)
        each = each.next
      fresh.forEach(message => seen.waiting.add((message, sender)): Unit)
      seen.newest = newest

  def told(event: Event): Unit = event match
    case Event.Failed(actor, cause, decision) => note(s"$actor failed: $cause; $decision")
    case Event.DeadLetter(to, message, reason) =>
      note(s"dead letter to $to, $reason: ${Trace.show(message)}")
    case other => note(other.toString)
end Trace

private[testkit] object Trace:
  private val LongestMessage = 100

  def millis(nanos: Long): String = String.format(Locale.ROOT, "%.3f", nanos / 1e6)

  def show(message: Any): String =
    val text = String.valueOf(message)
    if text.length <= LongestMessage then text else text.take(LongestMessage) + "…"
