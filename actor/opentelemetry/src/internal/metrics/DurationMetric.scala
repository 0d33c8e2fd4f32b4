package undercroft.actor.opentelemetry
package internal.metrics

import io.opentelemetry.api.common.Attributes
import io.opentelemetry.sdk.common.InstrumentationScopeInfo
import io.opentelemetry.sdk.metrics.data.{
  AggregationTemporality,
  Data,
  ExponentialHistogramBuckets,
  ExponentialHistogramData,
  ExponentialHistogramPointData,
  MetricData,
  MetricDataType
}
import io.opentelemetry.sdk.resources.Resource
import java.util.{ArrayList, Collections, List as JavaList}
import undercroft.actor.HandlerDurations
import undercroft.actor.internal.observe.DurationBuckets

/** The handler durations of one system as OpenTelemetry's exponential histogram, whose buckets they
  * have already.
  */
private[opentelemetry] final class DurationMetric(
    resource: Resource,
    system: String,
    startEpochNanos: Long,
    durations: HandlerDurations
) extends MetricData:
  import DurationMetric.*

  private val data: ExponentialHistogramData =
    val point = ExponentialHistogramPointData.create(
      DurationBuckets.Scale,
      durations.sumNanos / 1e9,
      0, // durations of zero
      false, // no minimum
      0,
      durations.count > 0,
      durations.maxNanos / 1e9,
      buckets(durations.counts),
      ExponentialHistogramBuckets.create(DurationBuckets.Scale, 0, Collections.emptyList),
      startEpochNanos,
      System.currentTimeMillis * 1_000_000L,
      Attributes.of(PathCounts.System, system),
      Collections.emptyList
    )
    val points = if durations.count == 0 then Collections.emptyList else JavaList.of(point)
    ExponentialHistogramData.create(AggregationTemporality.CUMULATIVE, points).nn

  def getResource: Resource = resource
  def getInstrumentationScopeInfo: InstrumentationScopeInfo = scope
  def getName: String = "undercroft.actor.handler.duration"
  def getDescription: String = "Durations of message handlers"
  def getUnit: String = "s"
  def getType: MetricDataType = MetricDataType.EXPONENTIAL_HISTOGRAM
  def getData: Data[?] = data
  override def toString: String = s"$getName of $system: $durations"
end DurationMetric

private[opentelemetry] object DurationMetric:
  private val scope = InstrumentationScopeInfo.create("undercroft.actor").nn

  /** The buckets from the first to the last one that is not empty. */
  private def buckets(counts: Array[Long]): ExponentialHistogramBuckets =
    val first = math.max(0, counts.indexWhere(_ > 0))
    val end = counts.lastIndexWhere(_ > 0) + 1
    val list = ArrayList[java.lang.Long](math.max(0, end - first))
    for i <- first until end do list.add(counts(i)): Unit
    ExponentialHistogramBuckets.create(
      DurationBuckets.Scale,
      DurationBuckets.First + first,
      list
    ).nn
