package undercroft.actor

import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** What becomes of an actor that failed. What becomes of the message is [[Failing]]: without a word
  * it is gone, and counted as failed.
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

  /** It begins anew, and all other children of its parent with it: one for all. The youngest ends
    * first, the oldest begins first, each after the other; references, mailboxes and stashes stay.
    * Where the parent's children had `limit` such restarts within the time before, it is
    * `Escalate`.
    */
  case RestartAll(limit: Int = 10, within: FiniteDuration = 1.minute)

  /** As `RestartAll`, for the children that were spawned after it: the rest for one. */
  case RestartRest(limit: Int = 10, within: FiniteDuration = 1.minute)

  /** It stops, and its parent fails with a [[ChildFailedException]]. A parent that restarts then
    * begins all its children anew, as new actors.
    */
  case Escalate
end Supervision

/** Decides by the exception; where it is not defined an outer decision counts, and in the end the
  * actor stops.
  */
type Decision = PartialFunction[Throwable, Supervision]

/** A decision of the user's, which is not to be null. */
private[actor] def decided[A <: AnyRef](decision: A, of: String): A =
  if decision eq null then throw NullPointerException(s"what `$of` decides is null")
  decision

/** Adds what failed on the way to a failure, if that is another one: who decides may throw what he
  * was given.
  */
private[actor] def addSuppressed(cause: Throwable, other: Throwable): Unit =
  if other ne cause then cause.addSuppressed(other)

/** One `supervised` around a behaviour: what it decides, and how often it did. */
private[actor] final class Supervisor(
    val decide: Decision,
    val first: Behavior[?],
    val outer: Supervisor | Null,
    val failing: FailingRule | Null = null
):
  private var restarts: Intensity | Null = null
  private var row = 0
  private var failedAt = 0L

  /** The supervisor, from here outwards, that is concerned with a failure. */
  def of(cause: Throwable): Supervisor | Null =
    var each: Supervisor | Null = this
    while each != null && !each.decide.isDefinedAt(cause) do each = each.outer
    each

  /** What is said, from here outwards, about messages that fail so. */
  def ruleOf(cause: Throwable): FailingRule | Null =
    var each: Supervisor | Null = this
    while each != null && (each.failing == null || !each.failing.nn.decide.isDefinedAt(cause)) do
      each = each.outer
    if each == null then null else each.failing

  /** The outermost one. */
  def outermost: Supervisor =
    var each = this
    while each.outer != null do each = each.outer.nn
    each

  /** Whether one more restart at `now` is within the limit; if so, it is noted. */
  def mayRestart(limit: Int, withinNanos: Long, now: Long): Boolean =
    val so = restarts match
      case null => Intensity()
      case some => some
    restarts = so
    so.may(limit, withinNanos, now)

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
