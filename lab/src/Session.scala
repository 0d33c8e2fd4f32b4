package undercroft.lab

import undercroft.report.FigureText
import java.io.PrintStream
import java.time.{Duration, Instant}
import scala.collection.mutable.ArrayBuffer

/** Measures one experiment, from its plan to its stored results.
  *
  * @param chosen
  *   the part of the experiment that the plan covers, as text, for a later `--resume`
  * @param adds
  *   whether existing results of other steps are kept
  * @param resumes
  *   whether the steps are left out that a killed run has finished
  */
final class Session(
    lab: ResultStore,
    experiment: Experiment,
    plan: Plan,
    effort: Effort,
    chosen: String,
    commit: String,
    out: PrintStream,
    adds: Boolean = false,
    resumes: Boolean = false
):
  private val rounds = plan.rounds(effort)
  private val guard = NoiseGuard.here(effort, rounds.size)
  private val took = ArrayBuffer[(key: Key, seconds: Double)]()
  private val log = StepLog.open(
    lab.stepsFile(experiment.name),
    StepLog.Run(Instant.now.toString, commit, effort.label, chosen, Machine.jdk),
    resumes
  )

  /** Runs every step and stores its results; returns the number of failed steps. */
  def run(): Int =
    for skip <- plan.skipped do
      out.println(s"${experiment.name}: without ${skip.what}: ${skip.reason}")
    if log.size > 0 then
      out.println(s"${experiment.name}: ${log.size} steps were finished before, left out")
    val started = Instant.now.nn
    val loadBefore = Machine.load
    // After Ctrl-C; a kill leaves the same file without a word.
    val ended = Thread: () =>
      out.println(
        s"${experiment.name}: ended early; ${log.size} finished steps are in ${log.file}, and the " +
          s"same command with --resume and --json ${log.file / os.up} goes on after them"
      )
    Runtime.getRuntime.addShutdownHook(ended)
    val outcomes =
      try measured()
      finally Runtime.getRuntime.removeShutdownHook(ended): Unit
    val failures = outcomes.collect { case (step, Left(why)) => Skipped(step.key.show, why) }
    val entries = outcomes.collect { case (_, Right(result)) => result }.flatten
    val flags = entries.groupBy(entry => className(entry("benchmark").str)).map: (name, group) =>
      name -> group.head("jvmArgs").arr.toSeq.map(_.str)
    val read = entries.map(entry => upickle.default.read[JmhEntry](entry))
    val envelope = RunMetadata(
      experiment.name,
      effort.label,
      log.run.started,
      Duration.between(started, Instant.now).nn.toSeconds + log.secondsBefore.toLong,
      commit,
      Machine.here(),
      Machine.jdk,
      Machine.gcc,
      effort.rounds,
      Plan.order,
      flags,
      loadBefore,
      Machine.load,
      plan.skipped ++ failures.distinct,
      chosen,
      repeats = read.map(_.repeats).sum,
      disturbed = read.count(_.disturbed),
      steps = read.size
    )
    val failed = outcomes.collect { case (step, Left(_)) => step.key }.toSet
    if entries.isEmpty then
      out.println(s"${experiment.name}: no step has a result; earlier results stay as they are")
    else lab.keep(envelope, entries, failed, adds)
    log.remove()
    for words <- envelope.unquiet do out.println(s"${experiment.name}: $words")
    out.println(
      s"${experiment.name}: ${took.size} steps in ${Progress.clock(envelope.seconds)}" +
        Session.longest(took.toSeq)
    )
    failures.size
  end run

  private def measured(): Seq[Session.Outcome] =
    val jmhLog = os.temp(prefix = "lab-jmh-", suffix = ".log")
    val runner = JmhRunner(effort, jmhLog)
    try
      val startNanos = System.nanoTime
      var outcomes = measured(runner, rounds)
      val endNanos = System.nanoTime
      // The further rounds may take as long as the rounds of all steps.
      def hasTime = System.nanoTime - endNanos < endNanos - startNanos
      var round = effort.rounds + 1
      var steps = undecided(outcomes, round)
      while steps.nonEmpty && round <= effort.rounds + effort.furtherRounds && hasTime do
        out.println(
          s"${experiment.name}: round $round of ${steps.size} steps, whose goals are undecided"
        )
        outcomes ++= measured(runner, steps)
        round += 1
        steps = undecided(outcomes, round)
      outcomes
    finally os.remove(jmhLog): Unit
  end measured

  private def measured(
      runner: JmhRunner,
      steps: Seq[(round: Int, step: Step)]
  ): Seq[Session.Outcome] =
    val progress = Progress(experiment.name, steps.size, out)
    try
      steps.map: (round, step) =>
        log.get(round, step.key) match
          case Some(entries) =>
            progress.skip()
            step -> Right(entries)
          case None =>
            progress.next(s"${step.key.show} (round $round of ${steps.last.round})")
            val outcome = measured(runner, round, step)
            progress.step()
            for reason <- outcome.left.toOption do progress.say(s"${step.key.show}: $reason")
            step -> outcome
    finally progress.close()

  /** Measures one step, and stores its result at once. */
  private def measured(runner: JmhRunner, round: Int, step: Step) =
    val startNanos = System.nanoTime
    val watched = guard.watch(runner.run(step))(_.isLeft)
    val seconds = (System.nanoTime - startNanos) / 1e9
    for entries <- watched.outcome do
      for entry <- entries do
        entry("round") = round
        for load <- watched.others do entry("others") = FigureText.rounded(load)
        if watched.repeats > 0 then entry("repeats") = watched.repeats
      log.add(round, step.key, seconds, entries)
    took += ((key = step.key, seconds = seconds))
    watched.outcome

  /** The steps of a further round: those of undecided goals, but for a step that has failed. */
  private def undecided(outcomes: Seq[Session.Outcome], round: Int) =
    val entries = outcomes.collect { case (_, Right(result)) => result }.flatten
    val results = Results.parse(ujson.write(ujson.Arr.from(entries)))
    val goals = lab.goals.filter(_.experiment == experiment.name)
    val open = Undecided.steps(goals, experiment.measures, results)
    plan.round(round, step => open(step.key) && results.get(step.key).isDefined)

  private def className(benchmark: String) = benchmark.split('.').takeRight(2).head
end Session

object Session:
  /** A step, and its entries of JMH's JSON or the reason of its failure. */
  private type Outcome = (Step, Either[String, Seq[ujson.Value]])

  private val maxNames = 3

  /** The steps that took the longest, over all their rounds, as text. */
  def longest(took: Seq[(key: Key, seconds: Double)]): String =
    val totals = took.groupMapReduce(_.key)(_.seconds)(_ + _).toSeq
    val longestSteps = totals.sortBy((key, seconds) => (-seconds, key.show)).take(maxNames)
    val words = longestSteps.map((key, seconds) => s"${key.show} (${FigureText(seconds)} s)")
    if totals.sizeIs <= maxNames then "" else words.mkString("; the longest: ", ", ", "")
end Session
