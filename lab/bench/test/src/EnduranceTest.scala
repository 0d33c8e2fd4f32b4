package undercroft.lab.bench

/** Each long run, short. */
class EnduranceTest extends undercroft.house.Suite:

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

  for one <- Endurance.scenarios do
    test(s"${one.name}: ${one.what}"):
      val words = one.run(sizes(one.name))
      assert(words.exists(_.isDigit), words)
