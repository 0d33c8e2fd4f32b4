package undercroft.actor

import java.util.concurrent.atomic.{AtomicLongArray, LongAdder}

/** The counts of all messages by outcome:
  * `sent = handled + failed + stashed + waiting + deadLetters`.
  *
  * Each outcome is counted where it happens, and none is computed from the others. So the equation
  * fails if a message has two outcomes or an unknown one; a lost message waits indefinitely. It
  * holds when the system is quiescent; while actors run, the numbers are read at different moments.
  * `waiting` includes the messages that are being handled. Signals that a watched actor has stopped
  * are counted as messages; one that arrives at a stopped actor counts as handled or not at all.
  *
  * {{{
  * def check(system: ActorSystem): Unit =
  *   val audit = system.observe.audit
  *   if !audit.isExact then println(audit)
  * }}}
  */
final case class Audit(
    actors: Long,
    sent: Long,
    handled: Long,
    failed: Long,
    stashed: Long,
    waiting: Long,
    deadLetters: Map[DeadLetterReason, Long],
    restarts: Long
) derives CanEqual:
  /** The number of dead letters, for all reasons.
    *
    * {{{
    * def isHealthy(system: ActorSystem): Boolean = system.observe.audit.deadLetterCount == 0
    * }}}
    */
  def deadLetterCount: Long = deadLetters.values.sum

  /** Whether the equation above holds.
    *
    * {{{
    * val counts = Audit(1, 3, 2, 0, 0, 1, Map(), 0) // 3 sent, 2 handled, 1 waiting
    * println(counts.isExact) // true
    * println(counts.copy(waiting = 0).isExact) // false
    * }}}
    */
  def isExact: Boolean = sent == handled + failed + stashed + waiting + deadLetterCount

  /** The sum of two audits, for example of two nodes of a cluster.
    *
    * {{{
    * def total(systems: Seq[ActorSystem]): Audit = systems.map(_.observe.audit).reduce(_ + _)
    * }}}
    */
  def +(other: Audit): Audit =
    Audit(
      actors = actors + other.actors,
      sent = sent + other.sent,
      handled = handled + other.handled,
      failed = failed + other.failed,
      stashed = stashed + other.stashed,
      waiting = waiting + other.waiting,
      deadLetters = (deadLetters.toSeq ++ other.deadLetters).groupMapReduce(_._1)(_._2)(_ + _),
      restarts = restarts + other.restarts
    )
end Audit

/** The counts of stopped actors, and of messages that no actor received. Thread-safe. */
private[actor] final class AuditTotals:
  private val sent = LongAdder()
  private val handled = LongAdder()
  private val failed = LongAdder()
  private val restarts = LongAdder()
  private val dead = AtomicLongArray(DeadLetterReason.values.length)

  /** Adds the counts of an actor that has stopped. */
  def stopped(counts: Audit): Unit =
    sent.add(counts.sent)
    handled.add(counts.handled)
    failed.add(counts.failed)
    restarts.add(counts.restarts)

  /** Counts a dead letter that an actor has already counted as sent. */
  def lost(reason: DeadLetterReason): Unit = dead.incrementAndGet(reason.ordinal): Unit

  /** Counts a message as sent and as a dead letter, because no actor has counted it. */
  def refused(reason: DeadLetterReason): Unit =
    sent.increment()
    lost(reason)

  /** The sum of these counts and the counts of live actors. */
  def audit(living: Iterable[Audit]): Audit =
    Audit(
      actors = living.size,
      sent = sent.sum + living.map(_.sent).sum,
      handled = handled.sum + living.map(_.handled).sum,
      failed = failed.sum + living.map(_.failed).sum,
      stashed = living.map(_.stashed).sum,
      waiting = living.map(_.waiting).sum,
      deadLetters = AuditTotals.byReason(dead),
      restarts = restarts.sum + living.map(_.restarts).sum
    )
end AuditTotals

private[actor] object AuditTotals:
  /** The non-zero counts. */
  def byReason(counts: AtomicLongArray): Map[DeadLetterReason, Long] =
    DeadLetterReason.values.map(reason => reason -> counts.get(reason.ordinal)).filter(
      _._2 > 0
    ).toMap
