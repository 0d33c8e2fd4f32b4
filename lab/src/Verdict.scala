package undercroft.lab

import undercroft.report.Numbers
import upickle.default.{ReadWriter, write}

/** A goal beside what was measured: a row of `asked.json`. Nobody writes `holds` by hand. */
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

  /** The verdict on each goal, in the goals' order, and what was missing for it. */
  def all(
      goals: Seq[Goal],
      measures: Map[String, Measure],
      results: String => Results
  ): Seq[(verdict: Verdict, missing: Seq[Key])] =
    goals.map: goal =>
      val asked = Asked.parse(goal.asked)
      measures.get(goal.name).map(_.of(results(goal.experiment), asked)) match
        case Some(Right(estimate)) =>
          (row(goal, Some(estimate), asked.holds(estimate.measured)), Seq())
        case Some(Left(missing)) => (row(goal, None, holds = false), missing)
        case None                => (row(goal, None, holds = false), Seq())

  private def row(goal: Goal, estimate: Option[Estimate], holds: Boolean): Verdict =
    val interval = estimate.flatMap(_.interval)
    Verdict(
      goal.name,
      goal.experiment,
      goal.rival,
      goal.asked,
      estimate.map(e => Numbers.rounded(e.measured)),
      interval.map(i => Numbers.rounded(i.low)),
      interval.map(i => Numbers.rounded(i.high)),
      holds
    )

  /** The text of `asked.json`. */
  def json(verdicts: Seq[Verdict]): String = write(verdicts, indent = 2) + "\n"
end Verdict
