package undercroft.lab

import org.openjdk.jmh.runner.{BenchmarkList, BenchmarkListEntry}
import org.openjdk.jmh.runner.format.OutputFormatFactory
import org.openjdk.jmh.runner.options.VerboseMode
import scala.jdk.CollectionConverters.*

/** One benchmark with one value for each of its parameters: what is run in a fork of its own. */
final case class Step(benchmark: String, singleShot: Boolean, params: Map[String, String])
    derives CanEqual:
  def key: Key = new Key(benchmark.split('.').takeRight(2).mkString("."), params)

/** How much is measured: how often, how long, and how many iterations. */
enum Effort(val rounds: Int, val warmups: Int, val iterations: Int, val millis: Int, val days: Int)
    derives CanEqual:
  /** One round, for a first look. */
  case Quick extends Effort(1, 5, 3, 300, 3)

  /** What is committed. */
  case Full extends Effort(3, 5, 4, 300, 9)

  /** Roughly how long a step takes, the start of its JVM included. */
  def secondsOf(step: Step): Double =
    1.5 + (if step.singleShot then days * 0.8 else (warmups + iterations) * millis / 1000.0)
end Effort

/** What an experiment runs on this machine, and what it leaves out. */
final case class Plan(steps: Seq[Step], skipped: Seq[Skipped]):

  /** The steps of all rounds; every other round goes backwards, so that drift hits all alike. */
  def rounds(effort: Effort): Seq[(round: Int, step: Step)] =
    (1 to effort.rounds).flatMap: round =>
      val order = if round % 2 == 1 then steps else steps.reverse
      order.map(step => (round = round, step = step))

  def seconds(effort: Effort): Double = effort.rounds * steps.map(effort.secondsOf).sum
end Plan

object Plan:
  val order = "every step in a fork of its own; odd rounds forwards, even rounds backwards"

  /** The steps of an experiment against some rivals (all, when none is named). */
  def of(experiment: Experiment, against: Set[Rival]): Plan =
    val listed = steps.filter: step =>
      experiment.benchmarks.contains(step.key.benchmark.takeWhile(_ != '.'))
    val wanted = listed.filter: step =>
      val rival = experiment.rival(step.key)
      against.isEmpty || rival == Rival.Undercroft || against(rival)
    val (absent, present) =
      wanted.partition(step => experiment.rival(step.key).absence.isDefined)
    val reasons = absent.groupBy(step => experiment.rival(step.key)).toSeq
    Plan(
      present,
      reasons.map((rival, gone) =>
        Skipped(s"${rival.label} (${gone.size} steps)", rival.absence.getOrElse(""))
      )
    )

  /** The simple names of all benchmark classes there are. */
  def benchmarkClasses: Set[String] = steps.map(_.key.benchmark.takeWhile(_ != '.')).toSet

  /** Every step of every benchmark on the class path, in JMH's order. */
  private lazy val steps: Seq[Step] =
    val silent = OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT)
    val every = java.util.List.of(".*").nn
    val none = java.util.List.of[String]().nn
    val found = BenchmarkList.defaultList().nn.find(silent, every, none).nn
    found.asScala.toSeq.flatMap(entry => combinations(entry))

  private def combinations(entry: BenchmarkListEntry): Seq[Step] =
    val params = entry.getParams.nn.orElse(java.util.Map.of()).nn.asScala.toSeq
    val all = params.foldLeft(Seq(Map.empty[String, String])): (done, param) =>
      for one <- done; value <- param._2 yield one + (param._1 -> value.nn)
    val shot = entry.getMode.nn.name == "SingleShotTime"
    all.map(Step(entry.getUsername.nn, shot, _))
end Plan
