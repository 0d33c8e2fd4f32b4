package undercroft.actor

import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** What becomes of an actor that failed. The message it failed with is gone in every case, and is
  * counted as failed.
  */
enum Supervision derives CanEqual:
  /** It stops. */
  case Stop

  /** It goes on as if nothing had happened. In `setup` it stops: there is nothing to go on with. */
  case Resume

  /** It begins anew with its first behaviour, its mailbox and its stash; its children are stopped
    * and its timers cancelled. It stops if it had `limit` restarts within the time before.
    */
  case Restart(limit: Int = 10, within: FiniteDuration = 1.minute)

  /** As `Restart`, after a pause that is doubled with each failure in a row, from `min` to `max`,
    * and lengthened at random by up to `jitter` of itself. It stops after `limit` failures in a
    * row. A row ends when the actor has run for `max` without a failure.
    */
  case Backoff(
      min: FiniteDuration,
      max: FiniteDuration,
      jitter: Double = 0.2,
      limit: Int = 10
  )

  /** It stops, and its parent fails with a [[ChildFailedException]]. A parent that restarts then
    * begins all its children anew: one for all. What depends on one actor only is spawned by it,
    * and so begins anew with it: the rest for one.
    */
  case Escalate
end Supervision

/** Decides by the exception; where it is not defined an outer decision counts, and in the end the
  * actor stops.
  */
type Decision = PartialFunction[Throwable, Supervision]

/** One `supervised` around a behaviour: what it decides, and how often it did. */
private[actor] final class Supervisor(
    val decide: Decision,
    val first: Behavior[?],
    val outer: Supervisor | Null
):
  private var restarts: java.util.ArrayDeque[Long] | Null = null
  private var row = 0
  private var failedAt = 0L

  /** The supervisor, from here outwards, that is concerned with a failure. */
  def of(cause: Throwable): Supervisor | Null =
    var each: Supervisor | Null = this
    while each != null && !each.decide.isDefinedAt(cause) do each = each.outer
    each

  /** Whether one more restart at `now` is within the limit; if so, it is noted. */
  def mayRestart(limit: Int, withinNanos: Long, now: Long): Boolean =
    val times = restarts match
      case null  => java.util.ArrayDeque[Long](4)
      case deque => deque
    restarts = times
    while !times.isEmpty && now - times.peekFirst > withinNanos do times.removeFirst(): Unit
    val may = times.size < limit
    if may then times.addLast(now)
    may

  /** The pause before a restart at `now`, in nanoseconds, or -1 if there were too many in a row. */
  def pause(backoff: Supervision.Backoff, now: Long, random: Double): Long =
    if row > 0 && now - failedAt > backoff.max.toNanos then row = 0
    row += 1
    if row > backoff.limit then -1L
    else
      val doubled = backoff.min.toNanos.toDouble * math.pow(2, row - 1)
      val pause = math.min(doubled, backoff.max.toNanos.toDouble) * (1 + backoff.jitter * random)
      failedAt = now + pause.toLong
      pause.toLong
end Supervisor
