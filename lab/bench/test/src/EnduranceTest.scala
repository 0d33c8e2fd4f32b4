package undercroft.lab.bench

/** Each long run, shortened. */
class EnduranceTest extends undercroft.tools.Suite:

  private val sizes = Map(
    "L1" -> 1,
    "O1" -> 80_000,
    "O2" -> 2000,
    "O3" -> 2000,
    "F1" -> 1,
    "R2" -> 20_000,
    "S2" -> 20_000,
    "K2" -> 20_000
  )

  for scenario <- Endurance.scenarios do
    test(s"${scenario.title} (${scenario.name})"):
      val words = scenario.run(sizes(scenario.name))
      assert(words.exists(_.isDigit), words)
