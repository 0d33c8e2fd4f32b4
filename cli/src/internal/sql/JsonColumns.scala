package undercroft.cli
package internal.sql

import undercroft.duckdb.internal.sql.SqlMarkers
import undercroft.duckdb.{DuckDb, DuckDbException, QueryResult}

/** SQL expressions of columns as JSON by RFC 8259: a value with parts is an object or an array, and
  * a number that JSON does not have is one of the texts "NaN", "Infinity" and "-Infinity".
  */
private[cli] object JsonColumns:

  /** Executes a query. Returns its rows, and for each column whether its texts are JSON. */
  def query(database: DuckDb, query: String): (QueryResult, Vector[Boolean]) =
    val statements = SqlMarkers.statements(query)
    statements.dropRight(1).foreach(database.query(_))
    def read(text: String) = database.query(text, ResultFormat.MostRows)
    statements.lastOption.fold((read(query), Vector())): last =>
      if !isView(database, last) then (read(last), Vector())
      else
        val columns = described(database, Result)
        val areJson = columns.map((_, sqlType) => isNested(sqlType))
        val selection = columns.zip(areJson).map:
          case ((name, sqlType), true) => s"${json(Sql.name(name), sqlType)} as ${Sql.name(name)}"
          case ((name, _), false)      => Sql.name(name)
        // Columns of one name are read by the query itself, whose names are then refused.
        if !areJson.contains(true) then (read(last), Vector())
        else (read(s"select ${selection.mkString(", ")} from $Result"), areJson)

  /** The columns of a table, in which each number of JSON is one. */
  def selection(database: DuckDb, table: String): String =
    described(database, table).map: (name, sqlType) =>
      if hasReals(sqlType) then s"${json(Sql.name(name), sqlType)} as ${Sql.name(name)}"
      else Sql.name(name)
    .mkString(", ")

  private val Result = "json_result"

  /** Makes a query a view; false if it is another statement, or refused. */
  private def isView(database: DuckDb, query: String): Boolean =
    try
      database.query(s"create or replace temp view $Result as $query"): Unit
      true
    catch case _: DuckDbException => false

  private def described(database: DuckDb, table: String): Vector[(String, String)] =
    database.query(s"describe from $table").rows.map(row => (row(0).show, row(1).show))

  private def isNested(sqlType: String): Boolean =
    sqlType.endsWith("]") || sqlType == "JSON" || sqlType.matches("(?s)(STRUCT|MAP|UNION)\\(.*")

  private def hasReals(sqlType: String): Boolean = sqlType.matches("(?s).*(DOUBLE|FLOAT).*")

  /** @param depth
    *   the number of lists around the value
    */
  private def json(value: String, sqlType: String, depth: Int = 0): String =
    val item = s"item$depth"
    if !hasReals(sqlType) then s"to_json($value)"
    else if sqlType.endsWith("]") then
      val element = sqlType.take(sqlType.lastIndexOf('['))
      s"to_json(list_transform($value, lambda $item: ${json(item, element, depth + 1)}))"
    else if sqlType.startsWith("STRUCT(") then
      val fields = SqlTypeText.fields(sqlType).map: (name, field) =>
        val part = json(s"struct_extract($value, ${Sql.text(name)})", field, depth)
        s"${Sql.text(name)}: $part"
      s"case when $value is not null then to_json({${fields.mkString(", ")}}) end"
    else if sqlType.startsWith("MAP(") then
      val of = SqlTypeText.parameters(sqlType)
      s"to_json(map_from_entries(list_transform(map_entries($value), lambda $item: " +
        s"{'key': $item.key, 'value': ${json(s"$item.value", of.last, depth + 1)}})))"
    else if sqlType == "DOUBLE" || sqlType == "FLOAT" then
      // A FLOAT has the digits of its text.
      val number = if sqlType == "FLOAT" then s"cast(cast($value as varchar) as json)"
      else s"to_json($value)"
      s"case when isfinite($value) then $number when isnan($value) then to_json('NaN') " +
        s"when $value > 0 then to_json('Infinity') when $value < 0 then to_json('-Infinity') end"
    else s"to_json($value)"
    end if
  end json
end JsonColumns
