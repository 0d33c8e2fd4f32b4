package undercroft.actor

import java.util.concurrent.atomic.{AtomicLongArray, LongAdder}

/** What became of every message: `sent = handled + failed + stashed + waiting + dead`.
  *
  * Each end is counted where it happens, and none is made of the others: so the equation fails if a
  * message comes to an end that nobody knows, or to two; one that is lost waits for ever. It holds
  * when nothing is under way; while actors work each number is that of a moment, and the moments
  * differ. `waiting` includes messages in hand.
  */
final case class Audit(
    actors: Long,
    sent: Long,
    handled: Long,
    failed: Long,
    stashed: Long,
    waiting: Long,
    dead: Map[Reason, Long],
    restarts: Long
) derives CanEqual:
  /** Messages not handled, for whatever reason. */
  def deadCount: Long = dead.values.sum

  /** Whether the numbers add up. */
  def isExact: Boolean = sent == handled + failed + stashed + waiting + deadCount

/** The counts of actors that have stopped, and of messages that no actor got. Any thread. */
private[actor] final class Totals:
  private val sent = LongAdder()
  private val handled = LongAdder()
  private val failed = LongAdder()
  private val restarts = LongAdder()
  private val dead = AtomicLongArray(Reason.values.length)

  /** An actor has stopped, with these counts. */
  def stopped(counts: Audit): Unit =
    sent.add(counts.sent)
    handled.add(counts.handled)
    failed.add(counts.failed)
    restarts.add(counts.restarts)

  /** A message that an actor counted as sent to it was not handled. */
  def lost(reason: Reason): Unit = dead.incrementAndGet(reason.ordinal): Unit

  /** A message was sent, and no actor counted it. */
  def refused(reason: Reason): Unit =
    sent.increment()
    lost(reason)

  /** Those counts and the ones of living actors. */
  def audit(living: Iterable[Audit]): Audit =
    Audit(
      actors = living.size,
      sent = sent.sum + living.map(_.sent).sum,
      handled = handled.sum + living.map(_.handled).sum,
      failed = failed.sum + living.map(_.failed).sum,
      stashed = living.map(_.stashed).sum,
      waiting = living.map(_.waiting).sum,
      dead = Totals.byReason(dead),
      restarts = restarts.sum + living.map(_.restarts).sum
    )
end Totals

private[actor] object Totals:
  /** Those reasons that there were. */
  def byReason(counts: AtomicLongArray): Map[Reason, Long] =
    Reason.values.map(reason => reason -> counts.get(reason.ordinal)).filter(_._2 > 0).toMap
