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

  def main(args: Array[String]): Unit =
    val (folders, options) = args.toSeq.span(!_.startsWith("-"))
    ParserForMethods(this).runEither(options ++ folders, totalWidth = 100) match
      case Left(message) =>
        System.err.println(message)
        sys.exit(2)
      case Right(code: Int) => sys.exit(code)
      case Right(_)         => ()
end Compare
