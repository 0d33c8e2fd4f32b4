package undercroft.actor
package testkit

/** Planted bugs are found and reported readably. */
class PlantedTest extends undercroft.tools.Suite:
  private val limits = SimulationLimits(10_000, 100_000)

  private def failing(program: Boolean => Simulation ?=> Unit): String =
    intercept[munit.FailException](simulate(seeds = 1000)(program(false))).getMessage

  private def replayOf(message: String): String =
    "replay = \"([^\"]+)\"".r.findFirstMatchIn(message) match
      case Some(result) => result.group(1).nn
      case None         => fail(s"no replay in $message")

  for (name, program) <- Planted.bugs do
    test(s"$name is found within 1000 seeds and reported in at most 20 steps"):
      val message = failing(program)
      val steps = message.linesIterator.count(_.matches("\\s+\\d+\\s+\\d+\\.\\d+ ms  .*"))
      assert(steps > 2 && steps <= 20, message)

    test(s"the reported schedule of $name replays identically 100 times"):
      val schedule = Schedule.parse(replayOf(failing(program)))
      val first = SimulationRun.run(schedule, limits, isTraced = true)(program(false))
      for _ <- 1 to 100 do
        val again = SimulationRun.run(schedule, limits, isTraced = true)(program(false))
        assertEquals(again.lines, first.lines)
        assertEquals(again.failure.map(_.getMessage), first.failure.map(_.getMessage))
        assertEquals(again.choices, first.choices)
      val replayed = intercept[munit.FailException](
        simulate(replay = schedule.toString)(program(false))
      )
      assertEquals(
        replayed.getMessage.linesIterator.toVector.tail.filter(_.startsWith("  ")),
        failing(program).linesIterator.toVector.tail.filter(_.startsWith("  "))
      )

    test(s"the corrected program without $name passes all seeds"):
      simulate(seeds = 1000)(program(true))
  end for
end PlantedTest
