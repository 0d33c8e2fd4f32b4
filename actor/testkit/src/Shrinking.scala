package undercroft.actor
package testkit

/** Looks for a shorter way to the same failure: with fewer things out of order, and fewer steps.
  *
  * It leaves choices out, in halves, quarters and so on to single ones, and makes the others
  * smaller, as long as what fails does so in the same way: A. Zeller and R. Hildebrandt,
  * "Simplifying and Isolating Failure-Inducing Input", 2002.
  */
private[testkit] final class Shrinking(first: Trial, run: Schedule => Trial):
  private var best = first
  private var left = Shrinking.MostSteps

  def shortest: Trial =
    var before = Long.MaxValue
    while cost(best) < before && left > 0 do
      before = cost(best)
      leaveOut(best.choices.keySet.toVector): Unit // all of them, to begin with
      halve(math.max(1, best.choices.size / 2))
      lower()
    best

  private def halve(most: Int): Unit =
    var size = most
    while size > 0 && left > 0 do
      var from = 0
      while from < best.choices.size && left > 0 do
        val some = best.choices.keySet.toVector.sorted.slice(from, from + size)
        if !leaveOut(some) then from += size
      size /= 2

  private def leaveOut(some: Vector[Int]): Boolean = some.nonEmpty && isBetter(best.choices -- some)

  /** Each choice by bisection: what is too small does not fail any more. */
  private def lower(): Unit =
    for at <- best.choices.keySet.toVector.sorted do
      var tooLow = 0
      while best.choices.getOrElse(at, 0) - tooLow > 1 && left > 0 do
        val middle = (tooLow + best.choices(at)) / 2
        if !isBetter(best.choices.updated(at, middle)) then tooLow = middle

  private def isBetter(choices: Map[Int, Int]): Boolean =
    val trial = run(Schedule(first.schedule.seed, Some(choices)))
    left -= Shrinking.StepsOfTrial + trial.steps
    val isSame = trial.failure.map(_.getClass.getName) == first.failure.map(_.getClass.getName)
    val better = isSame && cost(trial) < cost(best)
    if better then best = trial
    better

  /** Steps above all, then what is out of order, then by how much. */
  private def cost(trial: Trial): Long =
    val most = Shrinking.MostOfChoices
    val choices = trial.choices.values.foldLeft(0L)(_ + _).min(most - 1)
    (trial.steps * 2L + trial.choices.size * 4L) * most + choices
end Shrinking

private[testkit] object Shrinking:
  /** Steps that a search may take: some tenths of a second, or seconds where most of them are of
    * actors with threads.
    */
  val MostSteps = 200_000

  /** What it takes to begin and end a run, in steps. */
  private val StepsOfTrial = 100

  /** What all choices together count at most. */
  private val MostOfChoices = 1_000_000L
