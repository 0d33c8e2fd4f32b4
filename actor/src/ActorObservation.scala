package undercroft.actor

import internal.cell.ActorCell
import internal.dispatch.{ActorSettings, HandlerClock}
import internal.observe.{ActorCounts, ActorObserver, CellDiagnostics, SystemDurations}
import java.util.concurrent.atomic.AtomicReference
import scala.jdk.CollectionConverters.ListHasAsScala

/** The counts, the actors and the durations of the handlers of one system: see
  * [[ActorSystem.observe]]. Thread-safe.
  *
  * {{{
  * def report(system: ActorSystem): Unit =
  *   println(system.observe.audit)
  *   println(system.observe.tree.show)
  * }}}
  */
final class ActorObservation private[actor] (name: String, guardian: ActorCell[?]):
  private[actor] val totals: AuditTotals = AuditTotals()
  private[actor] val recorded: SystemDurations = SystemDurations()
  private val observer = AtomicReference[ActorObserver | Null](null)

  /** Returns the counts of all messages so far. Cost: O(actors).
    *
    * {{{
    * import scala.concurrent.duration.*
    * val system = ActorSystem("shop")
    * val actor = spawn(Behavior.ignore[Int])(using system)
    * for i <- 1 to 10 do actor ! i
    * system.awaitQuiescence(10.seconds)
    * println(system.observe.audit.handled) // 10
    * system.close()
    * }}}
    *
    * @throws java.lang.IllegalStateException
    *   if counting is switched off by `-Dundercroft.actor.audit=off`
    */
  def audit: Audit =
    requireAudits()
    totals.audit(cells.map(CellDiagnostics.counts))

  private def cells: Vector[ActorCell[?]] = CellDiagnostics.below(guardian).asScala.toVector

  private def requireAudits(): Unit =
    if !ActorSettings.audits then
      throw IllegalStateException(s"$name has no audit: undercroft.actor.audit is off")

  /** Returns the counts of one actor's messages. Messages rejected because its mailbox was full or
    * closed are not included: they are in the system's audit.
    *
    * {{{
    * import scala.concurrent.duration.*
    * val system = ActorSystem("shop")
    * val busy = spawn(Behavior.ignore[Int])(using system)
    * val idle = spawn(Behavior.ignore[Int])(using system)
    * busy ! 1
    * system.awaitQuiescence(10.seconds)
    * val observe = system.observe
    * println((observe.auditOf(busy).handled, observe.auditOf(idle).handled)) // (1,0)
    * system.close()
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `ref` is not an actor of this system
    * @throws java.lang.IllegalStateException
    *   if counting is switched off
    */
  def auditOf(ref: ActorRef[Nothing]): Audit = ref match
    case cell: ActorCell[?] if cell.system.observe eq this =>
      requireAudits()
      CellDiagnostics.counts(cell)
    case _ => throw IllegalArgumentException(s"${ref.name} is not an actor of $name")

  /** A snapshot of the system's actors. Cost: about a microsecond per actor.
    *
    * {{{
    * val system = ActorSystem("shop")
    * val till = spawn(Behavior.ignore[Int], "till")(using system)
    * println(system.observe.tree.rows.map(_.name)) // Vector(till)
    * system.close()
    * }}}
    */
  def tree: ActorTree = ActorTree.of(name, guardian)

  /** The durations of the handlers of all its actors so far, while
    * [[ActorObservation.recordDurations]] was on. Cost: some microseconds, and one more for each
    * worker.
    *
    * {{{
    * import scala.concurrent.duration.*
    * ActorObservation.recordDurations(true)
    * val system = ActorSystem("shop")
    * val till = spawn(Behavior.ignore[Int], "till")(using system)
    * for price <- 1 to 10 do till ! price
    * system.awaitQuiescence(10.seconds)
    * println(system.observe.durations.count) // 10
    * system.close()
    * ActorObservation.recordDurations(false)
    * }}}
    */
  def durations: HandlerDurations = recorded.snapshot

  /** A live actor whose counts are not exact, if there is one. For tests, when the system is
    * quiescent.
    */
  private[actor] def miscounted: Option[String] =
    cells.map(cell => cell -> CellDiagnostics.counts(cell)).collectFirst:
      case (cell, counts) if !counts.isExact => s"${cell.name}: $counts"

  // ---- for a module of metrics

  /** The time of the system's start, in nanoseconds since 1970. */
  private[undercroft] val startEpochNanos: Long = System.currentTimeMillis * 1_000_000L

  /** The counts of all live actors. Cost: about a microsecond per actor. */
  private[undercroft] def actorCounts: Vector[ActorCounts] = cells.map(ActorCounts.of)

  /** The counts of all stopped actors, and of the messages that no actor received. */
  private[undercroft] def stoppedCounts: Audit = totals.audit(Nil)

  /** Sets the observer of actors that stop. Returns false if there is one. */
  private[undercroft] def begin(candidate: ActorObserver): Boolean =
    observer.compareAndSet(null, candidate)

  /** Removes the observer, if it is this one. */
  private[undercroft] def end(present: ActorObserver): Unit =
    observer.compareAndSet(present, null): Unit

  /** An actor other than the guardian has stopped. Throws nothing. */
  private[actor] def stopped(cell: ActorCell[?]): Unit =
    totals.stopped(CellDiagnostics.counts(cell))
    if observer.get != null then tell(_.stopped(ActorCounts.of(cell)))

  /** The system has stopped. Throws nothing. */
  private[actor] def ended(): Unit = if observer.get != null then tell(_.ended())

  private def tell(call: ActorObserver => Unit): Unit =
    val present = observer.get
    if present != null then
      try call(present)
      catch case cause: Throwable => ActorEvent.error(s"an observer of $name failed", cause)
end ActorObservation

object ActorObservation:
  /** Starts, or stops, measuring the duration of each handler in this process, for
    * [[ActorObservation.durations]], [[ActorTree.Row.busyNanos]] and the JFR event
    * `dev.undercroft.SlowHandler`. Calls are counted: it stops after as many calls with false as
    * with true. Cost: two clock readings and about 10 ns per message when on, none when off; 4 KB
    * for each of a few threads.
    *
    * {{{
    * ActorObservation.recordDurations(true)
    * val system = ActorSystem("shop")
    * println(system.observe.durations.quantile(0.99)) // 0
    * system.close()
    * ActorObservation.recordDurations(false)
    * }}}
    */
  def recordDurations(on: Boolean): Unit = HandlerClock.want(on)
end ActorObservation
