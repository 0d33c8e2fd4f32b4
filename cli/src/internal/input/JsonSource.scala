package undercroft.cli
package internal.input

import internal.csv.TextForms
import internal.io.BadInput
import internal.sql.{JsonNumbers, Sql, SqlTypeText}
import java.nio.file.Path
import undercroft.duckdb.DuckDb

/** A JSON file as a view. DuckDB's own types round numbers, and store texts of a column that has
  * numbers, too, with their quotes. Here the types are taken from all rows, and a value that they
  * cannot keep is a text, or an error.
  */
private[cli] final class JsonSource(database: DuckDb, path: Path, file: String):
  private val source = s"${Sql.file(path.toString)}, hive_partitioning = false"

  def createView(name: String): Unit =
    val detected = described(s"read_json($source, sample_size = -1)")
    if detected.map(_._1) == Vector("json") && isEmpty then
      throw BadInput(s"$file has no record; a JSON file has an array of objects, or objects")
    val wide = wideNumbers(detected.toMap)
    val loose = detected.map: (column, sqlType) =>
      column -> (if wide(column) then "VARCHAR" else JsonSource.loosened(sqlType))
    val texts = scan(loose)
    val selection = detected.zip(loose).map:
      case ((column, sqlType), (_, looseType)) =>
        val expression = Sql.name(column)
        val isDated = sqlType != looseType && !wide(column)
        if isDated && keeps(expression, sqlType, looseType, texts) then
          s"cast($expression as ${JsonSource.withoutJson(sqlType)}) as $expression"
        else expression
    database.query(
      s"create view ${Sql.name(name)} as select ${selection.mkString(", ")} from $texts"
    ): Unit
  end createView

  private def isEmpty: Boolean =
    database.query(s"from read_json_objects($source) limit 1").rows.isEmpty

  private def described(relation: String): Vector[(String, String)] =
    database.query(s"describe from $relation").rows.map(row => (row(0).show, row(1).show))

  private def scan(columns: Vector[(String, String)]): String =
    val types = columns.map((name, sqlType) => s"${Sql.text(name)}: ${Sql.text(sqlType)}")
    s"read_json($source, columns = ${types.mkString("{", ", ", "}")})"

  /** Whether the dates, times and UUIDs of a value, which is read with texts in their places, have
    * the texts that these types keep. Lists are not tried.
    */
  private def keeps(
      expression: String,
      sqlType: String,
      looseType: String,
      source: String
  ): Boolean =
    if sqlType == looseType then true
    else if sqlType.startsWith("STRUCT(") && !sqlType.endsWith("]") then
      SqlTypeText.fields(sqlType).zip(SqlTypeText.fields(looseType)).forall:
        case ((field, inner), (_, loose)) =>
          val child = s"struct_extract($expression, ${Sql.text(field)})"
          JsonSource.withoutJson(inner) == loose || keeps(child, inner, loose, source)
    else
      val own = TextForms.read(database, Vector(expression), source).columns.head.sqlType
      own == sqlType || own == "TIMESTAMPTZ" && sqlType == "TIMESTAMP WITH TIME ZONE" ||
      own == "DATE" && sqlType == "TIMESTAMP"

  /** The columns with integers that a Double does not keep, to be stored as texts. Throws
    * [[BadInput]] if a number can be stored in no way.
    */
  private def wideNumbers(types: Map[String, String]): Set[String] =
    if !types.values.exists(JsonSource.hasDoubles) then Set()
    else
      database.query(
        "create or replace temp table long_numbers as select n, json from (select row_number() " +
          s"over () - 1 as n, json from read_json_objects($source)) " +
          s"where regexp_matches(json, '${JsonSource.LongNumber}')"
      ): Unit
      val count = database.query("select count(*) from long_numbers")(0, 0).long
      val wide = Set.newBuilder[String]
      for first <- 0L until count by JsonSource.Batch do
        val batch = database.query(
          s"select n, json from long_numbers where rowid >= $first and " +
            s"rowid < ${first + JsonSource.Batch}"
        )
        for row <- batch.rows do
          JsonNumbers.lost(row(1).show): (path, digits) =>
            val column = path.headOption.getOrElse("json")
            val isInteger = digits.forall(c => c == '-' || c.isDigit)
            val sqlType = types.getOrElse(column, "JSON")
            if isInteger && path.size <= 1 && Set("DOUBLE", "JSON")(sqlType) then wide += column
            else if JsonSource.hasDoubles(sqlType) then
              throw BadInput(
                s"$file: row ${row(0).show} of column '${path.mkString(".")}' has the number " +
                  s"$digits, whose digits a Double does not keep; a text in quotes keeps them"
              )
      database.query("drop table long_numbers"): Unit
      wide.result()
  end wideNumbers
end JsonSource

private[cli] object JsonSource:
  private val Batch = 10_000L

  /** A number that may have more digits than a Double, or a larger exponent. */
  private val LongNumber = "[0-9][0-9.]{14,}|[0-9.][eE][-+]?[0-9]{3,}"

  private def hasDoubles(sqlType: String): Boolean = sqlType.matches(".*(DOUBLE|JSON).*")

  /** A quoted name, or a type whose values are read as texts first. */
  private val textual =
    ("\"(?:[^\"]|\"\")*\"(?! *[,)\\[]| *$)|(?<![A-Za-z_0-9])(?:TIMESTAMP WITH TIME ZONE|" +
      "TIMESTAMP_NS|TIMESTAMP|DATE|TIME|UUID|JSON|\"NULL\")(?=[,)\\[]|$)").r

  private def replaced(sqlType: String)(isText: String => Boolean): String =
    textual.replaceAllIn(
      sqlType,
      word =>
        val found = word.matched.nn
        val isName = found.startsWith("\"") && found != "\"NULL\""
        scala.util.matching.Regex.quoteReplacement(
          if !isName && isText(found) then "VARCHAR" else found
        )
    )

  /** The type with texts in the places of dates, times, UUIDs and values of several types. */
  private def loosened(sqlType: String): String = replaced(sqlType)(_ => true)

  private def withoutJson(sqlType: String): String =
    replaced(sqlType)(Set("JSON", "\"NULL\""))
end JsonSource
