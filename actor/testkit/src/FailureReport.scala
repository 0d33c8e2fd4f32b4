package undercroft.actor
package testkit

/** Formats the failure report of a simulation. */
private[testkit] object FailureReport:
  /** The most trace lines in a report; the last ones are kept. */
  private val MostLines = 200

  /** Reports a failing seed with the shortest failing schedule, or that it does not fail again. */
  def found(
      trial: SimulationRun,
      run: Schedule => SimulationRun,
      traced: Schedule => SimulationRun,
      seeds: Int,
      location: munit.Location
  ): munit.FailException =
    val again = run(trial.byChoices)
    if !isSame(again, trial) then
      munit.FailException(
        s"${said(trial)}\nseed ${trial.schedule.seed} of $seeds fails, and not again: the test " +
          "depends on more than its simulation, such as a clock, random numbers or threads",
        trial.failure.get,
        true,
        location
      )
    else
      val shortest = Shrinker(trial, run).shortest
      val rerun = traced(shortest.byChoices)
      of(rerun, trial, s"seed ${trial.schedule.seed} of $seeds fails", location)
  end found

  /** Reports `rerun`, a traced trial; `first` is the trial that it was shrunk from. */
  def of(
      rerun: SimulationRun,
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
      s"""|${said(rerun)}
          |$title; here in ${rerun.steps} steps (of ${first.steps}), $outOfOrder out of order:
          |${lines.mkString("\n")}
          |replay it with simulate(replay = "${rerun.schedule}")""".stripMargin,
      rerun.failure.get,
      true,
      location
    )
  end of

  private def said(trial: SimulationRun): String = trial.failure.fold("")(cause =>
    cause match
      case error: AssertionError => String.valueOf(error.getMessage)
      case failure               => failure.toString
  )

  private def isSame(a: SimulationRun, b: SimulationRun): Boolean =
    a.failure.map(_.toString) == b.failure.map(_.toString) && a.steps == b.steps
end FailureReport
