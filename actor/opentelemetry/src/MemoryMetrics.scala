package undercroft.actor.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.{AttributeKey, Attributes}
import io.opentelemetry.api.metrics.Meter
import scala.collection.mutable
import undercroft.memory.Ledger

/** The off-heap memory of the process, as observable instruments of OpenTelemetry. Thread-safe.
  *
  * A collection makes one report of the [[undercroft.memory.Ledger]], on the thread of the metric
  * reader: some microseconds, and one for each owner. Memory operations cost nothing more.
  *
  * Owners are the rows of the report, such as the names of regions and budgets. Those beyond the
  * limit share the name `_OTHER`. Bytes are whole pages of 64 KiB.
  *
  * | instrument                     | unit      | also by                   |
  * |:-------------------------------|:----------|:--------------------------|
  * | `undercroft.memory.live`       | `By`      | `undercroft.memory.owner` |
  * | `undercroft.memory.live.count` | `{owner}` | `undercroft.memory.owner` |
  * | `undercroft.memory.idle`       | `By`      |                           |
  * | `undercroft.memory.limit`      | `By`      |                           |
  *
  * The count is that of open regions, reservations and blocks of an owner.
  *
  * {{{
  * import io.opentelemetry.api.OpenTelemetry
  * val metrics = MemoryMetrics.register(OpenTelemetry.noop)
  * metrics.close()
  * }}}
  */
final class MemoryMetrics private (meter: Meter, ownerLimit: Int) extends AutoCloseable:
  private val owners = mutable.Map[String, Attributes]() // guarded by its lock
  private val live = gauge("live", "By", "Bytes that owners hold")
  private val count = gauge("live.count", "{owner}", "Open regions, reservations and blocks")
  private val idle = gauge("idle", "By", "Bytes kept for reuse")
  private val limit = gauge("limit", "By", "Limit of live and idle bytes")
  private val callback = meter.batchCallback(() => collect(), live, count, idle, limit).nn

  private def gauge(name: String, unit: String, description: String) =
    meter.upDownCounterBuilder(s"undercroft.memory.$name").nn
      .setUnit(unit).nn.setDescription(description).nn.buildObserver().nn

  private def collect(): Unit =
    val report = Ledger.report()
    idle.record(report.idleBytes)
    limit.record(report.limitBytes)
    val rows = owners.synchronized(report.rows.groupBy(row => attributesOf(row.name)))
    for (attributes, owned) <- rows do
      live.record(owned.map(_.liveBytes).sum, attributes)
      count.record(owned.map(_.liveCount).sum, attributes)

  private def attributesOf(owner: String): Attributes =
    if owners.size < ownerLimit then
      owners.getOrElseUpdate(owner, Attributes.of(MemoryMetrics.Owner, owner).nn)
    else owners.getOrElse(owner, MemoryMetrics.Other)

  /** Removes the metrics from the meter. Idempotent. */
  def close(): Unit = callback.close()
end MemoryMetrics

object MemoryMetrics:
  private val Owner = AttributeKey.stringKey("undercroft.memory.owner").nn
  private val Other = Attributes.of(Owner, "_OTHER").nn

  /** The default limit of owners. */
  val DefaultOwnerLimit = 100

  /** Registers the metrics of this process's memory, or of this class loader's copy of the library.
    * Register them once with a meter provider: a second registration reports the same series.
    *
    * {{{
    * import io.opentelemetry.api.GlobalOpenTelemetry
    * def observe(): MemoryMetrics = MemoryMetrics.register(GlobalOpenTelemetry.get)
    * }}}
    *
    * @param ownerLimit
    *   the largest number of owners with a name of their own, the first that were reported
    * @throws java.lang.IllegalArgumentException
    *   if `ownerLimit` is not positive
    */
  def register(openTelemetry: OpenTelemetry, ownerLimit: Int = DefaultOwnerLimit): MemoryMetrics =
    if openTelemetry == null then
      throw NullPointerException("the OpenTelemetry for the memory is null")
    if ownerLimit < 1 then
      throw IllegalArgumentException(s"ownerLimit must be at least 1, but is $ownerLimit")
    new MemoryMetrics(openTelemetry.getMeter("undercroft.memory").nn, ownerLimit)
end MemoryMetrics
