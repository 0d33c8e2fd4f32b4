package undercroft.lab

import undercroft.report.FigureText

/** Tables that the page and the Markdown share, as rows of text. */
object ArticleTable:

  /** An article's own figures with ours beside them, each in the unit that fits it, followed by the
    * garbage collector's share of the time if it is not zero.
    */
  def of(article: Article, results: Results): (columns: Seq[String], rows: Seq[Seq[String]]) =
    val rows = article.rows.map: past =>
      val figures = past.here.zipWithIndex.map: (key, index) =>
        val ratio = key.zip(past.base.lift(index)).flatMap((own, base) => times(results, base, own))
        val time = key.flatMap(results.get).fold("")(told)
        ratio.fold(time)(ratio => s"$ratio ($time)")
      past.cells ++ figures
    (columns = article.columns ++ article.here, rows = rows)

  /** The same for a terminal, followed by the verdict. */
  def text(article: Article, results: Results): String =
    val table = of(article, results)
    val lines = if table.rows.isEmpty then Seq() else table.columns +: table.rows
    val widths = lines.transpose.map(_.map(_.length).max)
    val padded =
      lines.map(_.zip(widths).map((cell, width) => cell.padTo(width, ' ')).mkString("  "))
    (s"The article: ${article.title}" +: padded :++ article.verdict(results)).mkString(
      "",
      "\n",
      "\n"
    )

  /** The time of one result divided by the time of another, as text: `2.5x`. */
  def times(results: Results, slow: Key, fast: Key): Option[String] =
    for
      slowMillis <- results.get(slow).flatMap(_.millis)
      fastMillis <- results.get(fast).flatMap(_.millis)
    yield s"${FigureText(FigureText.rounded(slowMillis / fastMillis))}x"

  private def told(result: Result): String =
    val time = result.millis.fold("")(millis => FigureText.time(millis * 1e6))
    val collecting = result.collecting.filter(_ >= 0.01).fold("")(share =>
      s" (${FigureText.percent(share)} in GC)"
    )
    time + collecting + result.measured.fold("")(day => s" (of $day)")

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
