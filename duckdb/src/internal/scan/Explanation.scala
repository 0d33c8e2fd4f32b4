package undercroft.duckdb
package internal.scan

import scala.collection.mutable.ArrayBuffer

/** The conditions that the scans of an explained statement decide: DuckDB's plan does not show
  * them. Collected only while a statement is explained. Thread-safe.
  */
private[duckdb] final class Explanation:
  private val conditions = ArrayBuffer[(scan: BindData, condition: String)]()
  private var isCollecting = false

  /** Begins a statement, and discards the conditions of a failed one. */
  def begin(isExplained: Boolean): Unit = synchronized:
    conditions.clear()
    isCollecting = isExplained

  /** Adds a condition of a scan, if a statement is explained. */
  def add(scan: BindData, condition: => String): Unit = synchronized:
    if isCollecting then conditions += ((scan, condition))

  /** Ends the statement. Returns a row for each scan with conditions. */
  def end(): Vector[Vector[String]] = synchronized:
    isCollecting = false
    val scans = conditions.map(_.scan).distinct.toVector
    val rows = scans.map: scan =>
      val all = conditions.filter(_.scan eq scan).map(_.condition).distinct
      val text =
        s"${scan.name}: ${all.mkString(" and ")}; reads ${scan.rowsToRead} of ${scan.rows} rows"
      Vector(Explanation.Key, text)
    conditions.clear()
    rows
end Explanation

private[duckdb] object Explanation:
  /** The first column of its rows; that of DuckDB's plan is `physical_plan`. */
  val Key = "scan"
