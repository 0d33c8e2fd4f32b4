package undercroft.lab

import undercroft.report.Numbers
import java.io.PrintStream
import java.time.{Duration, Instant}
import scala.collection.mutable.ArrayBuffer

/** Measures one experiment, from its plan to its kept results.
  *
  * @param chosen
  *   which part of the experiment the plan is, in words, for a later `--resume`
  * @param adds
  *   whether what is there already of other steps stays
  */
final class Session(
    lab: Laboratory,
    experiment: Experiment,
    plan: Plan,
    effort: Effort,
    chosen: String,
    commit: String,
    out: PrintStream,
    adds: Boolean = false
):
  private val rounds = plan.rounds(effort)
  private val guard = Guard.here(effort, rounds.size)
  private val took = ArrayBuffer[(key: Key, seconds: Double)]()

  /** Runs every step and keeps what came of it; answers how many steps failed. */
  def run(): Int =
    for one <- plan.skipped do
      out.println(s"${experiment.name}: without ${one.what}: ${one.reason}")
    val started = Instant.now.nn
    val loadBefore = Machine.load
    val outcomes = measured()
    val failures = outcomes.collect { case (step, Left(why)) => Skipped(step.key.show, why) }
    val entries = outcomes.collect { case (_, Right(found)) => found }.flatten
    val flags = entries.groupBy(entry => className(entry("benchmark").str)).map: (name, same) =>
      name -> same.head("jvmArgs").arr.toSeq.map(_.str)
    val read = entries.map(entry => upickle.default.read[JmhEntry](entry))
    val envelope = Envelope(
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
    val conduct = Conduct(effort, log)
    val progress = Progress(experiment.name, rounds.size, out)
    try
      rounds.map: (round, step) =>
        progress.next(s"${step.key.show} (round $round of ${effort.rounds})")
        val begun = System.nanoTime
        val watched = guard.watch(conduct.run(step))(_.isLeft)
        for entries <- watched.outcome; entry <- entries do
          for others <- watched.others do entry("others") = Numbers.rounded(others)
          if watched.repeats > 0 then entry("repeats") = watched.repeats
        took += ((key = step.key, seconds = (System.nanoTime - begun) / 1e9))
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
  private val told = 3

  /** The steps that took the longest, all their rounds together, in words. */
  def longest(took: Seq[(key: Key, seconds: Double)]): String =
    val all = took.groupMapReduce(_.key)(_.seconds)(_ + _).toSeq
    val most = all.sortBy((key, seconds) => (-seconds, key.show)).take(told)
    val words = most.map((key, seconds) => s"${key.show} (${Numbers(seconds)} s)")
    if all.sizeIs <= told then "" else words.mkString("; the longest: ", ", ", "")
end Session
