package undercroft.actor
package testkit

class FailureMatrixTest extends undercroft.tools.Suite:
  for
    decided <- FailureMatrix.Decided.values
    place <- FailureMatrix.places
  do
    test(s"S1: $decided after a failure in $place has its outcome for every seed"):
      simulate(seeds = 1000)(FailureMatrix.row(decided, place))
