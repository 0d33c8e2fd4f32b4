package undercroft.actor
package testkit

/** Formats the failure report of a simulation. */
private[testkit] object FailureReport:
  /** The most trace lines in a report; the last ones are kept. */
  private val MostLines = 200

  /** Reports a failing seed with the shortest failing schedule, or that it does not fail again. */
  def found(
      trial: SimulationRun,
      failure: Throwable,
      run: Schedule => SimulationRun,
      traced: Schedule => SimulationRun,
      seeds: Int,
      location: munit.Location
  ): munit.FailException =
    val title = s"seed ${trial.schedule.seed} of $seeds fails"
    def unrepeatable(unlike: String, reason: String) = munit.FailException(
      s"${said(failure)}\n$title, and not $unlike: the test depends on more than its simulation, " +
        s"such as $reason",
      failure,
      true,
      location
    )
    if !isSame(run(trial.byChoices), trial) then
      unrepeatable("again", "a clock, random numbers or threads")
    else
      val rerun = traced(Shrinker(trial, run).shortest.byChoices)
      rerun.failure match
        case Some(cause) if cause.getClass eq failure.getClass =>
          of(rerun, cause, trial, title, location)
        case _ => unrepeatable("if its steps are recorded", "a toString with a side effect")
  end found

  /** Reports `rerun`, a traced trial, with its failure; it was shrunk from the trial `first`. */
  def of(
      rerun: SimulationRun,
      failure: Throwable,
      first: SimulationRun,
      title: String,
      location: munit.Location
  ): munit.FailException =
    val outOfOrder = rerun.choices.size match
      case 1 => "1 choice"
      case n => s"$n choices"
    val left = rerun.lines.size - MostLines
    val lines = (if left > 0 then Vector(s"  ... $left lines before") else Vector.empty) ++
      rerun.lines.takeRight(MostLines)
    munit.FailException(
      s"""|${said(failure)}
          |$title; here in ${rerun.steps} steps (of ${first.steps}), $outOfOrder out of order:
          |${lines.mkString("\n")}
          |replay it with simulate(replay = "${rerun.schedule}")""".stripMargin,
      failure,
      true,
      location
    )
  end of

  private def said(failure: Throwable): String = failure match
    case error: AssertionError => ValueText.ofMessage(error)
    case failure               => ValueText.of(failure)

  private def isSame(a: SimulationRun, b: SimulationRun): Boolean =
    a.failure.map(ValueText.of) == b.failure.map(ValueText.of) && a.steps == b.steps
end FailureReport
