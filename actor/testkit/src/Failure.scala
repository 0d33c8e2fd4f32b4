package undercroft.actor
package testkit

/** Tells of a simulation that failed, for a person to read. */
private[testkit] object Failure:
  /** Lines of a trace that are told at most: the last ones. */
  private val MostLines = 200

  /** A seed was found that fails: with the shortest way to it. */
  def found(
      trial: Trial,
      run: Schedule => Trial,
      traced: Schedule => Trial,
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
      val shortest = Shrinking(trial, run).shortest
      val told = traced(shortest.byChoices)
      of(told, trial, s"seed ${trial.schedule.seed} of $seeds fails", location)
  end found

  /** The words for a trial that was traced, which is `first` in short. */
  def of(
      told: Trial,
      first: Trial,
      title: String,
      location: munit.Location
  ): munit.FailException =
    val outOfOrder = told.choices.size match
      case 1 => "1 choice"
      case n => s"$n choices"
    val left = told.lines.size - MostLines
    val lines = (if left > 0 then Vector(s"  ... $left lines before") else Vector.empty) ++
      told.lines.takeRight(MostLines)
    munit.FailException(
      s"""|${said(told)}
          |$title; here in ${told.steps} steps (of ${first.steps}), $outOfOrder out of order:
          |${lines.mkString("\n")}
          |replay it with simulate(replay = "${told.schedule}")""".stripMargin,
      told.failure.get,
      true,
      location
    )
  end of

  private def said(trial: Trial): String = trial.failure.fold("")(cause =>
    cause match
      case error: AssertionError => String.valueOf(error.getMessage)
      case other                 => other.toString
  )

  private def isSame(a: Trial, b: Trial): Boolean =
    a.failure.map(_.toString) == b.failure.map(_.toString) && a.steps == b.steps
end Failure
