package undercroft.actor
package testkit

class FailureMatrixTest extends munit.FunSuite:
  override val munitTimeout: scala.concurrent.duration.Duration =
    scala.concurrent.duration.Duration(5, "minutes") // on a machine that is busy with other things
  for
    decided <- FailureMatrix.Decided.values
    place <- FailureMatrix.places
  do
    test(s"S1: $decided after a failure in $place, in every order that is tried"):
      simulate(seeds = 1000)(FailureMatrix.row(decided, place))
