package undercroft.lab

import undercroft.report.FigureText

/** Tables that the page and the Markdown share, as rows of text. */
object ArticleTable:

  /** An article's own figures with ours beside them, each in the unit that fits it, followed by the
    * garbage collector's share of the time if it is not zero.
    */
  def of(article: Article, results: Results): (columns: Seq[String], rows: Seq[Seq[String]]) =
    val rows = article.rows.map: past =>
      past.cells ++ past.here.map(_.flatMap(results.get).fold("")(told))
    (columns = article.columns ++ article.here, rows = rows)

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
