package undercroft.actor

import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** The decision about an actor that failed. [[MessageFailure]] decides about the message; by
  * default it is dropped and counted as failed.
  *
  * {{{
  * def divider(by: Int): Behavior[Int] = Behavior
  *   .receive[Int] { n =>
  *     println(n / by)
  *     Behavior.same
  *   }
  *   .supervised { case _: ArithmeticException => Supervision.Restart(limit = 3) }
  * }}}
  */
enum Supervision derives CanEqual:
  /** The actor stops. */
  case Stop

  /** The actor continues with its present behavior. If a `setup` failed, its first one or one that
    * a handler returned, it stops, because there is no behavior to continue with.
    *
    * {{{
    * val decide: Decider = { case _: NumberFormatException => Supervision.Resume }
    * }}}
    */
  case Resume

  /** The actor restarts with its first behavior; mailbox and stash are kept, its children are
    * stopped and its timers cancelled. It stops if it was restarted `limit` times within the period
    * `within`. `limit` is at least 0, `within` more than 0.
    *
    * {{{
    * import scala.concurrent.duration.*
    * val decide: Decider =
    *   case _: Exception => Supervision.Restart(limit = 3, within = 10.seconds)
    * }}}
    */
  case Restart(limit: Int = 10, within: FiniteDuration = 1.minute)
      extends Supervision,
      RestartLimit

  /** As `Restart`, after a delay that doubles with each consecutive failure, from `min` to `max`,
    * plus a random part of up to `jitter` times the delay. The actor stops after `limit`
    * consecutive failures. The count is reset when the actor has run for `max` without a failure.
    * `min` and `limit` are at least 0, `max` is at least `min`, and `jitter` is from 0 to 1.
    *
    * {{{
    * import scala.concurrent.duration.*
    * val decide: Decider =
    *   case _: java.io.IOException => Supervision.Backoff(min = 100.millis, max = 1.minute)
    * }}}
    */
  case Backoff(
      min: FiniteDuration,
      max: FiniteDuration,
      jitter: Double = 0.2,
      limit: Int = 10
  ) extends Supervision, BackoffRange

  /** One-for-all: the actor and all other children of its parent restart. The youngest is halted
    * first, the oldest starts first, one at a time; references, mailboxes and stashes are kept. If
    * the parent's children were restarted so `limit` times within the period `within`, it is
    * `Escalate`. `limit` is at least 0, `within` more than 0.
    *
    * {{{
    * def stage(work: Int => Unit): Behavior[Int] = Behavior
    *   .receive[Int] { n =>
    *     work(n)
    *     Behavior.same
    *   }
    *   .supervised { case _: Exception => Supervision.RestartAll(limit = 3) }
    *
    * def pipeline: Behavior[Int] = Behavior.setup: // a failure of one stage restarts both
    *   val stages = List.fill(2)(spawn(stage(n => println(n))))
    *   Behavior.receive: n =>
    *     stages.foreach(_ ! n)
    *     Behavior.same
    * }}}
    */
  case RestartAll(limit: Int = 10, within: FiniteDuration = 1.minute)
      extends Supervision,
      RestartLimit

  /** Rest-for-one: as `RestartAll`, for the actor and the children that were spawned after it. */
  case RestartRest(limit: Int = 10, within: FiniteDuration = 1.minute)
      extends Supervision,
      RestartLimit

  /** The actor stops, and its parent fails with a [[ChildFailedException]]. If the parent restarts,
    * it creates all its children again, as new actors.
    *
    * {{{
    * val decide: Decider =
    *   case _: java.io.IOException => Supervision.Restart()
    *   case _                      => Supervision.Escalate
    * }}}
    */
  case Escalate
end Supervision

/** Checks the limit of restarts within a period. */
private[actor] sealed trait RestartLimit:
  def limit: Int
  def within: FiniteDuration
  requireNotNegative("limit", limit)
  if within == null then throw NullPointerException("within is null")
  if within.toNanos <= 0 then
    throw IllegalArgumentException(s"within must be more than 0, but is $within")

/** Checks the delays of a back-off. */
private[actor] sealed trait BackoffRange:
  def min: FiniteDuration
  def max: FiniteDuration
  def jitter: Double
  def limit: Int
  if min == null then throw NullPointerException("min is null")
  if max == null then throw NullPointerException("max is null")
  if min.toNanos < 0 then throw IllegalArgumentException(s"min must be at least 0, but is $min")
  if max < min then
    throw IllegalArgumentException(s"max must be at least min, $min, but is $max")
  if !(jitter >= 0 && jitter <= 1) then
    throw IllegalArgumentException(s"jitter must be from 0 to 1, but is $jitter")
  requireNotNegative("limit", limit)
end BackoffRange

private[actor] def requireNotNegative(noun: String, value: Int): Unit =
  if value < 0 then throw IllegalArgumentException(s"$noun must be at least 0, but is $value")

/** Decides by the exception. If it is not defined for it, an outer decision applies, and finally
  * the actor stops.
  *
  * {{{
  * val decide: Decider =
  *   case _: ArithmeticException => Supervision.Resume
  *   case _: Exception           => Supervision.Restart(limit = 3)
  * println(decide.isDefinedAt(new Error("out of memory"))) // false
  * }}}
  */
type Decider = PartialFunction[Throwable, Supervision]

/** Checks that a user's decision is not null. */
private[actor] def decided[A <: AnyRef](decision: A, of: String): A =
  if decision eq null then throw NullPointerException(s"the function given to `$of` returned null")
  decision

/** Adds `failure` as suppressed unless it is the same instance: a decider may rethrow its argument.
  */
private[actor] def addSuppressed(cause: Throwable, failure: Throwable): Unit =
  if failure ne cause then cause.addSuppressed(failure)
