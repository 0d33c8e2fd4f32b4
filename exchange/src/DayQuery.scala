package undercroft.exchange

import internal.options.JsonTarget
import internal.storage.Trade
import internal.text.{Formatting, Json, TextTable}
import java.io.PrintStream
import java.nio.file.Path
import undercroft.duckdb.{SqlValue, DuckDb, DuckDbException, QueryResult}
import undercroft.exchange.internal.text.Json.{Writer, given}
import undercroft.struct.Rows
import undercroft.file.*

/** SQL over a day that was saved, which queries call `day`. */
final class DayQuery(file: Path, sql: String, json: Option[JsonTarget]):

  /** Prints the answer as a table, and returns the exit code. Throws a StructFileException for a
    * file that cannot be used, and BadInput with DuckDB's words for a statement that it refuses.
    */
  def run(out: PrintStream, err: PrintStream): Int =
    val people = if json.exists(_.isOutput) then err else out
    val day = Rows.openReadOnly[Trade](file)
    try
      val duckdb = DuckDb()
      try
        duckdb.register("day", day)
        val start = System.nanoTime
        val result = DayQuery.asked(duckdb, sql)
        val millis = (System.nanoTime - start) / 1_000_000
        people.println(
          TextTable.render(result.columns, leftColumns = 0, result.rows.map(_.map(_.show)))
        )
        val rows = result.rows.size
        people.println(
          s"$file: ${Formatting.spaced(rows)} ${if rows == 1 then "row" else "rows"} of " +
            s"${Formatting.spaced(day.size)} trades in $millis ms"
        )
        val answer = DayQueryJson(file.toString, sql, result.columns, result.rows, millis)
        json.foreach(_.write(Json.text(answer), out))
        0
      finally duckdb.close()
    finally day.close()
    end try
  end run
end DayQuery

/** The shape of `--sql` with `--json`, in the order of its keys. */
private[exchange] final case class DayQueryJson(
    file: String,
    sql: String,
    columns: Seq[String],
    rows: Seq[Seq[SqlValue]],
    millis: Long
) derives Writer

private[exchange] object DayQuery:
  private def asked(duckdb: DuckDb, sql: String): QueryResult =
    try duckdb.query(sql)
    catch
      case refused: DuckDbException      => throw BadInput(s"--sql: ${refused.getMessage}")
      case excess: IllegalStateException => throw BadInput(s"--sql: ${excess.getMessage}")
