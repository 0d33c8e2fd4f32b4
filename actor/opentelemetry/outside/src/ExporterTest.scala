package outside.actor.opentelemetry

import com.sun.net.httpserver.HttpServer
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.common.CompletableResultCode
import io.opentelemetry.sdk.metrics.{InstrumentType, SdkMeterProvider}
import io.opentelemetry.sdk.metrics.data.{AggregationTemporality, MetricData}
import io.opentelemetry.sdk.metrics.`export`.{MetricExporter, PeriodicMetricReader}
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.`export`.BatchSpanProcessor
import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.{ActorMetrics, ActorSpans}

/** A periodic reader and OTLP exporters that send to a collector on loopback, and exporters that
  * fail.
  */
class ExporterTest extends TelemetrySuite:

  /** A collector that speaks OTLP over HTTP, and answers with `status`. */
  private final class Collector(status: Int) extends AutoCloseable:
    val metrics = ConcurrentLinkedQueue[OtlpMessage]()
    val traces = ConcurrentLinkedQueue[OtlpMessage]()
    val received = CountDownLatch(2)
    private val server =
      HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
    server.createContext(
      "/",
      exchange =>
        val body = exchange.getRequestBody.readAllBytes
        exchange.getRequestURI.getPath match
          case "/v1/metrics" => metrics.add(OtlpMessage(body)): Unit
          case "/v1/traces"  => traces.add(OtlpMessage(body)): Unit
          case path          => throw AssertionError(path)
        received.countDown()
        exchange.sendResponseHeaders(status, -1)
        exchange.close()
    )
    server.start()
    def url(path: String): String = s"http://localhost:${server.getAddress.getPort}/v1/$path"
    def close(): Unit = server.stop(0)
  end Collector

  private def sdk(metrics: MetricExporter, collector: Collector): OpenTelemetrySdk =
    val reader = PeriodicMetricReader.builder(metrics).setInterval(5, TimeUnit.MILLISECONDS).build()
    val spans = OtlpHttpSpanExporter.builder.setEndpoint(collector.url("traces")).build()
    OpenTelemetrySdk.builder
      .setMeterProvider(SdkMeterProvider.builder.registerMetricReader(reader).build())
      .setTracerProvider(
        SdkTracerProvider.builder
          .addSpanProcessor(
            BatchSpanProcessor.builder(spans).setScheduleDelay(5, TimeUnit.MILLISECONDS).build()
          )
          .build()
      )
      .build()

  private def otlp(collector: Collector): MetricExporter =
    OtlpHttpMetricExporter.builder.setEndpoint(collector.url("metrics")).build()

  // The numbers of fields are those of the OTLP specification.
  private def path(point: OtlpMessage): String =
    point.messages(7).find(_.text(1) == "undercroft.actor.path").fold("")(
      _.messages(2).map(_.text(1)).mkString
    )

  /** Sends `count` messages through two actors while metrics and spans are exported. */
  private def run(openTelemetry: OpenTelemetrySdk, exported: CountDownLatch, count: Int): Unit =
    val system = ActorSystem("shop", 2, _ => ())
    given ActorSystem = system
    ActorMetrics.register(system, openTelemetry, handlerTimes = true): Unit
    ActorSpans.register(system, openTelemetry): Unit
    val log = spawn(Behavior.ignore[Int], "log")
    val till = spawn(
      Behavior.receive[Int] { n =>
        log ! n
        Behavior.same
      },
      "till"
    )
    for n <- 1 to count do till ! n
    quiet()
    await(exported)
    assert(system.shutdown())
    assertEquals(system.observe.audit.handled, 2L * count)
    val isEnded = openTelemetry.shutdown().join(1, TimeUnit.MINUTES).isDone
    assert(isEnded)
  end run

  test("a collector on loopback receives the metrics and the spans of a system"):
    val collector = Collector(200)
    try
      run(sdk(otlp(collector), collector), collector.received, count = 100)
      val points =
        for
          request <- collector.metrics.asScala.toList
          metric <- request.messages(1, 2, 2)
          sum <- metric.messages(7)
          point <- sum.messages(1)
        yield (metric.text(1), path(point), point.number(6), metric.text(3), sum.number(3) == 1)
      def values(path: String) = points.collect:
        case ("undercroft.actor.message.handled", `path`, value, "{message}", true) => value
      for path <- List("till", "log") do
        assertEquals(values(path).lastOption, Some(100L), points)
        assertEquals(values(path), values(path).sorted)
      assert(
        points.exists {
          case ("undercroft.actor.count", "till", 0L | 1L, "{actor}", false) => true
          case _                                                             => false
        },
        points
      )
      val spans = collector.traces.asScala.toList.flatMap(_.messages(1, 2, 2))
      val counts = spans.groupMapReduce(_.text(5))(_ => 1)(_ + _)
      assertEquals(counts, Map("till Integer" -> 100, "log Integer" -> 100))
      val tills = spans.filter(_.text(5) == "till Integer").map(_.hex(2)).toSet
      assertEquals(tills.size, 100)
      assert(spans.filter(_.text(5) == "log Integer").forall(span => tills(span.hex(4))))
    finally collector.close()
    end try

  test("a collector that rejects every request changes nothing for the actors"):
    val collector = Collector(400)
    try run(sdk(otlp(collector), collector), collector.received, count = 100)
    finally collector.close()

  test("an exporter that throws changes nothing for the actors"):
    val collector = Collector(200)
    val calls = CountDownLatch(3)
    val failing = new MetricExporter:
      def `export`(metrics: java.util.Collection[MetricData]): CompletableResultCode =
        calls.countDown()
        throw IllegalStateException("a test: this stack trace is expected")
      def flush(): CompletableResultCode = CompletableResultCode.ofSuccess
      def shutdown(): CompletableResultCode = CompletableResultCode.ofSuccess
      def getAggregationTemporality(kind: InstrumentType): AggregationTemporality =
        AggregationTemporality.CUMULATIVE
    try run(sdk(failing, collector), calls, count = 100)
    finally collector.close()
end ExporterTest
