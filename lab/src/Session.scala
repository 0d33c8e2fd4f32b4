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
  */
final class Session(
    lab: ResultStore,
    experiment: Experiment,
    plan: Plan,
    effort: Effort,
    chosen: String,
    commit: String,
    out: PrintStream,
    adds: Boolean = false
):
  private val rounds = plan.rounds(effort)
  private val guard = NoiseGuard.here(effort, rounds.size)
  private val took = ArrayBuffer[(key: Key, seconds: Double)]()

  /** Runs every step and stores its results; returns the number of failed steps. */
  def run(): Int =
    for skip <- plan.skipped do
      out.println(s"${experiment.name}: without ${skip.what}: ${skip.reason}")
    val started = Instant.now.nn
    val loadBefore = Machine.load
    val outcomes = measured()
    val failures = outcomes.collect { case (step, Left(why)) => Skipped(step.key.show, why) }
    val entries = outcomes.collect { case (_, Right(result)) => result }.flatten
    val flags = entries.groupBy(entry => className(entry("benchmark").str)).map: (name, group) =>
      name -> group.head("jvmArgs").arr.toSeq.map(_.str)
    val read = entries.map(entry => upickle.default.read[JmhEntry](entry))
    val envelope = RunMetadata(
      experiment.name,
      effort.label,
      started.toString,
      Duration.between(started, Instant.now).nn.toSeconds,
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
    if adds then lab.add(envelope, entries) else lab.keep(envelope, entries)
    for words <- envelope.unquiet do out.println(s"${experiment.name}: $words")
    out.println(
      s"${experiment.name}: ${took.size} steps in ${Progress.clock(envelope.seconds)}" +
        Session.longest(took.toSeq)
    )
    failures.size
  end run

  private def measured(): Seq[Session.Outcome] =
    val log = os.temp(prefix = "lab-jmh-", suffix = ".log")
    val runner = JmhRunner(effort, log)
    try
      var outcomes = measured(runner, rounds)
      var round = effort.rounds + 1
      var steps = wideSteps(outcomes)
      while steps.nonEmpty && round <= effort.rounds + effort.furtherRounds do
        out.println(
          s"${experiment.name}: round $round of ${steps.size} steps, because intervals are wide"
        )
        outcomes ++= measured(runner, steps.map(step => (round = round, step = step)))
        steps = wideSteps(outcomes)
        round += 1
      outcomes
    finally os.remove(log): Unit

  private def measured(
      runner: JmhRunner,
      steps: Seq[(round: Int, step: Step)]
  ): Seq[Session.Outcome] =
    val progress = Progress(experiment.name, steps.size, out)
    try
      steps.map: (round, step) =>
        progress.next(s"${step.key.show} (round $round of ${steps.last.round})")
        val startNanos = System.nanoTime
        val watched = guard.watch(runner.run(step))(_.isLeft)
        for entries <- watched.outcome; entry <- entries do
          for load <- watched.others do entry("others") = FigureText.rounded(load)
          if watched.repeats > 0 then entry("repeats") = watched.repeats
        took += ((key = step.key, seconds = (System.nanoTime - startNanos) / 1e9))
        progress.step()
        for reason <- watched.outcome.left.toOption do
          progress.say(s"${step.key.show}: $reason")
        step -> watched.outcome
    finally progress.close()

  /** The steps of goals whose interval is wide. A step that has failed is not repeated. */
  private def wideSteps(outcomes: Seq[Session.Outcome]): Seq[Step] =
    val entries = outcomes.collect { case (_, Right(result)) => result }.flatten
    val results = Results.parse(ujson.write(ujson.Arr.from(entries)))
    val goals = lab.goals.filter(_.experiment == experiment.name)
    val wide = WideIntervals.keys(goals, experiment.measures, results)
    plan.steps.filter(step => wide(step.key) && results.get(step.key).isDefined)

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
