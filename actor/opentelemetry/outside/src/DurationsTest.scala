package outside.actor.opentelemetry

import com.sun.net.httpserver.HttpServer
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter
import io.opentelemetry.sdk.metrics.{InstrumentType, SdkMeterProvider}
import io.opentelemetry.sdk.metrics.`export`.PeriodicMetricReader
import io.opentelemetry.sdk.metrics.data.{AggregationTemporality, ExponentialHistogramPointData}
import io.opentelemetry.sdk.metrics.data.MetricData
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader
import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.ConcurrentLinkedQueue
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.{ActorDurations, ActorMetrics}

/** The histogram of handler durations, as the SDK collects and exports it. */
class DurationsTest extends TelemetrySuite:
  private val name = "undercroft.actor.handler.duration"

  private final class DurationReader extends AutoCloseable:
    val durations: ActorDurations = ActorDurations()
    private val reader = InMemoryMetricReader.create()
    private val provider = SdkMeterProvider.builder
      .registerMetricReader(reader).registerMetricProducer(durations).build()

    def metrics(): List[MetricData] =
      reader.collectAllMetrics().asScala.toList.filter(_.getName == name)

    def points(): Map[String, ExponentialHistogramPointData] =
      metrics().flatMap(_.getExponentialHistogramData.getPoints.asScala).map(point =>
        point.getAttributes.get(AttributeKey.stringKey("undercroft.actor.system")) -> point
      ).toMap
    def close(): Unit = provider.close()
  end DurationReader

  private def withDurations[A](body: DurationReader => A): A =
    val reader = DurationReader()
    try body(reader)
    finally reader.close()

  private def computing(time: FiniteDuration)(using ActorScope): ActorRef[Int] =
    spawn(Behavior.receive[Int]: _ =>
      compute(time)
      Behavior.same)

  test("each message is counted in the bucket of its duration"):
    withDurations: reader =>
      val system = ActorSystem("shop", 2, _ => ())
      given ActorSystem = system
      val registration = reader.durations.register(system)
      val fast = spawn(Behavior.ignore[Int])
      val slow = computing(30.millis)
      for n <- 1 to 100 do fast ! n
      for n <- 1 to 3 do slow ! n
      quiet()
      val metric = reader.metrics().head
      assertEquals(
        (metric.getUnit, metric.getInstrumentationScopeInfo.getName),
        ("s", "undercroft.actor")
      )
      assertEquals(
        metric.getExponentialHistogramData.getAggregationTemporality,
        AggregationTemporality.CUMULATIVE
      )
      val point = reader.points()("shop")
      assertEquals((point.getCount, point.getZeroCount), (103L, 0L))
      assertEquals(point.getPositiveBuckets.getTotalCount, 103L)
      assertEquals(point.getScale, 3)
      assertEquals(point.getPositiveBuckets.getScale, 3)
      assert(point.getMax >= 0.03 && point.getSum >= 0.09, s"$point")
      // By OpenTelemetry's definition of the bounds: 2^(index / 2^scale).
      val buckets = point.getPositiveBuckets
      val slowest = buckets.getBucketCounts.asScala.zipWithIndex.collect:
        case (count, i) if math.pow(2, (buckets.getOffset + i + 1) / 8.0) >= 0.03 => count.longValue
      assert(slowest.sum >= 3, s"$point")
      assert(point.getStartEpochNanos <= point.getEpochNanos, s"$point")
      registration.close()
      assert(system.shutdown())

  test("the buckets agree with the system's own snapshot"):
    withDurations: reader =>
      val system = ActorSystem("shop", 1, _ => ())
      given ActorSystem = system
      val registration = reader.durations.register(system)
      val actor = spawn(Behavior.receive[Int]: n =>
        compute(n.micros)
        Behavior.same)
      for n <- 1 to 300 do actor ! n
      quiet()
      val own = system.observe.durations
      val point = reader.points()("shop")
      assertEquals(point.getCount, own.count)
      assertEqualsDouble(point.getSum, own.sumNanos / 1e9, 1e-9)
      assertEqualsDouble(point.getMax, own.maxNanos / 1e9, 1e-9)
      val buckets = point.getPositiveBuckets
      val below = buckets.getBucketCounts.asScala.scanLeft(0L)(_ + _).tail
      val median = below.indexWhere(_ >= (own.count + 1) / 2) + buckets.getOffset
      val (lower, upper) = (math.pow(2, median / 8.0), math.pow(2, (median + 1) / 8.0))
      val p50 = own.quantile(0.5) / 1e9
      assert(lower <= p50 && p50 <= upper, s"$lower $p50 $upper")
      registration.close()
      assert(system.shutdown())

  test("a stopped system is reported once more; a closed registration not at all"):
    withDurations: reader =>
      val system = ActorSystem("shop", 1, _ => ())
      val other = ActorSystem("bank", 1, _ => ())
      reader.durations.register(system)
      val registration = reader.durations.register(other)
      for running <- List(system, other) do
        spawn(Behavior.ignore[Int])(using running) ! 1
        quiet()(using running)
      assertEquals(reader.points().keySet, Set("shop", "bank"))
      registration.close()
      registration.close() // idempotent
      assert(system.shutdown())
      assertEquals(reader.points().keySet, Set("shop"))
      assertEquals(reader.points().keySet, Set.empty[String])
      val still = spawn(Behavior.ignore[Int])(using other)
      still ! 2
      quiet()(using other)
      assertEquals(other.observe.durations.count, 1L, "nothing is recorded any more")
      assert(other.shutdown())

  test("a system without messages has no point"):
    withDurations: reader =>
      val system = ActorSystem("shop", 1, _ => ())
      reader.durations.register(system)
      assertEquals(reader.points(), Map.empty)
      assert(system.shutdown())
      reader.points(): Unit

  test("null, stopped systems and a second system of the same name are refused"):
    val durations = ActorDurations()
    val system = ActorSystem("shop", 1, _ => ())
    val same = ActorSystem("shop", 1, _ => ())
    val registration = durations.register(system)
    val twice = intercept[IllegalStateException](durations.register(same)).getMessage
    assertEquals(twice, "a system named shop has durations already: close them first")
    registration.close()
    durations.register(same).close()
    assert(system.shutdown())
    val stopped = intercept[IllegalStateException](durations.register(system)).getMessage
    assertEquals(stopped, "shop has stopped")
    assertEquals(
      intercept[NullPointerException](durations.register(null)).getMessage,
      "the system is null"
    )
    assert(same.shutdown())

  test("the metrics of a system and its durations are collected together"):
    val durations = ActorDurations()
    val reader = InMemoryMetricReader.create()
    val provider = SdkMeterProvider.builder
      .registerMetricReader(reader).registerMetricProducer(durations).build()
    val system = ActorSystem("shop", 1, _ => ())
    val openTelemetry =
      io.opentelemetry.sdk.OpenTelemetrySdk.builder.setMeterProvider(provider).build()
    val metrics = ActorMetrics.register(system, openTelemetry)
    val registration = durations.register(system)
    spawn(Behavior.ignore[Int], "till")(using system) ! 1
    quiet()(using system)
    val names = reader.collectAllMetrics().asScala.map(_.getName).toSet
    assert(names(name) && names("undercroft.actor.message.handled"), s"$names")
    registration.close()
    metrics.close()
    assert(system.shutdown())
    provider.close()

  test("the OTLP exporter sends the histogram as a native exponential one"):
    val bodies = ConcurrentLinkedQueue[OtlpMessage]()
    val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
    server.createContext(
      "/",
      exchange =>
        bodies.add(OtlpMessage(exchange.getRequestBody.readAllBytes)): Unit
        exchange.sendResponseHeaders(200, -1)
        exchange.close()
    )
    server.start()
    try
      val exporter = OtlpHttpMetricExporter.builder
        .setEndpoint(s"http://localhost:${server.getAddress.getPort}/v1/metrics").build()
      assertEquals(
        exporter.getAggregationTemporality(InstrumentType.HISTOGRAM),
        AggregationTemporality.CUMULATIVE
      )
      val durations = ActorDurations()
      val reader =
        PeriodicMetricReader.builder(exporter).setInterval(java.time.Duration.ofHours(1)).build()
      val provider = SdkMeterProvider.builder
        .registerMetricReader(reader).registerMetricProducer(durations).build()
      val system = ActorSystem("shop", 1, _ => ())
      val registration = durations.register(system)
      val till = spawn(Behavior.ignore[Int])(using system)
      for n <- 1 to 40 do till ! n
      quiet()(using system)
      provider.forceFlush.join(1, java.util.concurrent.TimeUnit.MINUTES): Unit
      registration.close()
      assert(system.shutdown())
      provider.close()
      // ResourceMetrics 1, ScopeMetrics 2, Metric 2, ExponentialHistogram 10, DataPoint 1, count 4,
      // scale 6 (zigzag)
      val points = bodies.asScala.flatMap(_.messages(1, 2, 2, 10, 1)).toList
      assertEquals(points.map(_.number(4)), List(40L))
      assertEquals(points.map(_.number(6)), List(6L))
    finally server.stop(0)
    end try
end DurationsTest
