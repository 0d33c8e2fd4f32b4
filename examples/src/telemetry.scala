import io.opentelemetry.api.OpenTelemetry
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.sdk.OpenTelemetrySdk
import io.opentelemetry.sdk.metrics.SdkMeterProvider
import io.opentelemetry.sdk.testing.exporter.{InMemoryMetricReader, InMemorySpanExporter}
import io.opentelemetry.sdk.trace.SdkTracerProvider
import io.opentelemetry.sdk.trace.`export`.SimpleSpanProcessor
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.*
import undercroft.memory.*

case class PriceRequest(item: String, to: Reply[Int])

enum OrderDesk:
  case Order(item: String, to: Reply[Int])
  case Priced(price: Int, to: Reply[Int])

def priceList: Behavior[PriceRequest] = Behavior.receive:
  case PriceRequest(item, to) =>
    to ! item.length
    Behavior.same

def orderDesk(stock: ActorRef[PriceRequest]): Behavior[OrderDesk] = Behavior.setup:
  Behavior.receive:
    case OrderDesk.Order(item, to) =>
      val price = stock.askAsync[Int](10.seconds)(PriceRequest(item, _))
      context.pipeToSelf(price)(price => OrderDesk.Priced(price.get, to))
      Behavior.same
    case OrderDesk.Priced(price, to) =>
      to ! price
      Behavior.same

@main def telemetry(): Unit =
  // These two keep everything in memory; a service has exporters instead.
  val spans = InMemorySpanExporter.create()
  val reader = InMemoryMetricReader.create()
  val openTelemetry: OpenTelemetry = OpenTelemetrySdk.builder
    .setTracerProvider(
      SdkTracerProvider.builder.addSpanProcessor(SimpleSpanProcessor.create(spans)).build()
    )
    .setMeterProvider(SdkMeterProvider.builder.registerMetricReader(reader).build())
    .build()

  ActorSystem.scoped("shop"):
    val system = summon[ActorSystem]
    ActorMetrics.register(system, openTelemetry)
    ActorSpans.register(system, openTelemetry) // before the actors are spawned
    val orders = spawn(orderDesk(spawn(priceList, "stock")), "desk")

    val request = openTelemetry.getTracer("shop").spanBuilder("request").startSpan()
    val scope = request.makeCurrent()
    println(orders.ask[Int](10.seconds)(OrderDesk.Order("chair", _)))
    scope.close()
    request.end()
    system.awaitQuiescence(10.seconds)

    for
      metric <- reader.collectAllMetrics.asScala
      if metric.getName == "undercroft.actor.message.handled"
    do
      for point <- metric.getLongSumData.getPoints.asScala.toList.sortBy(_.getValue) do
        val path = point.getAttributes.get(AttributeKey.stringKey("undercroft.actor.path"))
        println(s"$path handled ${point.getValue}")

  MemoryMetrics.register(openTelemetry)
  val prices = Region.shared("prices")
  prices.allocate(1.MiB, 8)
  for
    metric <- reader.collectAllMetrics.asScala
    if metric.getName == "undercroft.memory.live"
    point <- metric.getLongSumData.getPoints.asScala
    owner = point.getAttributes.get(AttributeKey.stringKey("undercroft.memory.owner"))
    if owner == "prices"
  do println(s"$owner holds ${point.getValue} bytes")
  prices.close()

  val all = spans.getFinishedSpanItems.asScala.toList
  val names = all.map(span => span.getSpanId -> span.getName).toMap
  for span <- all.sortBy(_.getName) do
    println(s"${span.getName}, below ${names.getOrElse(span.getParentSpanId, "nothing")}")
  println(all.map(_.getTraceId).distinct.size)
end telemetry

// prints:
// 5
// stock handled 1
// desk handled 2
// prices holds 1048576 bytes
// desk Order, below request
// desk Success, below desk Order
// request, below nothing
// stock PriceRequest, below desk Order
// 1
