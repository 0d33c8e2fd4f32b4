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
) derives ReadWriter, CanEqual

object Verdict:

  /** The verdict on each goal, in the goals' order, and the results that it lacks. */
  def all(
      goals: Seq[Goal],
      measures: Map[String, Measure],
      results: String => Results
  ): Seq[(verdict: Verdict, missing: Seq[Key])] =
    goals.map: goal =>
      val bound = Asked.parse(goal.asked)
      measures.get(goal.name).map(_.of(results(goal.experiment), bound)) match
        case Some(Right(estimate)) =>
          (row(goal, Some(estimate), bound.holds(estimate.measured)), Seq())
        case Some(Left(missing)) => (row(goal, None, holds = false), missing)
        case None                => (row(goal, None, holds = false), Seq())

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
