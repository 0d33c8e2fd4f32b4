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
      s"${experiment.name}: ${rounds.size} steps in ${Progress.clock(envelope.seconds)}" +
        Session.longest(took.toSeq)
    )
    failures.size
  end run

  private def measured(): Seq[(Step, Either[String, Seq[ujson.Value]])] =
    val log = os.temp(prefix = "lab-jmh-", suffix = ".log")
    val conduct = JmhRunner(effort, log)
    val progress = Progress(experiment.name, rounds.size, out)
    try
      rounds.map: (round, step) =>
        progress.next(s"${step.key.show} (round $round of ${effort.rounds})")
        val startNanos = System.nanoTime
        val watched = guard.watch(conduct.run(step))(_.isLeft)
        for entries <- watched.outcome; entry <- entries do
          for load <- watched.others do entry("others") = FigureText.rounded(load)
          if watched.repeats > 0 then entry("repeats") = watched.repeats
        took += ((key = step.key, seconds = (System.nanoTime - startNanos) / 1e9))
        progress.step()
        for reason <- watched.outcome.left.toOption do
          progress.say(s"${step.key.show}: $reason")
        step -> watched.outcome
    finally
      progress.close()
      os.remove(log): Unit
  end measured

  private def className(benchmark: String) = benchmark.split('.').takeRight(2).head
end Session

object Session:
  private val maxNames = 3

  /** The steps that took the longest, over all their rounds, as text. */
  def longest(took: Seq[(key: Key, seconds: Double)]): String =
    val totals = took.groupMapReduce(_.key)(_.seconds)(_ + _).toSeq
    val longestSteps = totals.sortBy((key, seconds) => (-seconds, key.show)).take(maxNames)
    val words = longestSteps.map((key, seconds) => s"${key.show} (${FigureText(seconds)} s)")
    if totals.sizeIs <= maxNames then "" else words.mkString("; the longest: ", ", ", "")
end Session
