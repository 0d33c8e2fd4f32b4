package outside.pekko

import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.baggage.propagation.W3CBaggagePropagator
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator
import io.opentelemetry.context.propagation.{ContextPropagators, TextMapPropagator}
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.data.SpanData
import io.opentelemetry.sdk.trace.`export`.SimpleSpanProcessor
import scala.jdk.CollectionConverters.*
import undercroft.actor.opentelemetry.ActorSpans
import undercroft.pekko.*

/** Nodes whose spans are kept in memory. */
abstract class TraceSuite extends ClusterSuite:

  /** The SDK of one node, with the propagators of the W3C. */
  final class NodeSpans extends AutoCloseable:
    private val exporter = InMemorySpanExporter.create()
    private val provider =
      SdkTracerProvider.builder.addSpanProcessor(SimpleSpanProcessor.create(exporter)).build()
    val openTelemetry: OpenTelemetry = OpenTelemetrySdk.builder
      .setTracerProvider(provider)
      .setPropagators(ContextPropagators.create(TextMapPropagator.composite(
        W3CTraceContextPropagator.getInstance,
        W3CBaggagePropagator.getInstance
      )))
      .build()

    def all: List[SpanData] = exporter.getFinishedSpanItems.asScala.toList
    def names: List[String] = all.map(_.getName)

    def within[A](name: String)(body: => A): A =
      val span = openTelemetry.getTracer("test").spanBuilder(name).startSpan()
      val scope = span.makeCurrent()
      try body
      finally
        scope.close()
        span.end()
    def close(): Unit = provider.close()
  end NodeSpans

  def trace(node: org.apache.pekko.actor.typed.ActorSystem[?], spans: NodeSpans): Unit =
    ActorSpans.register(node.undercroftSystem, spans.openTelemetry, roots = false): Unit

  /** The spans whose names end so, of several nodes, when there are `count`. */
  def awaitSpans(count: Int, end: String, nodes: NodeSpans*): List[SpanData] =
    def found = nodes.toList.flatMap(_.all).filter(_.getName.endsWith(end))
    until(found.size >= count)
    found
end TraceSuite
