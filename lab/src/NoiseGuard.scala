package undercroft.lab

/** How long a run tolerates a machine that is not quiet. All limits are counts, so that a machine
  * that is never quiet costs a known time.
  *
  * @param repeatsOfStep
  *   the most repeats of a disturbed step
  * @param repeats
  *   the most repeats of all steps of a run together
  * @param waits
  *   the most waits for quiet before steps, each of [[NoiseGuard.waitMillis]], in a whole run
  */
final case class NoisePolicy(repeatsOfStep: Int, repeats: Int, waits: Int) derives CanEqual

/** The outcome of a guarded step, how many processors other processes used meanwhile (absent if the
  * system does not report it), and how often the step was repeated.
  */
final case class Watched[A](outcome: A, others: Option[Double], repeats: Int) derives CanEqual:
  def disturbed: Boolean = others.exists(NoiseGuard.disturbs)

/** Measures steps on a quiet machine, within the limits of a [[NoisePolicy]].
  *
  * Before a step it waits until other processes are quiet; a disturbed step is repeated, and the
  * least disturbed of its attempts counts.
  */
final class NoiseGuard(patience: NoisePolicy, now: () => Option[CpuSample], pause: () => Unit):
  private var waits = patience.waits
  private var repeats = patience.repeats

  /** Runs `work`, again if it was disturbed. An outcome for which `isFinal` holds is not repeated.
    */
  def watch[A](work: => A)(isFinal: A => Boolean): Watched[A] =
    awaitQuiet()
    var best = attempt(work)
    var repeated = 0
    while
      !isFinal(best.outcome) && best.disturbed && repeated < patience.repeatsOfStep && repeats > 0
    do
      repeats -= 1
      repeated += 1
      awaitQuiet()
      val again = attempt(work)
      if isFinal(again.outcome) || again.others.getOrElse(0.0) < best.others.getOrElse(0.0) then
        best = again
    best.copy(repeats = repeated)

  private def attempt[A](work: => A): Watched[A] =
    val before = now()
    val outcome = work
    val load = for start <- before; end <- now() yield end.others(start)
    Watched(outcome, load, 0)

  private def awaitQuiet(): Unit =
    var quiet = waits == 0
    while !quiet && waits > 0 do
      val before = now()
      pause()
      val load = for start <- before; end <- now() yield end.others(start)
      quiet = !load.exists(NoiseGuard.disturbs)
      if !quiet then waits -= 1
end NoiseGuard

object NoiseGuard:
  /** A fifth of one processor: less is below the resolution of the system's tables. */
  private val limit = 0.2

  val waitMillis = 250L

  /** Whether other processes that use `others` processors disturb a measurement. */
  def disturbs(others: Double): Boolean = others > limit

  /** A guard over this machine for a run of `steps` steps. */
  def here(effort: Effort, steps: Int): NoiseGuard =
    NoiseGuard(effort.patience(steps), () => CpuSample.now(), () => Thread.sleep(waitMillis))
end NoiseGuard
