package undercroft.cli

import java.nio.file.{Files, Path}
import java.util.Locale
import undercroft.duckdb.{DuckDb, QueryResult, SqlValue}
import undercroft.file.format.{Durability, StructFile}

/** Prints the size of a file and a summary of each column. */
private[cli] final class StatsCommand(file: String, json: Boolean) extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    val structFile = inputs.add("t", file)
    val summary = StatsCommand.summary(inputs.database)
    if json then ResultFormat.Json.write(summary, console.out)
    else
      if FileFormat.of(file) == FileFormat.Struct then
        structFile.foreach(opened => console.out.println(StatsCommand.title(opened)))
      val rows = structFile.fold(inputs.database.query("select count(*) from t")(0, 0).long)(_.rows)
      console.out.println(s"${StatsCommand.count(rows, "row")}, ${size(Inputs.path(file))}")
      ResultFormat.Table.write(summary, console.out)
    0

  private def size(path: Path): String = StatsCommand.count(Files.size(path), "byte")
end StatsCommand

private[cli] object StatsCommand:
  /** The types without a mean in DuckDB, and the types of their means. */
  private val withoutMean =
    Map(
      "TIME_NS" -> "time",
      "TIMESTAMP_NS WITH TIME ZONE" -> "timestamptz",
      "TIMESTAMPTZ_NS" -> "timestamptz"
    )

  /** A summary of each column of table `t`. */
  private def summary(database: DuckDb): QueryResult =
    val casts =
      for
        row <- database.query("describe t").rows
        mean <- withoutMean.get(row(1).show)
      yield row(0).show -> (row(1), mean)
    val replaced =
      for (name, (_, mean)) <- casts yield s"${Sql.name(name)}::$mean as ${Sql.name(name)}"
    val replace = if casts.isEmpty then "" else replaced.mkString("replace (", ", ", ")")
    val result = database.query(
      s"""select column_name as "column", column_type as "type", min, max, avg as mean,
         |  approx_unique as "distinct", null_percentage as "null %"
         |from (summarize select * $replace from t)""".stripMargin
    )
    val types = casts.toMap
    val rows = result.rows.map: row =>
      types.get(row(0).show).fold(row): (sqlType, _) =>
        val exact = exactRange(database, row(0).show)
        Vector(row(0), sqlType, exact(0), exact(1), row(4), exact(2), row(6))
    QueryResult(result.columns, rows)
  end summary

  /** The least and the greatest value of a column and its number of distinct values. */
  private def exactRange(database: DuckDb, column: String): Vector[SqlValue] =
    val name = Sql.name(column)
    database
      .query(
        s"select min($name)::varchar, max($name)::varchar, approx_count_distinct($name) from t"
      )
      .rows(0)

  def count(n: Long, noun: String): String = if n == 1 then s"1 $noun" else s"$n ${noun}s"

  private def title(file: StructFile): String =
    val state = file.durability match
      case Durability.SEALED => s"sealed in blocks of ${count(file.rowsPerBlock, "row")}"
      case other             => s"not sealed, ${other.toString.toLowerCase(Locale.ROOT)}"
    s"${SchemaCommand.title(file.schema)}, $state"
end StatsCommand
