package undercroft.actor.opentelemetry

import internal.metrics.{Instruments, PathTable}
import io.opentelemetry.api.OpenTelemetry
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.actor.{ActorEvent, ActorObservation, ActorSystem, nullable}
import undercroft.actor.internal.dispatch.ActorSettings
import undercroft.actor.internal.observe.{ActorCounts, ActorObserver}

/** The metrics of one actor system, as observable instruments of OpenTelemetry. Thread-safe.
  *
  * A collection reads the counts that the system keeps anyway: about a microsecond per actor, on
  * the thread of the metric reader. A message costs nothing more, unless handler times are
  * measured.
  *
  * The counts of actors have the attributes `undercroft.actor.system` and `undercroft.actor.path`,
  * the names of the actor's ancestors and its own. Actors with one path share its counts; an actor
  * without a name is `*`. Actors beyond the limit of paths, and those below 16 ancestors, share the
  * path `_OTHER`, and so do the counts of actors that stopped before the registration. Counts of
  * stopped actors are kept, so counters never decrease.
  *
  * | instrument                                     | unit        | also by                            |
  * |:-----------------------------------------------|:------------|:-----------------------------------|
  * | `undercroft.actor.count`                       | `{actor}`   |                                    |
  * | `undercroft.actor.message.waiting`, `.stashed` | `{message}` |                                    |
  * | `undercroft.actor.message.handled`, `.failed`  | `{message}` |                                    |
  * | `undercroft.actor.dead_letters`                | `{message}` | `undercroft.actor.reason`; no path |
  * | `undercroft.actor.failures`                    | `{failure}` | `undercroft.actor.decision`        |
  * | `undercroft.actor.restarts`                    | `{restart}` |                                    |
  * | `undercroft.actor.stalls`                      | `{stall}`   |                                    |
  * | `undercroft.actor.busy.time`                   | `s`         | `undercroft.actor.run`             |
  *
  * Failures and stalls count from the registration on, the times of handlers without the actors
  * that stopped before it, all others from the start of the system.
  *
  * {{{
  * import io.opentelemetry.api.OpenTelemetry
  * import undercroft.actor.*
  * ActorSystem.scoped("shop"):
  *   val metrics = ActorMetrics.register(summon[ActorSystem], OpenTelemetry.noop)
  *   spawn(Behavior.ignore[Int], "till") ! 250
  * }}}
  */
final class ActorMetrics private (
    val system: ActorSystem,
    pathLimit: Int,
    handlerTimes: Boolean
) extends AutoCloseable:
  private val table = PathTable(system.name, pathLimit)
  private val isClosed = AtomicBoolean()
  @volatile private var hasEnded = false
  private val isTiming = AtomicBoolean()
  @volatile private var callback: AutoCloseable | Null = null

  private val observer = new ActorObserver:
    def stopped(actor: ActorCounts): Unit = table.stopped(actor)
    def ended(): Unit =
      hasEnded = true
      endTiming() // perhaps no collection follows

  private val subscription = system.subscribe:
    case ActorEvent.Failed(actor, _, decision) =>
      table.failed(ActorCounts.pathOf(actor), decision)
    case ActorEvent.Stalled(actor, _, _, _) => table.stalled(ActorCounts.pathOf(actor))
    case _                                  => ()

  private def endTiming(): Unit =
    if isTiming.compareAndSet(true, false) then ActorObservation.recordDurations(false)

  private def collect(instruments: Instruments): Unit =
    val isLast = hasEnded // first: then the counts are the final ones
    table.collect(system.observe.actorCounts)(instruments.record)
    instruments.recordDeadLetters(system.observe.stoppedCounts.deadLetters)
    if isLast then close()

  private def start(openTelemetry: OpenTelemetry): Unit =
    table.addEarlier(() => system.observe.stoppedCounts)
    if handlerTimes then
      ActorObservation.recordDurations(true)
      isTiming.set(true)
    val meter = openTelemetry.getMeter("undercroft.actor").nn
    val instruments = Instruments(meter, system.name, handlerTimes)
    callback = instruments.register(() => collect(instruments))

  /** Removes the metrics from the system and from the meter. Idempotent. The metrics close
    * themselves when the first collection after the end of the system has reported its last counts.
    *
    * {{{
    * import io.opentelemetry.api.OpenTelemetry
    * import undercroft.actor.*
    * ActorSystem.scoped("shop"):
    *   val system = summon[ActorSystem]
    *   ActorMetrics.register(system, OpenTelemetry.noop).close()
    *   val again = ActorMetrics.register(system, OpenTelemetry.noop)
    * }}}
    */
  def close(): Unit =
    if isClosed.compareAndSet(false, true) then
      subscription.close()
      system.observe.end(observer)
      endTiming()
      val registered = callback
      if registered != null then registered.close()
end ActorMetrics

object ActorMetrics:
  /** The default limit of paths: with it, a system has at most 101 series for each instrument and
    * value of its other attribute.
    */
  val DefaultPathLimit = 100

  /** Registers the metrics of a system. Systems of one process need different names, which tell
    * their series apart.
    *
    * {{{
    * import io.opentelemetry.api.GlobalOpenTelemetry
    * import undercroft.actor.*
    * def observe(system: ActorSystem): ActorMetrics =
    *   ActorMetrics.register(system, GlobalOpenTelemetry.get, handlerTimes = true)
    * }}}
    *
    * @param pathLimit
    *   the largest number of paths; further ones share `_OTHER`
    * @param handlerTimes
    *   whether to measure the time of handlers, for `undercroft.actor.busy.time`: see
    *   [[undercroft.actor.ActorObservation.recordDurations]], which costs two clock readings per
    *   message
    * @throws java.lang.IllegalArgumentException
    *   if `pathLimit` is not positive
    * @throws java.lang.IllegalStateException
    *   if the system has metrics already, has stopped, or does not count messages because of
    *   `-Dundercroft.actor.audit=off`
    */
  def register(
      system: ActorSystem,
      openTelemetry: OpenTelemetry,
      pathLimit: Int = DefaultPathLimit,
      handlerTimes: Boolean = false
  ): ActorMetrics =
    if system == null then throw NullPointerException("the system is null")
    if openTelemetry == null then
      throw NullPointerException(s"the OpenTelemetry for ${system.name} is null")
    if pathLimit < 1 then
      throw IllegalArgumentException(s"pathLimit must be at least 1, but is $pathLimit")
    if !ActorSettings.audits then
      throw IllegalStateException(
        s"${system.name} has no counts to report: undercroft.actor.audit is off"
      )
    val metrics = new ActorMetrics(system, pathLimit, handlerTimes)
    if !system.observe.begin(metrics.observer) then
      metrics.subscription.close()
      throw IllegalStateException(s"${system.name} has metrics already: close them first")
    try
      if system.isStopped then throw IllegalStateException(s"${system.name} has stopped")
      metrics.start(openTelemetry)
      metrics
    catch
      case cause: Throwable =>
        metrics.close()
        throw cause
  end register
end ActorMetrics
