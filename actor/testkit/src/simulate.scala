package undercroft.actor
package testkit

import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** Runs `body` in `seeds` simulations with different seeds, and fails with the first failure. The
  * failing schedule is shrunk; the report lists its steps and the call that replays it.
  *
  * {{{
  * import undercroft.actor.*
  * import undercroft.actor.testkit.*
  *
  * class CounterTest extends munit.FunSuite:
  *   test("two and three are five, in whatever order"):
  *     simulate(seeds = 100):
  *       val probe = Probe[Int]()
  *       val counter = spawn(Behavior.setup[Int]:
  *         var sum = 0
  *         Behavior.receive: n =>
  *           sum += n
  *           probe.ref ! sum
  *           Behavior.same)
  *       for n <- List(2, 3) do spawn(Behavior.receive[Int] { n =>
  *         counter ! n
  *         Behavior.same
  *       }) ! n
  *       simulation.runUntilIdle()
  *       assertEquals(probe.received.last, 5)
  * }}}
  *
  * A simulation fails if its body throws, if an actor throws an `AssertionError`, if an actor does
  * not stop at the end, or if the audit of all messages is not exact. A failed assumption of the
  * body or of an actor skips the test; an `InterruptedException` and a jump out of the body are
  * rethrown as they are. Seeds are 1 to `seeds`, so that a test that passes does so again. The body
  * must not depend on anything else that varies: no clock, random numbers or threads from outside
  * the simulation, and no identity hash codes. The hash codes of actor references depend on the
  * seed, and so does the iteration order of a set of them.
  *
  * Sends of the body are steps, too: other steps may run before each of them, as if the body had a
  * thread of its own. So any step may run between two messages that the body sends, such as a
  * failure of the actor that receives both.
  *
  * @param replay
  *   the schedule that a failure reported: runs and reports only this one
  * @param stepTime
  *   the most simulated time per step, up to a day; the time is random, down to zero
  * @param maxSteps
  *   the most steps of one simulation
  * @param latency
  *   how long a possible step may have to wait, at most: now and then a timer or a timeout that is
  *   due within this time overtakes it. So a simulation finds replies that arrive after their
  *   timeout, and retries of requests that were already served. With zero, a timer overtakes a
  *   possible step only if the steps before it took so long that the timer is due; then an `ask`
  *   within a second does not time out unless other actors are busy for a second
  */
def simulate(
    seeds: Int = 1000,
    replay: String = "",
    stepTime: FiniteDuration = 10.micros,
    maxSteps: Int = 1_000_000,
    latency: FiniteDuration = 0.nanos
)(body: Simulation ?=> Unit)(using location: munit.Location): Unit =
  if seeds < 1 then throw IllegalArgumentException(s"seeds must be at least 1, but is $seeds")
  if stepTime.toNanos < 0 || stepTime > VirtualClock.LongestStep then
    throw IllegalArgumentException(
      s"stepTime must be from 0 to ${VirtualClock.LongestStep}, but is $stepTime"
    )
  if maxSteps < 1 then
    throw IllegalArgumentException(s"maxSteps must be at least 1, but is $maxSteps")
  if latency.toNanos < 0 then
    throw IllegalArgumentException(s"latency must be at least 0, but is $latency")
  val limits = SimulationLimits(stepTime.toNanos, maxSteps, latency.toNanos)
  val run = (schedule: Schedule) => SimulationRun.run(schedule, limits)(body)
  val traced = (schedule: Schedule) => SimulationRun.run(schedule, limits, isTraced = true)(body)
  if replay.nonEmpty then
    val trial = traced(Schedule.parse(replay))
    for cause <- trial.failure do
      throw if TestAbort.is(cause) then cause
      else FailureReport.of(trial, cause, trial, s"${trial.schedule} fails", location)
  else
    var seed = 1L
    while seed <= seeds do
      val trial = run(Schedule(seed))
      for cause <- trial.failure do
        throw if TestAbort.is(cause) then cause
        else FailureReport.found(trial, cause, run, traced, seeds, location)
      seed += 1
end simulate
