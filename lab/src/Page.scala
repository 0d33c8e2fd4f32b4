package undercroft.lab

import scalatags.Text.all.*
import scalatags.Text.tags2

/** The results as one HTML page that needs nothing else: it opens offline, dark and light. */
object Page:

  def of(lab: Laboratory): String =
    "<!doctype html>\n" + html(
      lang := "en",
      head(
        meta(charset := "utf-8"),
        meta(name := "viewport", content := "width=device-width, initial-scale=1"),
        tags2.title("Undercroft: the lab"),
        tags2.style(raw(PageStyle.text))
      ),
      body(
        h1("The lab"),
        p("Each experiment asks one question and runs us beside our rivals in the same run."),
        tags2.nav(Experiment.all.map(one => a(href := s"#${one.name}", one.name))),
        Experiment.all.map(section(lab, _))
      )
    ).render + "\n"

  private def section(lab: Laboratory, experiment: Experiment): Frag =
    val results = lab.results(experiment.name)
    val verdicts = lab.verdicts.filter(_.verdict.experiment == experiment.name)
    tags2.section(
      id := experiment.name,
      h2(experiment.name),
      p(cls := "question", experiment.question),
      experiment.notes.map(p(_)),
      experiment.article.map(article(_, results)),
      lab.envelope(experiment.name).fold[Frag](p("Not run yet."))(told),
      Option.when(verdicts.nonEmpty)(goals(verdicts)),
      losses(verdicts),
      experiment.charts.flatMap: chart =>
        Drawing.of(chart, results, experiment.rival).map: drawing =>
          figure(figcaption(chart.title), drawing, owners(results, experiment, chart)),
      sampled(results),
      Option.when(results.byKey.nonEmpty)(figures(experiment, results)),
      p("Rerun it: ", code(s"./mill lab.run ${experiment.name} --full"))
    )
  end section

  private def article(article: Article, results: Results): Frag =
    val table = ArticleTable.of(article, results)
    frag(
      h3("The article: " + article.title),
      p(article.found),
      Option.when(table.rows.nonEmpty)(grid(table.columns, table.rows))
    )

  private def told(run: Envelope): Frag =
    val gib = run.machine.memoryBytes / (1L << 30)
    frag(
      p(
        cls := "run",
        s"${run.machine.processor}, ${run.machine.cores} cores, $gib GiB, ${run.machine.system}, ",
        s"huge pages ${run.machine.hugePages}. ${run.jdk}. ${run.gcc.getOrElse("No gcc")}. ",
        s"${run.mode.capitalize}: ${run.rounds} rounds, ${run.order}; ${run.seconds} s from ",
        s"${run.started}, load ${Numbers(run.loadBefore)} before and ${Numbers(run.loadAfter)} ",
        s"after, commit ${run.commit.take(12)}."
      ),
      run.skipped.map(one => p(cls := "run", s"Left out: ${one.what}: ${one.reason}"))
    )

  private def goals(verdicts: Seq[(verdict: Verdict, missing: Seq[Key])]): Frag =
    frag(
      h3("Asked and measured"),
      table(
        thead(tr(Seq("goal", "rival", "asked", "measured", "95 % interval", "holds").map(th(_)))),
        tbody(verdicts.map: (verdict, missing) =>
          val interval = verdict.low.zip(verdict.high)
          val absent = missing.headOption.fold("no measure")(key => s"no result for ${key.show}")
          tr(
            td(verdict.name),
            td(verdict.rival),
            td(verdict.asked),
            verdict.measured.fold(td(cls := "absent", absent))(value =>
              td(cls := "number", Numbers(value))
            ),
            td(interval.fold("")((low, high) => s"${Numbers(low)} to ${Numbers(high)}")),
            td(
              cls := (if verdict.holds then "holds" else "missed"),
              if verdict.holds then "yes" else "no"
            )
          ))
      )
    )

  /** Where we lose, said plainly. */
  private def losses(verdicts: Seq[(verdict: Verdict, missing: Seq[Key])]): Frag =
    val lost = verdicts.map(_.verdict).filter(one => !one.holds && one.measured.isDefined)
    if lost.isEmpty then frag()
    else
      frag(
        h3("Where we lose"),
        ul(lost.map: one =>
          li(s"${one.name}: asked ${one.asked}, measured ${one.measured.fold("")(Numbers(_))}"))
      )

  private def owners(results: Results, experiment: Experiment, chart: Chart): Frag =
    val shown = results.sorted.map(_._1).filter(key => chart.of(key).isDefined)
    p(
      cls := "owners",
      shown.map(experiment.rival).distinct.map(one => span(cls := s"owner-${one.style}", one.label))
    )

  private def sampled(results: Results): Frag =
    val rows = ArticleTable.frames(results)
    if rows.isEmpty then frag()
    else
      frag(
        h3("On top of the stack, by the share of samples"),
        grid(Seq("benchmark", "share", "method"), rows)
      )

  private def figures(experiment: Experiment, results: Results): Frag =
    val rows = results.sorted.map: (key, result) =>
      val estimate = Estimate.of(result.time)
      val reach = estimate.interval.fold("")(i => Numbers(i.high - estimate.measured))
      Seq(
        key.show,
        experiment.rival(key).label,
        Numbers(estimate.measured),
        reach,
        result.unit,
        result.bytesPerCall.fold("")(samples => Numbers(samples.mean)),
        result.collecting.fold("")(Numbers.percent)
      )
    tags2.details(
      tags2.summary(s"All ${rows.size} figures"),
      grid(Seq("benchmark", "whose", "mean", "± 95 %", "unit", "B/op", "in GC"), rows)
    )
  end figures

  private def grid(columns: Seq[String], rows: Seq[Seq[String]]): Frag =
    table(
      thead(tr(columns.map(th(_)))),
      tbody(rows.map(row =>
        tr(row.map(cell => td(if numeric(cell) then cls := "number" else (), cell)))
      ))
    )

  private def numeric(cell: String): Boolean = cell.toDoubleOption.isDefined
end Page
