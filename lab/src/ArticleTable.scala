package undercroft.lab

import undercroft.report.Numbers

/** Tables that the page and the Markdown have in common, as rows of words. */
object ArticleTable:

  /** An article's own figures with ours beside them, in seconds; the garbage collector's share of
    * the time stands behind them where it has one.
    */
  def of(article: Article, results: Results): (columns: Seq[String], rows: Seq[Seq[String]]) =
    val rows = article.rows.map: past =>
      past.cells ++ past.here.map(_.flatMap(results.get).fold("")(told))
    (columns = article.columns ++ article.here.map(_ + ", s"), rows = rows)

  private def told(result: Result): String =
    val seconds = result.millis.fold("")(millis => Numbers(millis / 1000))
    val collecting = result.collecting.filter(_ >= 0.01).fold("")(share =>
      s" (${Numbers.percent(share)} in GC)"
    )
    seconds + collecting

  /** What was on top of the stack. */
  def frames(results: Results): Seq[(benchmark: String, share: String, method: String)] =
    for
      (key, result) <- results.sorted
      frame <- Frame.top(result.frames)
    yield (
      benchmark = key.show,
      share = Numbers.percent(frame.share),
      method = frame.method.stripPrefix("undercroft.lab.")
    )
end ArticleTable
