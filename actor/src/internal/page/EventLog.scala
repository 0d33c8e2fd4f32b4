package undercroft.actor
package internal.page

import java.util.ArrayDeque
import java.util.concurrent.atomic.{AtomicLong, LongAdder}
import ActorTree.quoted

/** The last events of each kind, and the number of all. Thread-safe.
  *
  * Events are added on the threads of actors, and there may be millions of dead letters in a
  * second. So a kind keeps at most one event in [[EventLog.SpacingNanos]]; the others are only
  * counted.
  */
private[actor] final class EventLog:
  import EventLog.*

  private val kinds = Kind.values.map(KindLog(_))

  def add(event: ActorEvent): Unit = event match
    case ActorEvent.SystemFailed(_) => () // the page has ended, too
    case ActorEvent.Failed(actor, cause, decision) =>
      kinds(Kind.Failed.ordinal).add(actor, cause.getStackTrace, s"${text(cause)}; $decision")
    case ActorEvent.Stalled(actor, atLeast, state, stack) =>
      kinds(Kind.Stalled.ordinal).add(
        actor,
        stack.toArray,
        s"one message for at least ${atLeast.toMillis} ms, $state"
      )
    case ActorEvent.DeadLetter(to, message, reason) =>
      kinds(Kind.DeadLetter.ordinal).add(to, NoStack, s"${className(message)}: $reason")
    case ActorEvent.MessageParked(parked, isKept) =>
      val outcome = if isKept then "parked" else "discarded for a newer one"
      kinds(Kind.Parked.ordinal).add(
        parked.actor,
        NoStack,
        s"${className(parked.message)}: $outcome; ${text(parked.cause)}"
      )

  def json: String = kinds.map(_.json).mkString("[", ", ", "]")
end EventLog

private[actor] object EventLog:
  private enum Kind(val title: String):
    case Failed extends Kind("Failures")
    case Stalled extends Kind("Stalled handlers")
    case DeadLetter extends Kind("Dead letters")
    case Parked extends Kind("Parked messages")

  /** Events of one kind within this time after a kept one are only counted. */
  private val SpacingNanos = 10_000_000L
  private val Kept = 50
  private val MaxText = 300
  private val MaxFrames = 30
  private val NoStack = Array.empty[StackTraceElement]

  private final class KindLog(kind: Kind):
    private val count = LongAdder()
    private val nextAt = AtomicLong(System.nanoTime)
    private val entries = ArrayDeque[String]()

    /** The text is computed only if the event is kept. */
    def add(actor: ActorRef[Nothing], stack: => Array[StackTraceElement], text: => String): Unit =
      count.increment()
      val (now, next) = (System.nanoTime, nextAt.get)
      if now - next >= 0 && nextAt.compareAndSet(next, now + SpacingNanos) then
        val frames = stack.iterator.take(MaxFrames).map(frame => quoted(frame.toString))
        val entry =
          s"""{"atMillis": ${System.currentTimeMillis}, "actor": ${quoted(cut(actor.name))}, """ +
            s""""text": ${quoted(cut(text))}, "stack": ${frames.mkString("[", ", ", "]")}}"""
        entries.synchronized:
          if entries.size == Kept then entries.removeFirst(): Unit
          entries.addLast(entry)

    def json: String =
      val recent = entries.synchronized(entries.toArray.mkString("[", ", ", "]"))
      s"""{"kind": ${quoted(kind.title)}, "count": ${count.sum}, "recent": $recent}"""
  end KindLog

  /** The text of an exception, whose own methods may throw. */
  private def text(cause: Throwable): String =
    try cause.toString
    catch case _: Throwable => cause.getClass.getName

  private def className(message: Any): String =
    if message == null then "null" else message.getClass.getName

  private def cut(text: String): String =
    if text.length <= MaxText then text else text.take(MaxText) + "…"
end EventLog
