package undercroft.actor
package testkit

import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** Runs `body` in one simulation after another, each with another seed, and fails with the first
  * one that fails. What fails is run again in shorter ways, and told step by step, with the words
  * that replay it.
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
  *       simulation.settle()
  *       assertEquals(probe.received.last, 5)
  * }}}
  *
  * A simulation fails by what its body throws; by an `AssertionError` in an actor; by an actor that
  * does not stop in the end; and where the audit of all messages is not exact. Seeds are 1 to
  * `seeds`, so that a test that passes does so again. The body must depend on nothing else that
  * changes: no clock, random numbers or threads but the simulation's.
  *
  * @param replay
  *   what a failure told: only that is run, and told again
  * @param turns
  *   how much of the simulated time a step takes at most; at random, down to none
  * @param steps
  *   the most that one simulation may take
  */
def simulate(
    seeds: Int = 1000,
    replay: String = "",
    turns: FiniteDuration = 10.micros,
    steps: Int = 1_000_000
)(body: Simulation ?=> Unit)(using location: munit.Location): Unit =
  if seeds < 1 then throw IllegalArgumentException(s"a simulation of $seeds seeds")
  if turns.toNanos < 0 then throw IllegalArgumentException(s"steps that take $turns")
  if steps < 1 then throw IllegalArgumentException(s"a simulation of $steps steps")
  val limits = Limits(turns.toNanos, steps)
  val run = (schedule: Schedule) => Trial.run(schedule, limits)(body)
  val traced = (schedule: Schedule) => Trial.run(schedule, limits, isTraced = true)(body)
  if replay.nonEmpty then
    val trial = traced(Schedule.parse(replay))
    if trial.failure.isDefined then
      throw Failure.of(trial, trial, s"${trial.schedule} fails", location)
  else
    var seed = 1L
    while seed <= seeds do
      val trial = run(Schedule(seed))
      if trial.failure.isDefined then
        throw Failure.found(trial, run, traced, seeds, location)
      seed += 1
end simulate
