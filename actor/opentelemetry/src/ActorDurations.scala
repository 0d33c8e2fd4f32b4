package undercroft.actor.opentelemetry

import internal.metrics.DurationMetric
import io.opentelemetry.sdk.metrics.data.MetricData
import io.opentelemetry.sdk.metrics.`export`.MetricProducer
import io.opentelemetry.sdk.resources.Resource
import java.util.Collection
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.actor.{ActorObservation, ActorSystem, nullable}

/** A producer of the histograms of handler durations, for the SDK's meter provider. Thread-safe.
  *
  * OpenTelemetry's API has no observable histogram, so this class implements an interface of the
  * SDK: a program that uses it needs `opentelemetry-sdk-metrics`, which each SDK has.
  *
  * For each registered system it produces `undercroft.actor.handler.duration`, an exponential
  * histogram of scale 3 in seconds, cumulative since the start of the system, with the attribute
  * `undercroft.actor.system`. Each bucket is 9 % wide. Exporters to Prometheus make a native
  * histogram of it.
  *
  * Cost: a message pays for [[undercroft.actor.ActorObservation.recordDurations]] while a system is
  * registered; a collection takes some microseconds for each system.
  *
  * {{{
  * import io.opentelemetry.sdk.metrics.SdkMeterProvider
  * import undercroft.actor.*
  * val durations = ActorDurations()
  * val meters = SdkMeterProvider.builder.registerMetricProducer(durations).build()
  * ActorSystem.scoped("shop"):
  *   val registration = durations.register(summon[ActorSystem])
  *   spawn(Behavior.ignore[Int], "till") ! 250
  * }}}
  */
final class ActorDurations extends MetricProducer:
  private val registrations = CopyOnWriteArrayList[Registration]()

  private final class Registration(val system: ActorSystem) extends AutoCloseable:
    private val isOpen = AtomicBoolean(true)
    def close(): Unit =
      if isOpen.compareAndSet(true, false) then
        registrations.remove(this): Unit
        ActorObservation.recordDurations(false)

  /** Records the handler durations of a system, and reports them, until the result is closed. When
    * the system has stopped, the next collection reports its last durations, and closes it. Systems
    * of one producer need different names, which tell their series apart.
    *
    * {{{
    * import undercroft.actor.*
    * def observe(durations: ActorDurations)(using system: ActorSystem): AutoCloseable =
    *   durations.register(system)
    * }}}
    *
    * @throws java.lang.IllegalStateException
    *   if a system of this name is registered already, or if the system has stopped
    */
  def register(system: ActorSystem): AutoCloseable = synchronized:
    if system == null then throw NullPointerException("the system is null")
    if system.isStopped then throw IllegalStateException(s"${system.name} has stopped")
    if registrations.stream.anyMatch(_.system.name == system.name) then
      throw IllegalStateException(
        s"a system named ${system.name} has durations already: close them first"
      )
    val registration = Registration(system)
    ActorObservation.recordDurations(true)
    registrations.add(registration)
    registration

  /** The histograms of all registered systems; called by the SDK at each collection. */
  def produce(resource: Resource): Collection[MetricData] =
    val metrics = java.util.ArrayList[MetricData]()
    registrations.forEach: registration =>
      val system = registration.system
      val isLast = system.isStopped // first: then the durations are the final ones
      metrics.add(DurationMetric(
        resource,
        system.name,
        system.observe.startEpochNanos,
        system.observe.durations
      ))
      if isLast then registration.close()
    metrics
end ActorDurations
