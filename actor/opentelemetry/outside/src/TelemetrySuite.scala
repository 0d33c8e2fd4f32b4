package outside.actor.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.metrics.SdkMeterProvider
import io.opentelemetry.sdk.metrics.data.{DoublePointData, LongPointData, MetricData}
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader
import io.opentelemetry.sdk.trace.SpanProcessor
import io.opentelemetry.sdk.trace.samplers.Sampler
import java.util.concurrent.{CountDownLatch, TimeUnit}
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.ActorSpans

/** An SDK whose metrics are read by the test. */
final class Reader extends AutoCloseable:
  private val reader = InMemoryMetricReader.create()
  private val provider = SdkMeterProvider.builder.registerMetricReader(reader).build()
  private var metrics = List.empty[MetricData]
  val openTelemetry: OpenTelemetry = OpenTelemetrySdk.builder.setMeterProvider(provider).build()

  def collect(): Unit = metrics = reader.collectAllMetrics().asScala.toList

  def names: Set[String] = metrics.map(_.getName).toSet

  private def longs(name: String): List[LongPointData] =
    metrics.filter(_.getName == s"undercroft.actor.$name").flatMap(
      _.getLongSumData.getPoints.asScala
    )

  private def busy(path: String): List[DoublePointData] =
    metrics.filter(_.getName == "undercroft.actor.busy.time")
      .flatMap(_.getDoubleSumData.getPoints.asScala)
      .filter(point => address(point.getAttributes.asMap.asScala.toMap) == path)

  private def address(attributes: Map[AttributeKey[?], Any]): String =
    val texts = attributes.map((key, value) => (key.getKey, value.toString))
    s"${texts("undercroft.actor.system")}/${texts.getOrElse("undercroft.actor.path", "")}"

  private def text(point: LongPointData, key: String): Option[String] =
    Option(point.getAttributes.get(AttributeKey.stringKey(s"undercroft.actor.$key")))

  /** The value of the series with this system and path, and this further attribute. */
  def find(name: String, path: String, also: (String, String)*): Option[Long] =
    val points = longs(name).filter: point =>
      address(point.getAttributes.asMap.asScala.toMap) == path &&
        also.forall((key, value) => text(point, key).contains(value))
    assert(points.size <= 1, s"$name of $path has ${points.size} points")
    points.headOption.map(_.getValue)

  def value(name: String, path: String, also: (String, String)*): Long =
    find(name, path, also*).getOrElse(throw AssertionError(s"no $name of $path: $metrics"))

  def deadLetters(system: String, reason: String): Long =
    value("dead_letters", s"$system/", "reason" -> reason)

  def paths(name: String): Set[String] = longs(name).flatMap(text(_, "path")).toSet

  def busySeconds(path: String): Option[Double] =
    Option(busy(path)).filter(_.nonEmpty).map(_.map(_.getValue).sum)

  def busyByRun(path: String): Map[String, Double] =
    busy(path).map(point =>
      point.getAttributes.get(AttributeKey.stringKey("undercroft.actor.run")) -> point.getValue
    ).toMap

  def close(): Unit = provider.close()
end Reader

abstract class TelemetrySuite extends undercroft.tools.Suite:
  protected def withReader[A](body: Reader => A): A =
    val reader = Reader()
    try body(reader)
    finally reader.close()

  /** Runs `body` in a system whose messages have spans; then all messages must be counted. */
  protected def withSpans(
      sampler: Sampler = Sampler.alwaysOn,
      roots: Boolean = true,
      processors: Seq[SpanProcessor] = Nil
  )(body: ActorSystem ?=> Spans => Unit): Unit =
    val spans = Spans(sampler, processors*)
    val system = ActorSystem("shop", 2, _ => ())
    ActorSpans.register(system, spans.openTelemetry, roots)
    try body(using system)(spans)
    finally
      val isOver = system.shutdown(1.minute, 1.minute)
      spans.close()
      assert(isOver, s"\n${system.observe.tree.show}")
    assert(system.observe.audit.isExact, s"${system.observe.audit}")

  /** Takes `time`, as a slow handler does; it computes until the clock has advanced. */
  protected def compute(time: FiniteDuration): Unit =
    val from = System.nanoTime
    while System.nanoTime - from < time.toNanos do Thread.onSpinWait()

  protected def quiet()(using system: ActorSystem): Unit =
    val isQuiet = system.awaitQuiescence(1.minute)
    assert(isQuiet, s"\n${system.observe.tree.show}")

  protected def await(latch: CountDownLatch): Unit =
    val isOpen = latch.await(1, TimeUnit.MINUTES)
    assert(isOpen, s"${latch.getCount} events are missing")

  protected def join(thread: Thread): Unit =
    val hasEnded = thread.join(java.time.Duration.ofMinutes(1))
    assert(hasEnded, s"$thread does not end")
end TelemetrySuite
