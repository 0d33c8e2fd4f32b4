package undercroft.cli
package internal.show

import internal.input.Inputs
import internal.io.{Console, FileFormat}
import internal.sql.{ResultFormat, Sql}
import java.nio.file.{Files, Path}
import java.util.Locale
import undercroft.duckdb.{DuckDb, QueryResult}
import undercroft.file.format.{Durability, StructFile}

/** Prints the size of a file and a summary of each column. */
private[cli] final class StatsCommand(file: String, json: Boolean) extends Command:
  def run(console: Console): Int = Inputs.use: inputs =>
    inputs.useAllThreads()
    val structFile = inputs.add("t", file)
    val (rows, summary) = StatsCommand.summary(inputs.database)
    if json then ResultFormat.Json.write(summary, console.out)
    else
      if FileFormat.of(file) == FileFormat.Struct then
        structFile.foreach(opened => console.out.println(StatsCommand.title(opened)))
      console.out.println(s"${StatsCommand.count(rows, "row")}, ${size(Inputs.path(file))}")
      ResultFormat.Table.write(summary, console.out)
    0

  private def size(path: Path): String = StatsCommand.count(Files.size(path), "byte")
end StatsCommand

private[cli] object StatsCommand:
  /** The types with a mean. */
  private val Means =
    "U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL.*\\)|FLOAT|DOUBLE|DATE|TIME[A-Z_ ]*"

  /** The types without a mean in DuckDB, and the types of their means. */
  private val Casts =
    Map(
      "TIME_NS" -> "::time",
      "TIMESTAMP_NS WITH TIME ZONE" -> "::timestamptz",
      "TIMESTAMPTZ_NS" -> "::timestamptz"
    )

  /** The number of rows of table `t`, and a summary of each column, by a single pass. */
  private def summary(database: DuckDb): (Long, QueryResult) =
    val columns = database.query("describe t").rows
    val aggregates = columns.flatMap: row =>
      val (name, sqlType) = (Sql.name(row(0).show), row(1).show)
      val mean =
        if sqlType.matches(Means) then s"avg($name${Casts.getOrElse(sqlType, "")})" else "null"
      Vector(
        s"min($name)::varchar",
        s"max($name)::varchar",
        s"$mean::varchar",
        s"approx_count_distinct($name)",
        s"((1 - count($name) / nullif(count(*), 0)) * 100)::decimal(9, 2)"
      )
    val values = database.query(s"select count(*), ${aggregates.mkString(", ")} from t").rows(0)
    val rows = columns.zip(values.tail.grouped(5)).map((row, cells) => row.take(2) ++ cells)
    val names = Vector("column", "type", "min", "max", "mean", "distinct", "null %")
    (values(0).long, QueryResult(names, rows))

  def count(n: Long, noun: String): String = if n == 1 then s"1 $noun" else s"$n ${noun}s"

  private def title(file: StructFile): String =
    val state = file.durability match
      case Durability.SEALED => s"sealed in blocks of ${count(file.rowsPerBlock, "row")}"
      case other             => s"not sealed, ${other.toString.toLowerCase(Locale.ROOT)}"
    s"${SchemaCommand.title(file.schema)}, $state"
end StatsCommand
