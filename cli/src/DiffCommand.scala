package undercroft.cli

import undercroft.duckdb.{DuckDb, QueryResult, SqlValue}

/** Compares two files: first their columns, then the rows at equal places. */
private[cli] final class DiffCommand(left: String, right: String, rows: Long, json: Boolean)
    extends Command:

  def run(console: Console): Int = Inputs.use: inputs =>
    inputs.add("a", left): Unit
    inputs.add("b", right): Unit
    val columns = inputs.database.query(DiffCommand.Columns)
    val different =
      if columns.rows.nonEmpty then columns
      else
        val counts = inputs.database.query(
          "select (select count(*) from a), (select count(*) from b)"
        )
        if counts(0, 0) == counts(0, 1) then changed(inputs.database)
        else
          QueryResult(Vector("rows", left, right), Vector(SqlValue.Text("count") +: counts.rows(0)))
    if json then ResultFormat.Json.write(different, console.out)
    else if different.rows.nonEmpty then ResultFormat.Table.write(different, console.out)
    if different.rows.isEmpty then 0 else 1

  /** The rows that differ, as texts, with their numbers from 0. */
  private def changed(database: DuckDb): QueryResult =
    database.query(
      s"""select i as "row", x::varchar as ${Sql.name(s"< $left")}, y::varchar as ${Sql.name(
          s"> $right"
        )}
         |from (select row_number() over () - 1 as i, x, y
         |  from (select a as x from a) positional join (select b as y from b))
         |where x is distinct from y order by i limit $rows""".stripMargin
    )
end DiffCommand

private[cli] object DiffCommand:
  /** The columns that only one file has, or at another place, or of another type. */
  private val Columns =
    """select coalesce(x.column_name, y.column_name) as "column",
      |  x.column_type as "<", y.column_type as ">"
      |from (select row_number() over () as i, column_name, column_type from (describe a)) x
      |full join (select row_number() over () as i, column_name, column_type from (describe b)) y
      |  on x.i = y.i and x.column_name = y.column_name
      |where x.column_type is distinct from y.column_type order by coalesce(x.i, y.i)""".stripMargin
end DiffCommand
