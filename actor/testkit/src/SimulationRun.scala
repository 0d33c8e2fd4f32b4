package undercroft.actor
package testkit

import scala.concurrent.BlockContext
import scala.concurrent.duration.DurationInt

/** One run of a simulation and its outcome: up to the failure, if there is one. */
private[testkit] final case class SimulationRun(
    schedule: Schedule,
    failure: Option[Throwable],
    choices: Map[Int, Int],
    steps: Int,
    lines: Vector[String]
):
  /** The schedule of the recorded choices, which repeats this run. */
  def byChoices: Schedule = Schedule(schedule.seed, Some(choices))

private[testkit] object SimulationRun:
  private val StopWithin = 10.seconds

  /** Runs `body` and all remaining steps, shuts the system down, and checks by the audit that no
    * message is missing. Rethrows an interrupt, which ends the search for failures, too.
    */
  def run(schedule: Schedule, limits: SimulationLimits, isTraced: Boolean = false)(
      body: Simulation ?=> Unit
  ): SimulationRun =
    val trace = if isTraced then StepTrace() else null
    val name = s"the simulation of seed ${schedule.seed}"
    val stepper = StepScheduler(name, schedule, limits, trace)
    val listener = EventLog(trace, stepper)
    val system = new ActorSystem("simulation", stepper, listener)
    system.start()
    val thrown =
      try
        BlockContext.withBlockContext(stepper):
          body(using new Simulation(stepper, schedule, system, listener))
          stepper.settle()
        None
      catch case cause: Throwable => Some(cause)
    val trial = (failure: Option[Throwable]) =>
      SimulationRun(
        schedule,
        failure,
        stepper.order.choices,
        stepper.steps,
        if trace == null then Vector.empty else trace.lines
      )
    try
      val failure = thrown.orElse(ending(system))
      failure match
        case Some(interrupt: InterruptedException) => throw interrupt
        case _                                     => trial(failure)
    finally stepper.leaveStrands()
  end run

  /** Shuts the system down; returns the error that this finds, if any. */
  private def ending(system: ActorSystem): Option[Throwable] =
    try
      val atRest = system.observe.audit
      val miscounted = system.observe.miscounted
      val isOver = system.shutdown(StopWithin, StopWithin)
      val audit = system.observe.audit
      if !atRest.isExact then Some(AssertionError(s"messages are missing: $atRest"))
      else if miscounted.isDefined then
        Some(AssertionError(s"messages are missing: ${miscounted.get}"))
      else if !isOver then
        Some(AssertionError(
          s"messages were not handled, or actors did not stop, within $StopWithin: $audit"
        ))
      else if !audit.isExact || audit.waiting > 0 || audit.stashed > 0 then
        Some(AssertionError(s"messages are missing in the end: $audit"))
      else None
    catch case cause: Throwable => Some(cause)
end SimulationRun

/** The limits of a simulation: simulated nanoseconds per step, steps in all, and nanoseconds for
  * which timers may overtake a waiting message.
  */
private[testkit] final case class SimulationLimits(
    turnNanos: Long,
    steps: Int,
    latencyNanos: Long = 0
)

/** Records the events of a simulated system. A failed assertion or assumption in an actor ends the
  * simulation.
  */
private[testkit] final class EventLog(trace: StepTrace | Null, stepper: StepScheduler)
    extends (ActorEvent => Unit):
  private val events = scala.collection.mutable.ArrayBuffer[ActorEvent]()

  def all: Vector[ActorEvent] = events.toVector

  def apply(event: ActorEvent): Unit =
    events += event
    event match
      case ActorEvent.Failed(_, cause, _) if stepper.broken == null && endsTest(cause) =>
        stepper.broken = cause
      case _ => ()
    if trace != null then trace.told(event)

  private def endsTest(cause: Throwable): Boolean =
    cause.isInstanceOf[AssertionError] || TestAbort.isAssumption(cause)
