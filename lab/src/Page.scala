package undercroft.lab

import undercroft.report.{TableCell, CellKind, FigureText, Block, Report, Section}

/** The results as a report. */
object Page:

  def of(lab: ResultStore): Report = Report(
    "Undercroft: the lab",
    Seq(
      "Each experiment asks one question and measures us beside our rivals in the same run. What " +
        "was asked of us, and whether it holds, is computed from the figures; where we lose stands " +
        "below it.",
      "In charts and tables of times less is better. A line across a bar, or through a point, is " +
        "the 95 % confidence interval of the mean."
    ),
    inOrder.map(section(lab, _))
  )

  /** The trading days first: their pictures are the shortest answer. */
  private def inOrder: Seq[Experiment] =
    val (days, others) = Experiment.all.partition(_.name == TradesExperiment.name)
    days ++ others

  private def section(lab: ResultStore, experiment: Experiment): Section =
    val results = lab.results(experiment.name)
    val envelope = lab.envelope(experiment.name)
    val verdicts = lab.verdicts.filter(_.experiment == experiment.name)
    val rerun = Block.Command(s"./mill lab.run ${experiment.name} --full")
    if !lab.isRun(experiment.name) then
      val question = Block.Words(s"${experiment.question} Not run yet.")
      Section(experiment.name, "not run", Seq(question, rerun))
    else
      Section(
        experiment.name,
        if verdicts.isEmpty then "" else Verdict.count(verdicts),
        Block.Words(experiment.question) +:
          (pictures(experiment, results) ++
            envelope.toSeq.flatMap(told) ++
            experiment.article.toSeq.flatMap(article(_, results)) ++
            goals(verdicts) ++
            losses(verdicts) ++
            sampled(results) ++
            figures(experiment, results) ++
            Seq(
              Block.Heading("Rerun it"),
              rerun
            ))
      )
    end if
  end section

  private def pictures(experiment: Experiment, results: Results): Seq[Block] =
    experiment.charts.flatMap(Pictures.of(_, results, experiment.rival)) ++
      experiment.notes.map(Block.Words(_))

  private def article(article: Article, results: Results): Seq[Block] =
    val grids = article.tables.map: printed =>
      val table = ArticleTable.of(printed, results)
      val rows = table.rows.map: row =>
        val (past, here) = row.splitAt(printed.columns.size)
        past.map(figure) ++ here.map(TableCell.number)
      Block.Grid(table.columns, rows)
    Seq(Block.Heading(s"The article: ${article.heading}"), Block.Words(article.found)) ++
      article.verdict(results).map(Block.Words(_)) ++ grids :+
      Block.Small(s"Its program on this library: ${article.example}.")

  private def told(run: RunMetadata): Seq[Block] =
    val gib = run.machine.memoryBytes / (1L << 30)
    val words =
      s"${run.machine.processor}, ${run.machine.cores} cores, $gib GiB, ${run.machine.system}, " +
        s"huge pages ${run.machine.hugePages}. ${run.jdk}. ${run.gcc.getOrElse("No gcc")}. " +
        s"${run.mode.capitalize}: ${run.rounds} rounds, ${run.order}; ${run.seconds} s from " +
        s"${run.started.takeWhile(_ != '.')}, load ${FigureText(run.loadBefore)} before and ${FigureText(run.loadAfter)} " +
        s"after, commit ${run.commit.take(12)}."
    val part = Option.when(run.chosen != RunMetadata.everything)(s"A part of it: ${run.chosen}.")
    val notes = run.skipped.map(skip => s"Left out: ${skip.what}: ${skip.reason}") ++ part ++
      run.unquiet.map(words => s"${words.capitalize} (†).")
    (words +: notes).map(Block.Small(_))

  /** Verdicts are in a column that is visible without scrolling the table, also on a phone. */
  private def goals(verdicts: Seq[Verdict]): Seq[Block] =
    val columns = Seq("goal", "holds", "asked", "measured", "95 % interval", "rival")
    val rows = verdicts.map: verdict =>
      val interval = verdict.low.zip(verdict.high)
      Seq(
        TableCell.words(verdict.subject),
        TableCell(verdict.told, kind(verdict)),
        TableCell.number(verdict.asked),
        TableCell.number(verdict.measured.fold("")(FigureText(_))),
        TableCell.number(interval.fold("")((low, high) =>
          s"${FigureText(low)} to ${FigureText(high)}"
        )),
        TableCell.words(verdict.rival)
      )
    if rows.isEmpty then Seq()
    else Seq(Block.Heading("Asked and measured"), Block.Grid(columns, rows))

  private def kind(verdict: Verdict): CellKind =
    verdict.told match
      case "yes" => CellKind.Good
      case "no"  => CellKind.Bad
      case _     => CellKind.Faint

  /** Lists the measured goals that do not hold. */
  private def losses(verdicts: Seq[Verdict]): Seq[Block] =
    val lost = verdicts.filter(_.told == "no")
    val lines = lost.map: goal =>
      s"${goal.subject}, against ${goal.rival}: asked ${goal.asked}, measured ${goal.measured.fold("")(FigureText(_))}"
    if lines.isEmpty then Seq() else Seq(Block.Heading("Where we lose"), Block.Points(lines))

  private def sampled(results: Results): Seq[Block] =
    val rows = ArticleTable
      .frames(results)
      .map: row =>
        Seq(
          TableCell.words(row.benchmark),
          TableCell.number(row.share),
          TableCell.words(row.method)
        )
    val title = "On top of the stack, by the share of the samples of JMH's stack profiler"
    Option
      .when(rows.nonEmpty)(Block.Grid(Seq("benchmark", "share", "method"), rows, Some(title)))
      .toSeq

  private def figures(experiment: Experiment, results: Results): Seq[Block] =
    val columns = Seq("benchmark", "whose", "mean", "± 95 %", "unit", "B/op", "in GC") ++
      results.counters.map(Results.words)
    val rows = results.sorted.map: (key, result) =>
      val estimate = Estimate.of(result.time)
      val reach = estimate.interval.fold("")(i => FigureText.spaced(i.high - estimate.measured))
      Seq(
        TableCell.words(key.show),
        TableCell.words(experiment.rival(key).label),
        TableCell.number(FigureText.spaced(estimate.measured) + result.marks),
        TableCell.number(reach),
        TableCell.words(result.unit),
        TableCell.number(result.bytesPerCall.fold("")(samples => FigureText.spaced(samples.mean))),
        TableCell.number(result.collecting.fold("")(FigureText.percent))
      ) ++ results.counts(key).map(count => TableCell.number(count.fold("")(FigureText.spaced)))
    Option
      .when(rows.nonEmpty)(Block.Grid(columns, rows, folded = Some(s"All ${rows.size} figures")))
      .toSeq

  /** A cell of an article, which may be text. */
  private def figure(text: String): TableCell =
    if text.toDoubleOption.isDefined then TableCell.number(text) else TableCell.words(text)
end Page
