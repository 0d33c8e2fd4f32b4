package undercroft.lab

import undercroft.report.FigureText
import upickle.default.{ReadWriter, write}

/** A goal beside its measurement: a row of `asked.json`. `holds` is always computed. */
final case class Verdict(
    name: String,
    experiment: String,
    rival: String,
    asked: String,
    measured: Option[Double],
    low: Option[Double],
    high: Option[Double],
    holds: Boolean
) derives ReadWriter, CanEqual:
  /** The goal in words, without its rival. */
  def subject: String = name.split("-vs-").head.replace('-', ' ').nn.capitalize

  /** `yes`, `no`, `undecided` (the interval spans the goal) or `not measured`. */
  def told: String =
    val bound = Asked.parse(asked)
    if measured.isEmpty then "not measured"
    else if low.zip(high).exists((low, high) => bound.spans((low = low, high = high))) then
      "undecided"
    else if holds then "yes"
    else "no"
end Verdict

object Verdict:

  /** How many goals hold of those that were measured, as text. */
  def count(verdicts: Seq[Verdict]): String =
    val counts = verdicts.groupMapReduce(_.told)(_ => 1)(_ + _).withDefaultValue(0)
    val open = counts("not measured")
    val rest =
      Seq("undecided", "not measured").filter(counts(_) > 0).map(word => s", ${counts(word)} $word")
    s"${counts("yes")} of ${verdicts.size - open} goals hold" + rest.mkString

  /** The verdict on each goal, in the goals' order. */
  def all(
      goals: Seq[Goal],
      measures: Map[String, Measure],
      results: String => Results
  ): Seq[Verdict] =
    goals.map: goal =>
      val bound = Asked.parse(goal.asked)
      measures.get(goal.name).map(_.of(results(goal.experiment), bound)) match
        case Some(Right(estimate)) => row(goal, Some(estimate), bound.holds(estimate.measured))
        case _                     => row(goal, None, holds = false)

  private def row(goal: Goal, estimate: Option[Estimate], holds: Boolean): Verdict =
    val interval = estimate.flatMap(_.interval)
    Verdict(
      goal.name,
      goal.experiment,
      goal.rival,
      goal.asked,
      estimate.map(e => FigureText.rounded(e.measured)),
      interval.map(i => FigureText.rounded(i.low)),
      interval.map(i => FigureText.rounded(i.high)),
      holds
    )

  /** The text of `asked.json`. */
  def json(verdicts: Seq[Verdict]): String = write(verdicts, indent = 2) + "\n"
end Verdict
