package undercroft.lab

import mainargs.{Flag, Leftover, ParserForMethods, Util, arg, main}

/** The lab's command line. */
object Main:

  @main(doc = "Runs experiments beside their rivals, and computes what was asked of them.")
  def run(
      @arg(doc = "experiments by name, or all") experiments: Leftover[String],
      @arg(doc = "one round, for a first look (the default)") quick: Flag,
      @arg(doc = "every round: what is committed") full: Flag,
      @arg(doc = "the folder for results; lab/results for --full") json: Option[String],
      @arg(doc = "a folder for the report, one page of HTML") report: Option[String],
      @arg(doc = "rivals to run beside ours, by name, with commas; all by default")
      against: Option[String],
      @arg(doc = "only the benchmarks whose name and parameters match this expression")
      only: Option[String],
      @arg(doc = "only the benchmarks of goals and of the articles' tables") asked: Flag,
      @arg(doc = "goes on with a killed run in --json's folder: leaves out the steps it finished")
      resume: Flag,
      @arg(doc = "keeps the results that are there of steps that this run leaves out") add: Flag,
      @arg(doc = "what there is, how long it takes and what it needs") list: Flag,
      @arg(doc = "computes asked.json and the table from the results that are there")
      compute: Flag
  ): Int =
    if quick.value && full.value then
      System.err.println("--quick or --full, not both")
      2
    else
      Command(
        experiments.value,
        if full.value then Effort.Full else Effort.Quick,
        json,
        report,
        against.toSeq.flatMap(_.split(',')).map(_.trim),
        only,
        asked.value,
        resume.value,
        list.value,
        compute.value,
        add.value
      ).run()

  private val parser = ParserForMethods(this)

  /** The names of the options, each with its dashes. */
  lazy val options: Set[String] =
    val arguments = parser.mains.value.flatMap(_.flattenedArgSigs.map(_._1))
    arguments
      .filterNot(_.reader.isLeftover)
      .flatMap(_.longName(Util.kebabCaseNameMapper))
      .map("--" + _)
      .toSet

  def main(args: Array[String]): Unit =
    // Names may precede the options, as in `trades --full`: mainargs wants them last.
    val (names, options) = args.toSeq.span(!_.startsWith("-"))
    parser.runEither(options ++ names, totalWidth = 100) match
      case Left(message) =>
        System.err.println(message)
        sys.exit(2)
      case Right(code: Int) => sys.exit(code)
      case Right(_)         => ()
end Main
