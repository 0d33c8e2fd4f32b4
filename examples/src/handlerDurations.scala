import io.opentelemetry.sdk.metrics.SdkMeterProvider
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader
import scala.concurrent.duration.*
import scala.jdk.CollectionConverters.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.ActorDurations

def lookup: Behavior[Int] = Behavior.receive: key =>
  if key % 10 == 0 then compute(20.millis) // not in the cache
  Behavior.same

/** Stands for a computation that takes `time`. */
def compute(time: FiniteDuration): Unit =
  val from = System.nanoTime
  while System.nanoTime - from < time.toNanos do Thread.onSpinWait()

@main def handlerDurations(): Unit =
  val reader = InMemoryMetricReader.create() // a service has an exporter instead
  val durations = ActorDurations()
  val meters =
    SdkMeterProvider.builder.registerMetricReader(reader).registerMetricProducer(durations).build()

  val system = ActorSystem("shop")
  try
    durations.register(system) // its handlers are recorded from now on
    measure(system)
    for metric <- reader.collectAllMetrics.asScala do
      for point <- metric.getExponentialHistogramData.getPoints.asScala do
        println(s"${metric.getName}, ${metric.getUnit}: ${point.getCount} messages")
  finally
    system.close()
    meters.close()

def measure(system: ActorSystem): Unit =
  val earlier = system.observe.durations
  val cache = spawn(lookup, "cache")(using system)
  for key <- 1 to 50 do cache ! key
  system.awaitQuiescence(10.seconds)

  val slow = system.observe.durations.since(earlier) // the messages between two snapshots
  println(s"messages: ${slow.count}, p99 at least 20 ms: ${slow.quantile(0.99) >= 19_000_000}")
  println(s"p50 below 20 ms: ${slow.quantile(0.5) < 19_000_000}")

// prints:
// messages: 50, p99 at least 20 ms: true
// p50 below 20 ms: true
// undercroft.actor.handler.duration, s: 50 messages
