package undercroft.actor.opentelemetry
package internal.metrics

import io.opentelemetry.api.common.{AttributeKey, Attributes}
import scala.collection.mutable
import undercroft.actor.{Run, Supervision}
import undercroft.actor.internal.observe.ActorCounts

/** The counts of all actors with one path: of live actors, as they were last read, and of stopped
  * ones. Guarded by the lock of its [[PathTable]].
  *
  * An actor is neither live nor counted as stopped while it ends: its state is `Stopped`, and its
  * observer has not been called. A collection at that moment reports the sums of the one before.
  */
private[opentelemetry] final class PathCounts(system: String, path: String):
  import PathCounts.*

  val attributes: Attributes = Attributes.of(System, system, Path, path)

  var (actors, waiting, stashed) = (0L, 0L, 0L)
  private val (live, stopped) = (Sums(), Sums())
  private val reported = Sums()
  private var failures = Map.empty[String, (count: Long, attributes: Attributes)]
  private var byRun = Map.empty[String, Attributes]
  var stalls = 0L

  def clearLive(): Unit =
    actors = 0
    waiting = 0
    stashed = 0
    live.clear()

  def addLive(actor: ActorCounts): Unit =
    actors += 1
    waiting += actor.counts.waiting
    stashed += actor.counts.stashed
    live.add(actor)

  /** Ends a collection, after all live actors were added. It reports the sums over live and stopped
    * actors, but never less than the last reported sums.
    */
  def settle(): Unit = reported.raise(live, stopped)

  def addStopped(actor: ActorCounts): Unit = stopped.add(actor)

  /** Adds the sums of several stopped actors, without their time. */
  def addStopped(handled: Long, failed: Long, restarts: Long): Unit =
    stopped.handled += handled
    stopped.failed += failed
    stopped.restarts += restarts

  def stoppedCounts: (handled: Long, failed: Long, restarts: Long) =
    (stopped.handled, stopped.failed, stopped.restarts)

  def addFailure(decision: Supervision): Unit =
    val name = lower(decision)
    val before = failures.get(name)
    val named = before.map(_.attributes).getOrElse(
      Attributes.of(System, system, Path, path, Decision, name)
    )
    failures = failures.updated(name, (before.fold(0L)(_.count) + 1, named))

  def handled: Long = reported.handled
  def failed: Long = reported.failed
  def restarts: Long = reported.restarts
  def failuresByDecision: Iterable[(count: Long, attributes: Attributes)] = failures.values

  /** The time of handlers by run model, of each that an actor had. */
  def busyNanos: Iterable[(nanos: Long, attributes: Attributes)] =
    for run <- reported.busyNanos.keysIterator if !byRun.contains(run) do
      val attributes = Attributes.of(System, system, Path, path, RunModel, run).nn
      byRun = byRun.updated(run, attributes)
    for (run, attributes) <- byRun
    yield (reported.busyNanos.getOrElse(run, 0L), attributes)
end PathCounts

private[opentelemetry] object PathCounts:
  val System: AttributeKey[String] = AttributeKey.stringKey("undercroft.actor.system").nn
  val Path: AttributeKey[String] = AttributeKey.stringKey("undercroft.actor.path").nn
  val RunModel: AttributeKey[String] = AttributeKey.stringKey("undercroft.actor.run").nn
  val Decision: AttributeKey[String] = AttributeKey.stringKey("undercroft.actor.decision").nn
  val Reason: AttributeKey[String] = AttributeKey.stringKey("undercroft.actor.reason").nn

  /** The name of an enum case in snake case, as the values of OpenTelemetry's attributes are. */
  def lower(value: scala.reflect.Enum): String =
    val name = value.productPrefix
    name.flatMap(c => if c.isUpper then s"_${c.toLower}" else c.toString).stripPrefix("_")

  /** Sums of counts that never decrease. */
  private final class Sums:
    var (handled, failed, restarts) = (0L, 0L, 0L)
    val busyNanos: mutable.HashMap[String, Long] = mutable.HashMap.empty

    def clear(): Unit =
      handled = 0
      failed = 0
      restarts = 0
      busyNanos.clear()

    def add(actor: ActorCounts): Unit =
      handled += actor.counts.handled
      failed += actor.counts.failed
      restarts += actor.counts.restarts
      addTime(actor.run, actor.busyNanos)

    def addTime(run: Run, nanos: Long): Unit =
      val name = lower(run)
      busyNanos(name) = busyNanos.getOrElse(name, 0L) + nanos

    /** Raises each of these sums that is less than the sum of the other two to it. */
    def raise(first: Sums, second: Sums): Unit =
      handled = math.max(handled, first.handled + second.handled)
      failed = math.max(failed, first.failed + second.failed)
      restarts = math.max(restarts, first.restarts + second.restarts)
      for run <- first.busyNanos.keySet ++ second.busyNanos.keySet do
        val nanos = first.busyNanos.getOrElse(run, 0L) + second.busyNanos.getOrElse(run, 0L)
        busyNanos(run) = math.max(busyNanos.getOrElse(run, 0L), nanos)
  end Sums
end PathCounts
