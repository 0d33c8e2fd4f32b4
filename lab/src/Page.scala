package undercroft.lab

import undercroft.report.{Cell, Kind, Numbers, Part, Report, Section}

/** The results as a report. */
object Page:

  def of(lab: Laboratory): Report = Report(
    "Undercroft: the lab",
    Seq(
      "Each experiment asks one question and measures us beside our rivals in the same run. What " +
        "was asked of us, and whether it holds, is computed from the figures; where we lose stands " +
        "below it.",
      "In charts and tables of times less is better. A line across a bar, or through a point, is " +
        "the 95 % confidence interval of the mean."
    ),
    Experiment.all.map(section(lab, _))
  )

  private def section(lab: Laboratory, experiment: Experiment): Section =
    val results = lab.results(experiment.name)
    val envelope = lab.envelope(experiment.name)
    val verdicts = lab.verdicts.filter(_.verdict.experiment == experiment.name)
    val held = verdicts.count(_.verdict.holds)
    Section(
      experiment.name,
      envelope.fold("not run")(_ => s"$held of ${verdicts.size} goals hold"),
      Part.Words(experiment.question) +:
        (envelope.fold(Seq(Part.Small("Not run yet.")))(told) ++
          experiment.article.toSeq.flatMap(article(_, results)) ++
          goals(verdicts) ++
          losses(verdicts) ++
          pictures(experiment, results) ++
          sampled(results) ++
          figures(experiment, results) ++
          Seq(
            Part.Heading("Rerun it"),
            Part.Command(s"./mill lab.run ${experiment.name} --full")
          ))
    )
  end section

  private def pictures(experiment: Experiment, results: Results): Seq[Part] =
    val parts = experiment.notes.map(Part.Words(_)) ++
      experiment.charts.flatMap(Pictures.of(_, results, experiment.rival))
    if parts.isEmpty then Seq() else Part.Heading("What the figures are of") +: parts

  private def article(article: Article, results: Results): Seq[Part] =
    val table = ArticleTable.of(article, results)
    val rows = table.rows.map: row =>
      val (past, here) = row.splitAt(article.columns.size)
      past.map(figure) ++ here.map(Cell.number)
    Seq(Part.Heading(s"The article: ${article.title}"), Part.Words(article.found)) ++
      Option.when(rows.nonEmpty)(Part.Grid(table.columns, rows))

  private def told(run: Envelope): Seq[Part] =
    val gib = run.machine.memoryBytes / (1L << 30)
    val words =
      s"${run.machine.processor}, ${run.machine.cores} cores, $gib GiB, ${run.machine.system}, " +
        s"huge pages ${run.machine.hugePages}. ${run.jdk}. ${run.gcc.getOrElse("No gcc")}. " +
        s"${run.mode.capitalize}: ${run.rounds} rounds, ${run.order}; ${run.seconds} s from " +
        s"${run.started.takeWhile(_ != '.')}, load ${Numbers(run.loadBefore)} before and ${Numbers(run.loadAfter)} " +
        s"after, commit ${run.commit.take(12)}."
    val part = Option.when(run.chosen != Envelope.everything)(s"A part of it: ${run.chosen}.")
    val more = run.skipped.map(one => s"Left out: ${one.what}: ${one.reason}") ++ part ++
      run.unquiet.map(words => s"${words.capitalize} (†).")
    (words +: more).map(Part.Small(_))

  /** What holds stands where it is seen without moving the table, on a phone, too. */
  private def goals(verdicts: Seq[(verdict: Verdict, missing: Seq[Key])]): Seq[Part] =
    val columns = Seq("goal", "holds", "asked", "measured", "95 % interval", "rival")
    val rows = verdicts.map: (verdict, missing) =>
      val absent = missing.headOption.fold("no measure")(key => s"no result for ${key.show}")
      val interval = verdict.low.zip(verdict.high)
      Seq(
        Cell.words(verdict.name),
        if verdict.holds then Cell("yes", Kind.Good) else Cell("no", Kind.Bad),
        Cell.number(verdict.asked),
        verdict.measured.fold(Cell(absent, Kind.Faint))(value => Cell.number(Numbers(value))),
        Cell.number(interval.fold("")((low, high) => s"${Numbers(low)} to ${Numbers(high)}")),
        Cell.words(verdict.rival)
      )
    if rows.isEmpty then Seq()
    else Seq(Part.Heading("Asked and measured"), Part.Grid(columns, rows))

  /** Where we lose, said plainly. */
  private def losses(verdicts: Seq[(verdict: Verdict, missing: Seq[Key])]): Seq[Part] =
    val lost = verdicts.map(_.verdict).filter(one => !one.holds && one.measured.isDefined)
    val lines = lost.map: one =>
      s"${one.name}: asked ${one.asked}, measured ${one.measured.fold("")(Numbers(_))}"
    if lines.isEmpty then Seq() else Seq(Part.Heading("Where we lose"), Part.Points(lines))

  private def sampled(results: Results): Seq[Part] =
    val rows = ArticleTable
      .frames(results)
      .map: row =>
        Seq(Cell.words(row.benchmark), Cell.number(row.share), Cell.words(row.method))
    if rows.isEmpty then Seq()
    else
      Seq(
        Part.Heading("On top of the stack"),
        Part.Words("By JMH's stack profiler: the share of its samples of the benchmark's thread."),
        Part.Grid(Seq("benchmark", "share", "method"), rows)
      )

  private def figures(experiment: Experiment, results: Results): Seq[Part] =
    val columns = Seq("benchmark", "whose", "mean", "± 95 %", "unit", "B/op", "in GC") ++
      results.counters.map(Results.words)
    val rows = results.sorted.map: (key, result) =>
      val estimate = Estimate.of(result.time)
      val reach = estimate.interval.fold("")(i => Numbers.spaced(i.high - estimate.measured))
      val mark = if result.disturbed then " †" else ""
      Seq(
        Cell.words(key.show),
        Cell.words(experiment.rival(key).label),
        Cell.number(Numbers.spaced(estimate.measured) + mark),
        Cell.number(reach),
        Cell.words(result.unit),
        Cell.number(result.bytesPerCall.fold("")(samples => Numbers.spaced(samples.mean))),
        Cell.number(result.collecting.fold("")(Numbers.percent))
      ) ++ results.counts(key).map(count => Cell.number(count.fold("")(Numbers.spaced)))
    Option
      .when(rows.nonEmpty)(Part.Grid(columns, rows, folded = Some(s"All ${rows.size} figures")))
      .toSeq

  /** An article's cell, which may be words. */
  private def figure(text: String): Cell =
    if text.toDoubleOption.isDefined then Cell.number(text) else Cell.words(text)
end Page
