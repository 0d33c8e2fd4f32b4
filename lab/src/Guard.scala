package undercroft.lab

/** How long a run puts up with a machine that is not quiet. All are counts, so that a machine that
  * is never quiet costs a known time.
  *
  * @param repeatsOfStep
  *   that a disturbed step gets
  * @param repeats
  *   that all steps of a run get together
  * @param waits
  *   for quiet before a step, each of [[Guard.waitMillis]], in a whole run
  */
final case class Patience(repeatsOfStep: Int, repeats: Int, waits: Int) derives CanEqual

/** What a guarded step came to, how many processors others kept busy meanwhile (absent where the
  * system does not tell), and how often it was repeated.
  */
final case class Watched[A](outcome: A, others: Option[Double], repeats: Int) derives CanEqual:
  def disturbed: Boolean = others.exists(Guard.disturbs)

/** Sees to it that steps are measured on a quiet machine, as far as patience goes.
  *
  * Before a step it waits until the others are quiet; a step that they disturbed is repeated, and
  * of its attempts the least disturbed one counts.
  */
final class Guard(patience: Patience, now: () => Option[Moment], pause: () => Unit):
  private var waits = patience.waits
  private var repeats = patience.repeats

  /** Runs `work`, again if need be. What it says to be final is not repeated. */
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
    val others = for start <- before; end <- now() yield end.others(start)
    Watched(outcome, others, 0)

  private def awaitQuiet(): Unit =
    var quiet = waits == 0
    while !quiet && waits > 0 do
      val before = now()
      pause()
      val others = for start <- before; end <- now() yield end.others(start)
      quiet = !others.exists(Guard.disturbs)
      if !quiet then waits -= 1
end Guard

object Guard:
  /** A fifth of one processor: less is within what the tables of the system can tell. */
  private val limit = 0.2

  val waitMillis = 250L

  /** Whether others that keep so many processors busy disturb a measurement. */
  def disturbs(others: Double): Boolean = others > limit

  /** A guard over this machine for a run of so many steps. */
  def here(effort: Effort, steps: Int): Guard =
    Guard(effort.patience(steps), () => Moment.now(), () => Thread.sleep(waitMillis))
end Guard
