package undercroft.lab

import org.openjdk.jmh.runner.{BenchmarkList, BenchmarkListEntry}
import org.openjdk.jmh.runner.format.OutputFormatFactory
import org.openjdk.jmh.runner.options.VerboseMode
import scala.jdk.CollectionConverters.*

/** One benchmark with one value for each of its parameters; it runs in a fork of its own.
  *
  * @param sampled
  *   whether JMH's stack profiler is on
  * @param slow
  *   whether a call takes seconds, so that few calls are measured
  * @param needed
  *   whether a goal or an article's table needs it: then each round measures it, otherwise the
  *   first
  */
final case class Step(
    benchmark: String,
    singleShot: Boolean,
    params: Map[String, String],
    sampled: Boolean = false,
    slow: Boolean = false,
    needed: Boolean = true
) derives CanEqual:
  def key: Key = new Key(benchmark.split('.').takeRight(2).mkString("."), params)

/** How much is measured: how often, how long, and how many iterations. */
enum Effort(val rounds: Int, val warmups: Int, val iterations: Int, val millis: Int, val days: Int)
    derives CanEqual:
  /** One round of a small part, for a first look. */
  case Quick extends Effort(1, 3, 3, 200, 3)

  /** For committed results. */
  case Full extends Effort(3, 5, 4, 300, 9)

  def label: String = toString.toLowerCase

  /** How long to wait for a quiet machine: a quick run does not wait. */
  def patience(steps: Int): NoisePolicy = this match
    case Quick => NoisePolicy(0, 0, 0)
    case Full  => NoisePolicy(repeatsOfStep = 2, repeats = steps / 2, waits = steps * 2)

  /** The most rounds of the steps of [[Undecided]] goals, after the rounds of all steps and in as
    * much time at most.
    */
  def furtherRounds: Int = this match
    case Quick => 0
    case Full  => 9

  def warmupsOf(step: Step): Int = if step.slow then 1 else warmups
  def iterationsOf(step: Step): Int = if step.slow then 1 else iterations

  /** Roughly how long a step takes, its JVM's start included, if a call takes `callMillis`. */
  def secondsOf(step: Step, callMillis: Double): Double =
    val calls =
      if step.singleShot && step.key.hasDays then days + 1
      else if step.singleShot then 1
      else warmupsOf(step) + iterationsOf(step)
    1.5 + calls * (if step.singleShot then callMillis else math.max(millis, callMillis)) / 1000
end Effort

/** The steps that an experiment runs on this machine, and the skipped steps. */
final case class Plan(steps: Seq[Step], skipped: Seq[Skipped]):

  /** The steps of all rounds; every other round is in reverse order, so that drift affects all
    * steps alike.
    */
  def rounds(effort: Effort): Seq[(round: Int, step: Step)] =
    (1 to effort.rounds).flatMap(number => round(number, number == 1 || _.needed))

  /** The steps that a further round repeats, in the round's order. */
  def round(number: Int, repeats: Step => Boolean): Seq[(round: Int, step: Step)] =
    val order = if number % 2 == 1 then steps else steps.reverse
    order.filter(repeats).map(step => (round = number, step = step))

  /** Roughly how long it takes without repeats and further rounds; `history` has the earlier times
    * of calls.
    */
  def seconds(effort: Effort, history: Results): Double =
    val durations = rounds(effort).map: (_, step) =>
      val before = history.get(step.key).flatMap(_.millis)
      val call = before.getOrElse(if step.singleShot then Plan.dayMillis else 0)
      effort.secondsOf(step, call)
    durations.sum
end Plan

object Plan:
  val order =
    "every step in a fork of its own, those whose calls take seconds with one warm-up and one " +
      "measured call; odd rounds forwards, even rounds backwards, the steps of a goal next to " +
      "each other; what only a chart shows in the first round; up to nine further rounds for " +
      "goals whose interval spans the bound"

  /** The assumed time of a day that was never measured. */
  private val dayMillis = 800.0

  /** The steps of an experiment against some rivals (all rivals if none is named), for a quick run
    * or for a full one.
    */
  def of(experiment: Experiment, against: Set[Rival], effort: Effort = Effort.Full): Plan =
    val shown = experiment.shown.map(_.step)
    val own = steps.filter: step =>
      experiment.benchmarks.contains(step.key.benchmark.takeWhile(_ != '.'))
    val candidates = own.filter: step =>
      val rival = experiment.rival(step.key)
      (against.isEmpty || rival == Rival.Undercroft || against(rival)) &&
      (effort == Effort.Full || !experiment.onlyInFull(step.key) &&
        (experiment.atFirstLook(step.key) || shown(step.key)))
    val (absent, present) = candidates.partition(step => experiment.lack(step.key).isDefined)
    val reasons = absent.groupBy(step => (experiment.rival(step.key), experiment.lack(step.key)))
    val needed = shown ++ experiment.measures.values.flatMap(_.keys).map(_.step)
    val measured = present.map: step =>
      step.copy(
        sampled = experiment.sampled(step.key),
        slow = experiment.slow(step.key),
        needed = needed(step.key)
      )
    Plan(
      neighbours(measured, experiment.measures.values.toSeq.flatMap(_.compared)),
      reasons.toSeq
        .map((why, absentSteps) =>
          Skipped(s"${why._1.label} (${absentSteps.size} steps)", why._2.getOrElse(""))
        )
        .sortBy(skip => (skip.what, skip.reason))
    )
  end of

  /** The steps, in an order in which the compared ones are neighbours. */
  private def neighbours(steps: Seq[Step], pairs: Seq[Pair]): Seq[Step] =
    val groups = pairs.foldLeft(Map.empty[Key, Key]): (groups, pair) =>
      val Seq(one, other) = pair.keys.map(_.step).map(key => groups.getOrElse(key, key)): @unchecked
      val joined = groups.map((key, group) => key -> (if group == other then one else group))
      joined ++ pair.keys.map(_.step -> one)
    val places = steps.map(step => groups.getOrElse(step.key, step.key)).distinct.zipWithIndex.toMap
    steps.sortBy(step => places(groups.getOrElse(step.key, step.key)))

  /** The simple names of all benchmark classes. */
  def benchmarkClasses: Set[String] = steps.map(_.key.benchmark.takeWhile(_ != '.')).toSet

  /** Every step of every benchmark on the class path, in JMH's order. */
  private lazy val steps: Seq[Step] =
    val silent = OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT)
    val every = java.util.List.of(".*").nn
    val excludes = java.util.List.of[String]().nn
    val entries = BenchmarkList.defaultList().nn.find(silent, every, excludes).nn
    entries.asScala.toSeq.flatMap(entry => combinations(entry))

  private def combinations(entry: BenchmarkListEntry): Seq[Step] =
    val params = entry.getParams.nn.orElse(java.util.Map.of()).nn.asScala.toSeq
    val combined = params.foldLeft(Seq(Map.empty[String, String])): (done, param) =>
      for combination <- done; value <- param._2 yield combination + (param._1 -> value.nn)
    val shot = entry.getMode.nn.name == "SingleShotTime"
    combined.map(Step(entry.getUsername.nn, shot, _))
end Plan
