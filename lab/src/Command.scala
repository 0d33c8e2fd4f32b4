package undercroft.lab

/** What a call of the lab was asked to do. Answers the exit code: 0, 1 (failed), 2 (wrong usage).
  */
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
    compute: Boolean
):
  private val home = Command.home
  private val folder = json match
    case Some(path)                    => os.Path(path, os.pwd)
    case None if effort == Effort.Full => home / "results"
    case None if compute               => home / "results"
    case None                          => os.temp.dir(prefix = "lab-quick-", deleteOnExit = false)
  private val lab = Laboratory(home / "goals.json", folder)

  def run(): Int =
    val unknown = names.filter(name => name != "all" && Experiment.named(name).isEmpty)
    val strangers = against.filter(Rival.labelled(_).isEmpty)
    if unknown.nonEmpty then
      wrong(s"no experiment is called ${unknown.mkString(", ")}; there are $known")
    else if strangers.nonEmpty then
      wrong(
        s"no rival is called ${strangers.mkString(", ")}; there are " +
          Rival.values.map(_.label).mkString(", ")
      )
    else if list then listed()
    else if compute then computed()
    else if names.isEmpty then wrong(s"which experiment? There are $known, and all")
    else ran()

  private def known = Experiment.all.map(_.name).mkString(", ")
  private def chosen =
    if names.isEmpty || names.contains("all") then Experiment.all
    else names.flatMap(Experiment.named)

  private def wrong(message: String): Int =
    System.err.println(message)
    2

  private def plan(experiment: Experiment): Plan =
    val all = Plan.of(experiment, against.flatMap(Rival.labelled).toSet)
    val needed = experiment.measures.values.flatMap(_.keys).toSet
    val expression = only.map(_.r)
    all.copy(steps = all.steps.filter: step =>
      expression.forall(_.findFirstIn(step.key.show).isDefined) && (!asked || needed(step.key)))

  private def listed(): Int =
    for experiment <- chosen do
      val steps = plan(experiment)
      println(s"${experiment.name}: ${experiment.question}")
      val times = Effort.values.map: effort =>
        s"${effort.toString.toLowerCase} about ${Progress.clock(steps.seconds(effort).toLong)}"
      println(s"  ${steps.steps.size} steps; ${times.mkString(", ")}")
      for one <- steps.skipped do println(s"  without ${one.what}: ${one.reason}")
    0

  private def computed(): Int =
    lab.compute()
    println(s"computed ${lab.askedFile} and ${lab.tableFile}")
    reported()
    0

  private def reported(): Unit =
    for path <- report do
      val file = os.Path(path, os.pwd) / "index.html"
      os.write.over(file, Page.of(Laboratory(home / "goals.json", folder)), createFolders = true)
      println(s"the report is $file")

  private def ran(): Int =
    val cores = Runtime.getRuntime.availableProcessors
    if Machine.load > cores / 2.0 then
      println(
        f"the machine is busy: a load of ${Machine.load}%.1f on $cores cores; figures will be poor"
      )
    val (finished, open) = chosen.partition(isFinished)
    for one <- finished do println(s"${one.name}: finished before, left out")
    val failed = open.map(measured).sum
    lab.compute()
    println(s"results, asked.json and RESULTS.md are in $folder")
    reported()
    if failed > 0 then 1 else 0

  /** Whether a run that is resumed has this experiment's results, at this commit and effort. */
  private def isFinished(experiment: Experiment): Boolean =
    resume && lab
      .envelope(experiment.name)
      .exists(run => run.commit == Machine.commit(home) && run.mode == mode)

  private def mode = effort.toString.toLowerCase

  /** Runs one experiment and keeps its results; answers how many steps failed. */
  private def measured(experiment: Experiment): Int =
    val steps = plan(experiment)
    for one <- steps.skipped do println(s"${experiment.name}: without ${one.what}: ${one.reason}")
    val started = java.time.Instant.now.nn
    val loadBefore = Machine.load
    val log = os.temp(prefix = "lab-jmh-", suffix = ".log")
    val conduct = Conduct(effort, log)
    val rounds = steps.rounds(effort)
    val progress = Progress(experiment.name, rounds.size, System.out.nn)
    val outcomes =
      try
        rounds.map: (round, step) =>
          progress.next(s"${step.key.show} (round $round of ${effort.rounds})")
          val outcome = conduct.run(step)
          progress.step()
          for reason <- outcome.left.toOption do println(s"${step.key.show}: $reason")
          step -> outcome
      finally progress.close()
    val failures = outcomes.collect { case (step, Left(why)) => Skipped(step.key.show, why) }
    val entries = outcomes.collect { case (_, Right(found)) => found }.flatten
    val flags = entries.groupBy(entry => className(entry("benchmark").str)).map: (name, same) =>
      name -> same.head("jvmArgs").arr.toSeq.map(_.str)
    lab.keep(
      Envelope(
        experiment.name,
        mode,
        started.toString,
        java.time.Duration.between(started, java.time.Instant.now).nn.toSeconds,
        Machine.commit(home),
        Machine.here(),
        Machine.jdk,
        Machine.gcc,
        effort.rounds,
        Plan.order,
        flags,
        loadBefore,
        Machine.load,
        steps.skipped ++ failures.distinct
      ),
      entries
    )
    failures.size
  end measured

  private def className(benchmark: String) = benchmark.split('.').takeRight(2).head
end Command

object Command:
  /** The lab's folder in the checkout, as the build tells it. */
  def home: os.Path =
    Option(System.getenv("UNDERCROFT_LAB")).map(path => os.Path(path.nn)).getOrElse(
      throw IllegalStateException("UNDERCROFT_LAB is not set: start the lab by ./mill lab.run")
    )
end Command
