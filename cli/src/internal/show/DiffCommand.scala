package undercroft.cli
package internal.show

import internal.convert.StructKinds
import internal.input.Inputs
import internal.io.{BadInput, Console}
import internal.sql.{ResultFormat, Sql}
import undercroft.duckdb.{DuckDb, QueryResult, SqlValue}
import undercroft.file.format.{LogicalKind, StructFile}

/** Compares two files: first their columns, then the rows at equal places. */
private[cli] final class DiffCommand(left: String, right: String, rows: Long, json: Boolean)
    extends Command:

  def run(console: Console): Int =
    if rows > ResultFormat.MostRows then
      throw BadInput(s"--rows must be at most ${ResultFormat.MostRows}, but is $rows")
    compared(console)

  private def compared(console: Console): Int = Inputs.use: inputs =>
    val before = inputs.add("a", left)
    val after = inputs.add("b", right)
    val columns = changedColumns(inputs.database, before, after)
    if columns.rows.nonEmpty then
      print(columns, console)
      1
    else
      val counts = inputs.database.query(
        "select (select count(*) from a), (select count(*) from b)"
      )
      if counts(0, 0) == counts(0, 1) then
        val first = changed(inputs.database)
        print(QueryResult(first.columns, first.rows.take(limit)), console)
        if first.rows.isEmpty then 0 else 1
      else
        val numbers = Vector(SqlValue.Text("count") +: counts.rows(0))
        print(QueryResult(Vector("rows", left, right), numbers), console)
        1
  end compared

  private def print(different: QueryResult, console: Console): Unit =
    if json then ResultFormat.Json.write(different, console.out)
    else if different.rows.nonEmpty then ResultFormat.Table.write(different, console.out)

  /** The columns that only one file has, or at another place, or of another type. A duration has
    * the SQL type BIGINT in every unit, so the durations of two struct files are compared as well.
    */
  private def changedColumns(
      database: DuckDb,
      before: Option[StructFile],
      after: Option[StructFile]
  ): QueryResult =
    val columns = database.query(DiffCommand.Columns)
    val names = columns.rows.map(_(0).show)
    val durations =
      for
        x <- before.toVector.map(DiffCommand.durations)
        y <- after.toVector.map(DiffCommand.durations)
        path <- (x.keySet ++ y.keySet).toVector.sortBy(_.mkString("."))
        types = Vector(x, y).map(_.getOrElse(path, "BIGINT"))
        if types(0) != types(1) && !names.contains(path.head)
      yield (path.mkString(".") +: types).map(SqlValue.Text(_))
    QueryResult(columns.columns, columns.rows ++ durations)

  private def limit: Int = rows.toInt

  /** The first rows that differ, at least one if there is any, as texts, with their numbers from 0.
    */
  private def changed(database: DuckDb): QueryResult =
    val struct = DiffCommand.struct(Inputs.names(database, "a"))
    val (before, after) = (Sql.name(s"< $left"), Sql.name(s"> $right"))
    database.query(
      s"""select i as "row", x::varchar as $before, y::varchar as $after
         |from (select row_number() over () - 1 as i, x, y
         |  from (select $struct as x from a) positional join (select $struct as y from b))
         |where x is distinct from y order by i limit ${Math.max(1, limit)}""".stripMargin
    )
end DiffCommand

private[cli] object DiffCommand:
  /** A row as one value. The name of the table means a column, if one has this name. */
  private def struct(columns: Vector[String]): String =
    columns.map(column => s"${Sql.name(column)} := ${Sql.name(column)}")
      .mkString("struct_pack(", ", ", ")")

  /** The durations of a struct file by the paths of their columns. */
  private def durations(file: StructFile): Map[Vector[String], String] =
    StructKinds.of(file).collect { case (path, duration: LogicalKind.Duration) =>
      path -> duration.description.nn
    }

  /** The columns that differ in SQL. */
  private val Columns =
    """select coalesce(x.column_name, y.column_name) as "column",
      |  x.column_type as "<", y.column_type as ">"
      |from (select row_number() over () as i, column_name, column_type from (describe a)) x
      |full join (select row_number() over () as i, column_name, column_type from (describe b)) y
      |  on x.i = y.i and x.column_name = y.column_name
      |where x.column_type is distinct from y.column_type order by coalesce(x.i, y.i)""".stripMargin
end DiffCommand
