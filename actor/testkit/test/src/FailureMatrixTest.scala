package undercroft.actor
package testkit

class FailureMatrixTest extends undercroft.tools.Suite:
  for
    decided <- FailureMatrix.Decided.values
    place <- FailureMatrix.places
  do
    test(s"S1: $decided after a failure in $place, in every order that is tried"):
      simulate(seeds = 1000)(FailureMatrix.row(decided, place))
