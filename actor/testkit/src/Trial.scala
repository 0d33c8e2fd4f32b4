package undercroft.actor
package testkit

import scala.concurrent.BlockContext
import scala.concurrent.duration.DurationInt

/** One run of a simulation, and what came of it: up to the failure, if there is one. */
private[testkit] final case class Trial(
    schedule: Schedule,
    failure: Option[Throwable],
    choices: Map[Int, Int],
    steps: Int,
    lines: Vector[String]
):
  /** The schedule by its choices, with which the same happens. */
  def byChoices: Schedule = Schedule(schedule.seed, Some(choices))

private[testkit] object Trial:
  private val StopWithin = 10.seconds

  /** Runs `body`, and what is left to happen after it; ends the system, and looks whether every
    * message came to its end.
    */
  def run(schedule: Schedule, limits: Limits, isTraced: Boolean = false)(
      body: Simulation ?=> Unit
  ): Trial =
    val trace = if isTraced then Trace() else null
    val name = s"the simulation of seed ${schedule.seed}"
    val stepper = Stepper(name, schedule, limits.turnNanos, limits.steps, trace)
    val listener = Told(trace, stepper)
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
      Trial(
        schedule,
        failure,
        stepper.order.choices,
        stepper.steps,
        if trace == null then Vector.empty else trace.lines
      )
    try trial(if thrown.isDefined then thrown else ending(system))
    finally stepper.leaveStrands()
  end run

  /** Ends the system; what is wrong then. */
  private def ending(system: ActorSystem): Option[Throwable] =
    try
      val atRest = system.audit
      val miscounted = system.miscounted
      val isOver = system.shutdown(StopWithin, StopWithin)
      val audit = system.audit
      if !atRest.isExact then Some(AssertionError(s"messages are missing: $atRest"))
      else if miscounted.isDefined then
        Some(AssertionError(s"messages are missing: ${miscounted.get}"))
      else if !isOver then
        Some(AssertionError(
          s"not all was handled, or not all actors stopped, within $StopWithin: $audit"
        ))
      else if !audit.isExact || audit.waiting > 0 || audit.stashed > 0 then
        Some(AssertionError(s"messages are missing in the end: $audit"))
      else None
    catch case cause: Throwable => Some(cause)
end Trial

/** What a simulation may take: nanoseconds of its time for a step at most, and steps in all. */
private[testkit] final case class Limits(turnNanos: Long, steps: Int)

/** What a simulated system tells. An assertion that failed in an actor ends the simulation. */
private[testkit] final class Told(trace: Trace | Null, stepper: Stepper) extends (Event => Unit):
  private val events = scala.collection.mutable.ArrayBuffer[Event]()

  def all: Vector[Event] = events.toVector

  def apply(event: Event): Unit =
    events += event
    if trace != null then trace.told(event)
    event match
      case Event.Failed(_, cause: AssertionError, _) if stepper.broken == null =>
        stepper.broken = cause
      case _ => ()
