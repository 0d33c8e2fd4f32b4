package outside.actor.opentelemetry

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.api.trace.Tracer
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter
import io.opentelemetry.sdk.trace.{SdkTracerProvider, SpanProcessor}
import io.opentelemetry.sdk.trace.data.SpanData
import io.opentelemetry.sdk.trace.`export`.SimpleSpanProcessor
import io.opentelemetry.sdk.trace.samplers.Sampler
import scala.jdk.CollectionConverters.*

/** An SDK that keeps the spans in memory. */
final class Spans(sampler: Sampler = Sampler.alwaysOn, processors: SpanProcessor*)
    extends AutoCloseable:
  private val exporter = InMemorySpanExporter.create()
  private val provider =
    val builder = SdkTracerProvider.builder.setSampler(Sampler.parentBased(sampler))
      .addSpanProcessor(SimpleSpanProcessor.create(exporter))
    for processor <- processors do builder.addSpanProcessor(processor)
    builder.build()
  val openTelemetry: OpenTelemetry =
    OpenTelemetrySdk.builder.setTracerProvider(provider).build()
  val tracer: Tracer = openTelemetry.getTracer("test")

  def all: List[SpanData] = exporter.getFinishedSpanItems.asScala.toList

  def named(name: String): List[SpanData] = all.filter(_.getName == name)

  def one(name: String): SpanData = named(name) match
    case List(span) => span
    case spans =>
      throw AssertionError(s"${spans.size} spans are named $name: ${all.map(_.getName)}")

  /** The names of a span and its ancestors. */
  def ancestry(span: SpanData): List[String] =
    val byId = all.map(span => span.getSpanId -> span).toMap
    List.unfold(Option(span))(_.map(span => (span.getName, byId.get(span.getParentSpanId))))

  /** Runs `body` within a new span. */
  def within[A](name: String)(body: => A): A =
    val span = tracer.spanBuilder(name).startSpan()
    val scope = span.makeCurrent()
    try body
    finally
      scope.close()
      span.end()

  def close(): Unit = provider.close()
end Spans

object Spans:
  def text(span: SpanData, key: String): Option[String] =
    Option(span.getAttributes.get(AttributeKey.stringKey(key)))
