package outside.actor.opentelemetry

import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.metrics.SdkMeterProvider
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader
import scala.jdk.CollectionConverters.*
import undercroft.actor.opentelemetry.MemoryMetrics
import undercroft.memory.*

/** The metrics of off-heap memory, as a reader of the SDK collects them. */
class MemoryMetricsTest extends undercroft.tools.Suite:
  private val ownerKey = AttributeKey.stringKey("undercroft.memory.owner")

  private def withMetrics(ownerLimit: Int)(body: (() => Map[(String, String), Long]) => Unit)
      : Unit =
    val reader = InMemoryMetricReader.create()
    val provider = SdkMeterProvider.builder.registerMetricReader(reader).build()
    val metrics = MemoryMetrics.register(
      OpenTelemetrySdk.builder.setMeterProvider(provider).build(),
      ownerLimit
    )
    def collected(): Map[(String, String), Long] =
      val points =
        for
          metric <- reader.collectAllMetrics.asScala.toList
          point <- metric.getLongSumData.getPoints.asScala
          owner = Option(point.getAttributes.get(ownerKey)).getOrElse("")
        yield (metric.getName.stripPrefix("undercroft.memory."), owner) -> point.getValue.longValue
      assertEquals(points.map(_._1).distinct.size, points.size)
      points.toMap
    try
      body(() => collected())
      metrics.close()
      metrics.close()
      assertEquals(collected(), Map.empty)
    finally provider.close()
  end withMetrics

  test("live bytes and owners are reported by owner, idle bytes and the limit in total"):
    withMetrics(MemoryMetrics.DefaultOwnerLimit): collect =>
      val region = Region.shared("orders")
      region.allocate(3.MiB, 8): Unit
      val open = collect()
      assertEquals((open("live" -> "orders"), open("live.count" -> "orders")), (3.MiB, 1L))
      assertEquals(open("limit" -> ""), Ledger.limitBytes)
      region.close()
      val closed = collect()
      assertEquals((closed("live" -> "orders"), closed("live.count" -> "orders")), (0L, 0L))
      assert(closed("idle" -> "") >= 3.MiB, closed.toString)

  test("owners beyond the limit share the name _OTHER, and sums stay complete"):
    withMetrics(ownerLimit = 3): collect =>
      val regions = List.tabulate(20)(i => Region.shared(s"tenant $i"))
      regions.foreach(_.allocate(1.MiB, 8): Unit)
      for _ <- 1 to 2 do
        val live = collect().collect { case (("live", owner), bytes) => owner -> bytes }
        assertEquals(live.size, 4, live.toString)
        assertEquals(live.values.sum, Ledger.report().rows.map(_.liveBytes).sum)
        assert(live("_OTHER") >= 17.MiB, live.toString)
      regions.foreach(_.close())

  test("a limit of owners that is not positive is rejected"):
    val error = intercept[IllegalArgumentException]:
      MemoryMetrics.register(io.opentelemetry.api.OpenTelemetry.noop, ownerLimit = 0)
    assertEquals(error.getMessage, "ownerLimit must be at least 1, but is 0")
end MemoryMetricsTest
