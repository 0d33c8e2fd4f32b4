import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator
import io.opentelemetry.context.propagation.ContextPropagators
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.`export`.SimpleSpanProcessor
import org.apache.pekko.actor.typed
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.ActorSpans
import undercroft.pekko.*

/** The SDK of a node: the propagators write and read the contexts of messages. */
def sdk(spans: InMemorySpanExporter): OpenTelemetry = OpenTelemetrySdk.builder
  .setTracerProvider(
    SdkTracerProvider.builder.addSpanProcessor(SimpleSpanProcessor.create(spans)).build()
  )
  .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance))
  .build()

def trace(node: typed.ActorSystem[?], openTelemetry: OpenTelemetry): Unit =
  // Before its actors are spawned; only messages of a trace have spans.
  ActorSpans.register(node.undercroftSystem, openTelemetry, roots = false): Unit

@main def tracedNodes(): Unit =
  val spans = InMemorySpanExporter.create() // a service has an exporter instead
  val openTelemetry = sdk(spans)
  def node() = nodeOnLoopback("meters", MessageCodec[Meter], MessageCodec[Total])
  val (here, there) = (node(), node())
  try
    trace(here, openTelemetry)
    trace(there, openTelemetry)
    given typed.ActorSystem[?] = here
    val far = farActor(there.systemActorOf(meter.toPekko(), "meter"), there)
    val request = openTelemetry.getTracer("meters").spanBuilder("request").startSpan()
    val scope = request.makeCurrent()
    far ! Meter.Reading(7)
    println(far.ask[Total](1.minute)(Meter.Sum(_)))
    scope.close()
    request.end()
  finally
    here.terminate()
    there.terminate()
    for node <- List(here, there) do
      scala.concurrent.Await.ready(node.whenTerminated, 1.minute)

  val all = spans.getFinishedSpanItems.asScala.toList
  for span <- all if span.getParentSpanId == all.find(_.getName == "request").get.getSpanId do
    println(span.getName.split(" ").last + ", below request")
end tracedNodes

// prints:
// Total(1,7)
// Reading, below request
// Sum, below request
