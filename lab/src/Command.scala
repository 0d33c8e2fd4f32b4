package undercroft.lab

/** One command line of the lab. Returns the exit code: 0, 1 (failed), 2 (wrong usage). */
final class Command(
    names: Seq[String],
    effort: Effort,
    json: Option[String],
    report: Option[String],
    against: Seq[String],
    only: Option[String],
    asked: Boolean,
    resume: Boolean,
    list: Boolean,
    compute: Boolean,
    add: Boolean = false
):
  private val home = Command.home
  private val jsonFolder = json.map(os.Path(_, os.pwd))

  /** The folder for results; a temporary one is created on first use. */
  private lazy val folder = jsonFolder match
    case Some(path)                    => path
    case None if effort == Effort.Full => home / "results"
    case None if compute               => home / "results"
    case None                          => os.temp.dir(prefix = "lab-quick-", deleteOnExit = false)
  private lazy val lab = ResultStore(home / "goals.json", folder)
  private val page = report.map(os.Path(_, os.pwd))
  private lazy val expression = only.map(_.r)

  def run(): Int =
    try checked()
    catch
      case error: InvalidResults => wrong(error.text)
      case error: java.io.IOException =>
        System.err.println(
          s"$folder cannot be written: $error. Earlier results stay; finished steps are in its " +
            "files *.steps.jsonl: --resume goes on after them."
        )
        1

  private def checked(): Int =
    val (options, experiments) = names.partition(_.startsWith("-"))
    val (misplaced, unknownOptions) =
      options.partition(option => Main.options(option.takeWhile(_ != '=')))
    val unknown = experiments.filter(name => name != "all" && Experiment.named(name).isEmpty)
    val strangers = against.filter(Rival.labelled(_).isEmpty)
    val files = Seq("--json" -> jsonFolder, "--report" -> page).collect:
      case (option, Some(path)) if os.exists(path) && !os.isDir(path) =>
        s"$option $path: is a file, and a folder is wanted"
    if unknownOptions.nonEmpty then
      wrong(s"no option is called ${unknownOptions.mkString(", ")}; --help tells what there is")
    else if misplaced.nonEmpty then
      wrong(
        s"wrong place of ${misplaced.mkString(", ")}: names come before all options or after all " +
          "options"
      )
    else if unknown.nonEmpty then
      wrong(s"no experiment is called ${unknown.mkString(", ")}; there are $known")
    else if strangers.nonEmpty then
      wrong(
        s"no rival is called ${strangers.mkString(", ")}; there are " +
          Rival.values.map(_.label).mkString(", ")
      )
    else if scala.util.Try(expression).isFailure then
      wrong(s"--only ${only.mkString} is not a regular expression")
    else if files.nonEmpty then wrong(files.mkString("; "))
    else if list then listed()
    else if compute && !lab.hasResults then
      wrong(s"--compute needs the results of a run, and $folder has none")
    else if compute then computed()
    else if resume && json.isEmpty && effort == Effort.Quick then
      wrong("--resume goes on in a folder: name it by --json")
    else if add && json.isEmpty && effort == Effort.Quick then
      wrong("--add goes on in a folder: name it by --json")
    else if names.isEmpty then wrong(s"which experiment? There are $known, and all")
    else ran()
    end if
  end checked

  private def known = Experiment.all.map(_.name).mkString(", ")
  private def chosen =
    if names.isEmpty || names.contains("all") then Experiment.all
    else names.distinct.flatMap(Experiment.named)

  private def wrong(message: String): Int =
    System.err.println(message)
    2

  private def plan(experiment: Experiment, effort: Effort = effort): Plan =
    val complete = Plan.of(experiment, against.flatMap(Rival.labelled).toSet, effort)
    complete.copy(steps = complete.steps.filter: step =>
      expression.forall(_.findFirstIn(step.key.show).isDefined) && (!asked || step.needed))

  /** The part of an experiment that is run, as text. */
  private val part: String =
    val words = only.map("only " + _).toSeq ++ Option.when(asked)("asked") ++
      Option.when(against.nonEmpty)(s"against ${against.sorted.mkString(", ")}")
    if words.isEmpty then RunMetadata.everything else words.mkString("; ")

  private def listed(): Int =
    val committed = ResultStore(home / "goals.json", home / "results")
    val total = scala.collection.mutable.Map.empty[Effort, Double].withDefaultValue(0)
    for experiment <- chosen do
      println(s"${experiment.name}: ${experiment.question}")
      for article <- experiment.article do println(s"  ${article.heading}: ${article.found}")
      for effort <- Effort.values do
        val steps = plan(experiment, effort)
        val seconds = steps.seconds(effort, committed.results(experiment.name))
        total(effort) += seconds
        println(
          s"  --${effort.label}: ${steps.steps.size} steps in ${effort.rounds} rounds, about " +
            Progress.clock(seconds.toLong)
        )
      for skip <- plan(experiment).skipped do println(s"  without ${skip.what}: ${skip.reason}")
    val times =
      Effort.values.map(level => s"--${level.label} about ${Progress.clock(total(level).toLong)}")
    println(s"together: ${times.mkString(", ")}")
    0
  end listed

  private def computed(): Int =
    lab.compute()
    println(s"computed ${lab.askedFile} and ${lab.tableFile}")
    reported()
    0

  private def reported(): Unit =
    for path <- page do
      val file = path / "index.html"
      os.write.over(
        file,
        Page.of(ResultStore(home / "goals.json", folder)).html,
        createFolders = true
      )
      println(s"the report is $file")

  private def ran(): Int =
    val commit = Machine.commit(home)
    val (finished, open) = chosen.partition(isFinished(_, commit))
    for experiment <- finished do println(s"${experiment.name}: finished before, left out")
    val (pending, empty) = open.map(entry => (entry, plan(entry))).partition(_._2.steps.nonEmpty)
    for (entry, _) <- empty do println(s"${entry.name}: none of its steps was chosen, left out")
    val foreign = pending.map(_._1).filterNot(isLikeThose)
    if pending.isEmpty && finished.isEmpty then wrong("there is nothing to run")
    else if foreign.nonEmpty then
      wrong(
        s"${foreign.map(_.name).mkString(", ")}: $folder has no results of this machine, this JDK " +
          s"and --${effort.label} that these could be added to"
      )
    else
      JmhLock.hold(measured(pending, commit)) match
        case Right(code) => code
        case Left(reason) =>
          System.err.println(s"$reason; nothing was measured, and no result has changed")
          1

  private def measured(pending: Seq[(Experiment, Plan)], commit: String): Int =
    val cores = Runtime.getRuntime.availableProcessors
    if Machine.load > cores / 2.0 then
      println(
        f"the machine is busy: a load of ${Machine.load}%.1f on $cores cores; figures will be poor"
      )
    val failed = pending.map: (experiment, steps) =>
      val session =
        Session(lab, experiment, steps, effort, part, commit, System.out.nn, add, resume)
      val failures = session.run()
      for article <- experiment.article do
        println(ArticleTable.text(article, lab.results(experiment.name)))
      failures
    lab.compute()
    println(s"results, asked.json and RESULTS.md are in $folder")
    reported()
    if failed.sum > 0 then 1 else 0
  end measured

  /** Whether results can be added to the existing results. Throws InvalidResults for files of other
    * content.
    */
  private def isLikeThose(experiment: Experiment): Boolean =
    !add || lab
      .envelope(experiment.name)
      .exists: run =>
        run.machine == Machine.here() && run.jdk == Machine.jdk && run.mode == effort.label &&
          lab.results(experiment.name).byKey.nonEmpty

  /** Whether a resumed run has this experiment's results already: the same part of it, measured at
    * the same commit with the same effort.
    */
  private def isFinished(experiment: Experiment, commit: String): Boolean =
    resume && lab
      .envelope(experiment.name)
      .exists(run => run.commit == commit && run.mode == effort.label && run.chosen == part)
end Command

object Command:
  /** The lab's folder in the checkout, which the build sets. */
  def home: os.Path =
    Option(System.getenv("UNDERCROFT_LAB")).map(path => os.Path(path.nn)).getOrElse(
      throw IllegalStateException("UNDERCROFT_LAB is not set: start the lab by ./mill lab.run")
    )
end Command
