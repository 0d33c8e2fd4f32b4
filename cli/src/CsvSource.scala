package undercroft.cli

import java.nio.file.Path
import java.util.Locale.ROOT
import undercroft.duckdb.DuckDb

/** A CSV file as a view. DuckDB's own detection of a format skips lines that do not fit it, and
  * takes types from a sample. Here each line is a row, or an error, and a type is taken from all
  * rows that are read: see [[TextTypes]].
  *
  * @param rows
  *   how many rows the command reads; the types are taken from these
  */
private[cli] final class CsvSource(
    database: DuckDb,
    path: Path,
    file: String,
    options: CsvOptions,
    rows: Long
):
  private val format = CsvFormat.of(path, file, options)
  private val names = CsvSource.named(format.first)

  /** Creates the view; returns the forms of its texts, if all rows were read for it. */
  def createView(name: String): Option[TextForms] =
    // With a header, the types are found once.
    val texts = scan(names, hasHeader = true)
    lazy val (typesBelow, forms) = typesOf(names, texts)
    if options.hasHeader.getOrElse(isHeader(typesBelow, texts)) then
      createView(name, names, texts, typesBelow)
      Option.when(rows == Long.MaxValue && options.types.isEmpty)(forms)
    else
      val columns = names.indices.map(i => s"column$i").toVector
      val all = scan(columns, hasHeader = false)
      createView(name, columns, all, typesOf(columns, all)._1)
      None

  private def createView(
      name: String,
      columns: Vector[String],
      texts: String,
      types: => Vector[String]
  ): Unit =
    for stated <- options.types.keys if !columns.contains(stated) do
      throw BadInput(s"--types names $stated, but the columns are ${columns.mkString(", ")}")
    val selection = columns.zip(types).map: (column, sqlType) =>
      val stated = options.types.getOrElse(column, sqlType)
      s"${TextTypes.cast(Sql.name(column), stated)} as ${Sql.name(column)}"
    database.query(
      s"create view ${Sql.name(name)} as select ${selection.mkString(", ")} from $texts"
    ): Unit
  end createView

  /** The first record has names if one of its texts is none of its column, whose others have a
    * type, or if all columns are texts and it has neither numbers nor dates.
    */
  private def isHeader(types: Vector[String], texts: String): Boolean =
    val areNames = format.first.map: cell =>
      val own = TextTypes.of(database, Vector("v"), s"(select ${Sql.text(cell)} as v)").head
      own == "VARCHAR" && !cell.matches(CsvSource.Number)
    if types.forall(_ == "VARCHAR") then
      areNames.forall(identity) &&
      (format.first.forall(_.nonEmpty) || database.query(s"from $texts limit 1").rows.nonEmpty)
    else
      types.indices.exists(i => types(i) != "VARCHAR" && areNames(i) && format.first(i).nonEmpty)

  private def typesOf(columns: Vector[String], texts: String): (Vector[String], TextForms) =
    val read = if rows == Long.MaxValue then texts else s"(from $texts limit $rows)"
    val (types, forms) = TextTypes.read(database, columns.map(Sql.name), read)
    (types.map(sqlType => if sqlType == "UUID" then "VARCHAR" else sqlType), forms)

  /** All rows as texts; a line with another number of fields is an error. */
  private def scan(columns: Vector[String], hasHeader: Boolean): String =
    val texts = columns.map(column => s"${Sql.text(column)}: 'VARCHAR'").mkString("{", ", ", "}")
    val quote = Sql.text(options.quote.toString)
    s"read_csv(${Sql.file(path.toString)}, auto_detect = false, columns = $texts, " +
      s"header = $hasHeader, skip = ${options.skip}, delim = ${Sql.text(format.delimiter.toString)}, " +
      s"quote = $quote, escape = $quote, comment = '', nullstr = '', allow_quoted_nulls = false, " +
      "null_padding = false, ignore_errors = false, strict_mode = true, hive_partitioning = false)"
end CsvSource

private[cli] object CsvSource:
  /** Names without blanks around them; an empty one gets its number, and a repeated one a suffix.
    */
  private def named(header: Vector[String]): Vector[String] =
    header.zipWithIndex.foldLeft(Vector[String]()): (names, cell) =>
      val (text, i) = cell
      val name = if text.isBlank then s"column$i" else text.strip.nn
      val taken = names.map(_.toLowerCase(ROOT)).toSet
      val free = Iterator.iterate((name, 0))((_, n) => (s"${name}_${n + 1}", n + 1))
        .map(_._1).find(candidate => !taken(candidate.toLowerCase(ROOT)))
      names :+ free.getOrElse(name)

  private val Number = "[-+]?[.0-9][-+.0-9eE]*"

  /** DuckDB's error about a line, in a sentence; None if it is another error. */
  def lineError(message: String): Option[String] =
    message match
      case error(line, text: String, reason: String, file) =>
        val problem = reason match
          case fields(expected, actual) =>
            s"has $actual fields, but the first record has $expected"
          case other => s"cannot be read: ${other.replaceAll("\\s+", " ")}"
        Some(
          s"$file: line $line $problem: ${TextTable.short(text)}; the options --skip, --delimiter, " +
            "--quote and --header of convert state the format of a file"
        )
      case _ => None

  private val error =
    (raw"(?s).*CSV Error on Line: (\d+)\s+Original Line: ?(.*?)\n(.*?)\s*\n\s*Possible .*" +
      raw"\n  file = (.*?)\n.*").r

  private val fields = raw"Expected Number of Columns: (\d+) Found: (\d+)".r
end CsvSource
