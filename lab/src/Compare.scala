package undercroft.lab

import mainargs.{ParserForMethods, Leftover, arg, main}

/** `lab.compare OLD NEW`: for use before a release. */
object Compare:
  @main(doc = "Prints what got slower or faster from OLD to NEW; exits 1 on a regression.")
  def compare(
      @arg(doc = "two folders of results: old and new") folders: Leftover[String],
      @arg(doc = "the largest slowdown that is let pass, in per cent (5)") threshold: Double = 5
  ): Int =
    folders.value.map(os.Path(_, Command.home / os.up)) match
      case Seq(old, recent) =>
        val missing = Seq(old, recent).filterNot(os.isDir)
        if missing.nonEmpty then wrong(s"no folder of results: ${missing.mkString(", ")}")
        else if !threshold.isFinite || threshold < 0 then
          wrong(s"--threshold $threshold: a finite number of per cent, 0 or more, is allowed")
        else
          try compared(old, recent, threshold / 100)
          catch case error: InvalidResults => wrong(error.text)
      case other => wrong(s"two folders are compared, OLD and NEW; ${other.size} were given")

  private def compared(old: os.Path, recent: os.Path, threshold: Double): Int =
    val goals = Command.home / "goals.json"
    val (before, after) = (ResultStore(goals, old), ResultStore(goals, recent))
    val names = Experiment.all.map(_.name)
    val comparison = Comparison.of(before.results, after.results, names, threshold)
    comparison.lines.foreach(println)
    if comparison.compared == 0 then wrong(s"$old and $recent have no result in common")
    else if comparison.regressions.nonEmpty then 1
    else 0

  private def wrong(message: String): Int =
    System.err.println(message)
    2

  def main(args: Array[String]): Unit = sys.exit(run(args.toSeq))

  /** Runs a command line, with the option at any place; returns the exit code. */
  private[lab] def run(args: Seq[String]): Int =
    // mainargs wants the option first. OLD and NEW keep their order.
    val valuePlaces = false +: args.map(_ == "--threshold")
    val (options, folders) = args
      .zip(valuePlaces)
      .partition((word, isValue) => isValue || word.startsWith("-"))
    ParserForMethods(this).runEither((options ++ folders).map(_._1), totalWidth = 100) match
      case Left(message)    => wrong(message)
      case Right(code: Int) => code
      case Right(_)         => 0
end Compare
