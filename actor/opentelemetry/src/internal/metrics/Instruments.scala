package undercroft.actor.opentelemetry
package internal.metrics

import io.opentelemetry.api.common.Attributes
import io.opentelemetry.api.metrics.{BatchCallback, Meter}
import undercroft.actor.DeadLetterReason

/** The observable instruments of one system. The names follow OpenTelemetry's semantic conventions:
  * a namespace, then nouns; a unit in braces is a count of that noun.
  */
private[opentelemetry] final class Instruments(meter: Meter, system: String, hasTimes: Boolean):
  private def counter(name: String, unit: String, description: String) =
    meter.counterBuilder(s"undercroft.actor.$name").nn
      .setUnit(unit).nn.setDescription(description).nn.buildObserver().nn

  private def gauge(name: String, unit: String, description: String) =
    meter.upDownCounterBuilder(s"undercroft.actor.$name").nn
      .setUnit(unit).nn.setDescription(description).nn.buildObserver().nn

  private val actors = gauge("count", "{actor}", "Live actors")
  private val waiting =
    gauge("message.waiting", "{message}", "Messages in mailboxes, including the current ones")
  private val stashed = gauge("message.stashed", "{message}", "Messages in stashes")
  private val handled = counter("message.handled", "{message}", "Messages handled")
  private val failed = counter("message.failed", "{message}", "Messages whose handler failed")
  private val deadLetters =
    counter("dead_letters", "{message}", "Messages that no actor handled, by reason")
  private val failures = counter("failures", "{failure}", "Failures of actors, by decision")
  private val restarts = counter("restarts", "{restart}", "Restarts of actors")
  private val stalls =
    counter("stalls", "{stall}", "Messages that occupied a thread beyond the limit")
  private val busy = meter.counterBuilder("undercroft.actor.busy.time").nn.ofDoubles().nn
    .setUnit("s").nn.setDescription("Time of handlers").nn.buildObserver().nn

  private val reasons = DeadLetterReason.values.toVector.map: reason =>
    val name = PathCounts.lower(reason)
    reason -> Attributes.of(PathCounts.System, system, PathCounts.Reason, name).nn

  /** Lets each collection call `collect`. */
  def register(collect: Runnable): BatchCallback =
    val counts =
      List(waiting, stashed, handled, failed, deadLetters, failures, restarts, stalls, busy)
    meter.batchCallback(collect, actors, counts*).nn

  def record(path: PathCounts): Unit =
    actors.record(path.actors, path.attributes)
    waiting.record(path.waiting, path.attributes)
    stashed.record(path.stashed, path.attributes)
    handled.record(path.handled, path.attributes)
    failed.record(path.failed, path.attributes)
    restarts.record(path.restarts, path.attributes)
    stalls.record(path.stalls, path.attributes)
    for failure <- path.failuresByDecision do failures.record(failure.count, failure.attributes)
    if hasTimes then
      for time <- path.busyNanos do busy.record(time.nanos / 1e9, time.attributes)

  def recordDeadLetters(counts: Map[DeadLetterReason, Long]): Unit =
    for (reason, attributes) <- reasons do
      deadLetters.record(counts.getOrElse(reason, 0L), attributes)
end Instruments
