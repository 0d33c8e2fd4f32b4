package undercroft.actor
package testkit

/** Searches for a shorter schedule with the same failure: fewer steps and fewer choices out of
  * order.
  *
  * It removes choices, in halves, quarters and so on down to single ones, and lowers the remaining
  * ones, as long as the exception has the same class (delta debugging): A. Zeller and R.
  * Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002.
  */
private[testkit] final class Shrinker(first: SimulationRun, run: Schedule => SimulationRun):
  private var best = first
  private var left = Shrinker.MostSteps

  def shortest: SimulationRun =
    var before = Long.MaxValue
    while cost(best) < before && left > 0 do
      before = cost(best)
      leaveOut(best.choices.keySet.toVector): Unit // all of them first
      halve(math.max(1, best.choices.size / 2))
      lower()
    best

  private def halve(maxSize: Int): Unit =
    var size = maxSize
    while size > 0 && left > 0 do
      var from = 0
      while from < best.choices.size && left > 0 do
        val subset = best.choices.keySet.toVector.sorted.slice(from, from + size)
        if !leaveOut(subset) then from += size
      size /= 2

  private def leaveOut(positions: Vector[Int]): Boolean =
    positions.nonEmpty && isBetter(best.choices -- positions)

  /** Lowers each choice by bisection; a value that is too small no longer fails. */
  private def lower(): Unit =
    for at <- best.choices.keySet.toVector.sorted do
      var tooLow = 0
      while best.choices.getOrElse(at, 0) - tooLow > 1 && left > 0 do
        val middle = (tooLow + best.choices(at)) / 2
        if !isBetter(best.choices.updated(at, middle)) && !isBetterShifted(at, middle) then
          tooLow = middle

  /** Tries a smaller choice, which has fewer decisions after it: the later choices move to earlier
    * positions, by 1 to `MostShifts` decisions for each unit that the choice is lowered by.
    */
  private def isBetterShifted(at: Int, smaller: Int): Boolean =
    val before = best.choices
    val by = before(at) - smaller
    (1 to Shrinker.MostShifts).exists: decisions =>
      val (later, earlier) = before.partition(_._1 > at)
      val shifted = later.map((position, choice) => (position - by * decisions) -> choice)
      later.nonEmpty && shifted.keys.forall(_ > at) && left > 0 &&
      isBetter(earlier.updated(at, smaller) ++ shifted)

  private def isBetter(choices: Map[Int, Int]): Boolean =
    val trial = run(Schedule(first.schedule.seed, Some(choices)))
    left -= Shrinker.StepsOfTrial + trial.steps
    val isSame = trial.failure.map(_.getClass.getName) == first.failure.map(_.getClass.getName)
    val better = isSame && cost(trial) < cost(best)
    if better then best = trial
    better

  /** The cost to minimise: steps and choices, one choice as two steps, then the sum of the choices.
    */
  private def cost(trial: SimulationRun): Long =
    val scale = Shrinker.MostOfChoices
    val choices = trial.choices.values.foldLeft(0L)(_ + _).min(scale - 1)
    (trial.steps * 2L + trial.choices.size * 4L) * scale + choices
end Shrinker

private[testkit] object Shrinker:
  /** The most steps of a search: some tenths of a second, or seconds if most steps belong to actors
    * with threads.
    */
  val MostSteps = 200_000

  /** The largest shift tried, in decisions per unit that a choice is lowered by. One actor or
    * message less makes some decisions less: the test's send to it, its step and its own send.
    */
  private val MostShifts = 4

  /** The cost of starting and ending a run, in steps. */
  private val StepsOfTrial = 100

  /** The bound of the sum of the choices in the cost. */
  private val MostOfChoices = 1_000_000L
