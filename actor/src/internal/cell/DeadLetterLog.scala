package undercroft.actor
package internal.cell

import internal.dispatch.Clock
import java.util.concurrent.atomic.{AtomicLong, AtomicLongArray}
import scala.concurrent.duration.DurationLong

/** Logs the dead letters of one system: a line for the first one, then one line per interval for
  * all that follow, with their number by reason. Thread-safe.
  *
  * The clock's thread logs, because the logger may load classes or write to a slow device, and the
  * handler that lost a message must not wait for it. After the end of the system, which ends that
  * thread, the thread that lost the message logs; the dead letters of the last interval are then
  * logged only if another one follows it.
  */
private[actor] final class DeadLetterLog(system: String, clock: Clock, intervalNanos: Long):
  private val counts = AtomicLongArray(DeadLetterReason.values.length)

  /** The time from which on a message is logged at once. */
  private val next = AtomicLong(clock.nanos)

  /** Whether the system has ended, and its clock with it. */
  @volatile private var isEnded = false

  // The newest dead letter, as an example for the log line. Racy, but benign.
  private var lastTo: ActorRef[Nothing] | Null = null
  private var lastClass: Class[?] = classOf[AnyRef]

  def add(to: ActorRef[Nothing], message: Any, reason: DeadLetterReason): Unit =
    if intervalNanos > 0 then
      lastTo = to
      lastClass = message.getClass
      val _ = counts.incrementAndGet(reason.ordinal)
      val dueNanos = next.get
      val now = clock.nanos
      if now - dueNanos >= 0 && next.compareAndSet(dueNanos, now + intervalNanos) then
        if isEnded then flush()
        else
          clock.execute: () =>
            flush()
            flushLater()

  /** Logs the dead letters so far. The first one that follows is logged at once. Called before the
    * clock stops.
    */
  def end(): Unit =
    isEnded = true // first: a message that was counted before it was read is logged here
    next.set(clock.nanos)
    flush()

  /** Logs the dead letters that have not been logged yet, if there are any. If another thread is
    * logging them, waits until they are logged.
    */
  def flush(): Unit = synchronized(if hasLosses then flushCounts())

  private def hasLosses: Boolean =
    var ordinal = 0
    while ordinal < counts.length && counts.get(ordinal) == 0 do ordinal += 1
    ordinal < counts.length

  private def flushCounts(): Unit =
    val countsByReason =
      DeadLetterReason.values.toList.map(reason => reason -> counts.getAndSet(reason.ordinal, 0))
    val losses = countsByReason.filter(_._2 > 0)
    val to = lastTo
    if losses.nonEmpty && to != null then
      val sum = losses.map(_._2).sum
      val were = if sum == 1 then "message was" else "messages were"
      val byReason = losses.map((reason, count) => s"$count $reason").mkString(", ")
      ActorEvent.logger.log(
        System.Logger.Level.WARNING,
        s"$system: $sum $were not handled: $byReason; last: ${lastClass.getName} to ${to.name}. " +
          s"Next line in ${intervalNanos.nanos.toCoarsest} at the earliest"
      )

  private def flushLater(): Unit =
    val _ = clock.schedule(
      intervalNanos,
      () =>
        if hasLosses then
          next.set(clock.nanos + intervalNanos)
          flush()
          flushLater()
    )
end DeadLetterLog
