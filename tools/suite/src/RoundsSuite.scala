package undercroft.tools

/** A suite that has tests of repeated rounds, too. */
abstract class RoundsSuite extends Suite:

  /** A test of a few rounds, which every run has, and a long test of many rounds. */
  def testRounds(title: String)(rounds: Int, longRounds: Int)(body: Int => Any)(using
      munit.Location
  ): Unit =
    test(title)(body(rounds))
    test(s"$title, in $longRounds rounds".tag(LongTest))(body(longRounds))
