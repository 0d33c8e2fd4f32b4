package undercroft.lab

import undercroft.report.FigureText

/** Tables that the page and the Markdown share, as rows of text. */
object ArticleTable:

  /** A table of an article with our figures beside its own. */
  def of(printed: Printed, results: Results): (columns: Seq[String], rows: Seq[Seq[String]]) =
    val rows = printed.rows.map: past =>
      val figures = past.here.zipWithIndex.map: (shown, index) =>
        val result = shown.flatMap(shown => results.get(shown.key))
        val told = shown.zip(result).fold(""): (shown, result) =>
          shown.told(result) + result.measured.fold("")(day => s" (of $day)")
        val ratio =
          shown.zip(past.base.lift(index)).flatMap((own, base) => times(results, base, own.key))
        ratio.fold(told)(ratio => s"$ratio ($told)")
      past.cells ++ figures
    (columns = printed.columns ++ printed.here, rows = rows)

  /** An article's tables for a terminal, followed by the verdict. */
  def text(article: Article, results: Results): String =
    val tables = article.tables.flatMap: printed =>
      val table = of(printed, results)
      val lines = table.columns +: table.rows
      val widths = lines.transpose.map(_.map(_.length).max)
      lines.map(_.zip(widths).map((cell, width) => cell.padTo(width, ' ')).mkString("  "))
    val head = s"The article: ${article.heading}"
    (head +: tables :++ article.verdict(results)).mkString("", "\n", "\n")

  /** The time of one result divided by the time of another, as text: `2.5x`. */
  def times(results: Results, slow: Key, fast: Key): Option[String] =
    for
      slowMillis <- results.get(slow).flatMap(_.millis)
      fastMillis <- results.get(fast).flatMap(_.millis)
    yield s"${FigureText(FigureText.rounded(slowMillis / fastMillis))}x"

  /** The methods on top of the stack, as the profiler sampled them. */
  def frames(results: Results): Seq[(benchmark: String, share: String, method: String)] =
    for
      (key, result) <- results.sorted
      frame <- Frame.top(result.frames)
    yield (
      benchmark = key.show,
      share = FigureText.percent(frame.share),
      method = frame.method.stripPrefix("undercroft.lab.")
    )
end ArticleTable
