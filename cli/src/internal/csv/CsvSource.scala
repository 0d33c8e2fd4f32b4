package undercroft.cli
package internal.csv

import internal.io.BadInput
import internal.sql.{Sql, TextTable}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.util.Locale.ROOT
import undercroft.duckdb.DuckDb
import undercroft.duckdb.internal.result.{ResultField, ResultType}

/** A CSV file as a view. DuckDB's own detection of a format skips lines that do not fit it, and
  * takes types from a sample. Here each line is a row, or an error, and a type is taken from all
  * rows that are read: see [[TextForms]].
  *
  * @param rows
  *   how many rows the command reads; the types are taken from these
  */
private[cli] final class CsvSource(
    database: => DuckDb,
    path: Path,
    file: String,
    options: CsvOptions,
    rows: Long
):
  private val format = CsvFormat.of(path, file, options)

  private val names = CsvSource.named(format.first)
  private val below = CsvTexts(names, hasHeader = true)
  private lazy val all = CsvTexts(names.indices.map(i => s"column$i").toVector, hasHeader = false)

  private lazy val texts: CsvTexts =
    if options.hasHeader.getOrElse(isHeader(below.types, below.forms)) then below else all

  /** The columns of a file that is stored without SQL, if the first rows tell that it has a header,
    * or an option does: all rows have these columns if all texts have their types.
    */
  def sampled: Option[CsvTable] =
    options.hasHeader match
      case Some(false) => all.table(_.sample)
      case Some(true)  => below.table(_.sample)
      case None =>
        below.records.flatMap(_.sample).filter(forms => isHeader(below.typesOf(forms), forms))
          .flatMap(forms => below.table(_ => Some(forms)))

  /** The columns of a file that is stored without SQL. */
  def whole: Option[CsvTable] = texts.table(_.forms)

  /** Creates the view; returns the forms of its texts, if all rows were read for it. */
  def createView(name: String): Option[TextForms] =
    val columns = texts.columns
    for stated <- options.types.keys if !columns.contains(stated) do
      throw BadInput(s"--types names $stated, but the columns are ${columns.mkString(", ")}")
    val direct =
      if rows < Long.MaxValue then Map[String, String]()
      else
        columns.indices.filter(i => !options.types.contains(columns(i)) && texts.isDirect(i))
          .map(i => columns(i) -> texts.types(i)).toMap
    val selection = columns.indices.map: i =>
      val column = Sql.name(columns(i))
      if direct.contains(columns(i)) then column
      else
        val sqlType = options.types.getOrElse(columns(i), texts.types(i))
        s"${TextForms.cast(column, sqlType)} as $column"
    database.query(
      s"create view ${Sql.name(name)} as select ${selection.mkString(", ")} from " +
        texts.scan(direct)
    ): Unit
    Option.when(rows == Long.MaxValue && options.types.isEmpty)(texts.forms)
  end createView

  /** The first record has names if one of its texts does not have the type of the other texts in
    * its column, or if all columns are texts and it has neither numbers nor dates.
    */
  private def isHeader(types: Vector[String], below: TextForms): Boolean =
    val areNames = format.first.map: cell =>
      val forms = TextForms(1)
      val bytes = cell.getBytes(UTF_8).nn
      forms.add(0, bytes)
      val own = forms.columns.head.sqlType
      own == "VARCHAR" && !cell.matches(CsvSource.Number)
    if types.forall(_ == "VARCHAR") then
      areNames.forall(identity) && (format.first.forall(_.nonEmpty) || below.rows > 0)
    else
      types.indices.exists(i => types(i) != "VARCHAR" && areNames(i) && format.first(i).nonEmpty)

  /** The rows as texts, with or without the first record. */
  private final class CsvTexts(val columns: Vector[String], hasHeader: Boolean):
    private val source =
      if rows == Long.MaxValue then scan(Map()) else s"(from ${scan(Map())} limit $rows)"

    /** The records, if all are read, and the lines may be the records. */
    val records: Option[CsvRecords] =
      if rows < Long.MaxValue || options.skip > 0 then None
      else CsvRecords.of(path, columns.size, format.delimiter, options.quote, hasHeader)

    lazy val forms: TextForms = records.flatMap(_.forms)
      .getOrElse(TextForms.read(database, columns.map(Sql.name), source))

    lazy val types: Vector[String] = typesOf(forms)

    def typesOf(forms: TextForms): Vector[String] =
      forms.columns.map(_.sqlType).map(sqlType => if sqlType == "UUID" then "VARCHAR" else sqlType)

    /** Whether the bytes of a column's texts are read as its type. */
    def isDirect(i: Int): Boolean = isDirect(types(i), forms.columns(i))

    private def isDirect(sqlType: String, column: TextForms.Column): Boolean =
      column.arePlain && CsvSource.Direct(sqlType)

    /** The columns of texts that have these forms; None if one of its types is read by SQL. */
    def table(of: CsvRecords => Option[TextForms]): Option[CsvTable] =
      for
        records <- records
        forms <- of(records)
        if options.types.isEmpty
        types = typesOf(forms)
        if types.zip(forms.columns).forall((sqlType, column) =>
          sqlType == "VARCHAR" || isDirect(sqlType, column)
        )
      yield
        val fields = columns.zip(types)
          .map((name, sqlType) => ResultField(name, ResultType.named(sqlType)))
        CsvTable(fields, records, forms)

    /** All rows; a line with another number of fields is an error.
      *
      * @param types
      *   the types of columns that are read as they are, instead of as texts
      */
    def scan(types: Map[String, String]): String =
      val typed =
        columns.map(column => s"${Sql.text(column)}: '${types.getOrElse(column, "VARCHAR")}'")
      val quote = Sql.text(options.quote.toString)
      s"read_csv(${Sql.file(path.toString)}, auto_detect = false, " +
        s"columns = ${typed.mkString("{", ", ", "}")}, header = $hasHeader, " +
        s"skip = ${options.skip}, delim = ${Sql.text(format.delimiter.toString)}, " +
        s"quote = $quote, escape = $quote, comment = '', nullstr = '', " +
        "allow_quoted_nulls = false, null_padding = false, ignore_errors = false, " +
        "strict_mode = true, hive_partitioning = false)"
  end CsvTexts
end CsvSource

/** The columns of records whose texts have these forms. */
private[cli] final class CsvTable(
    val fields: Vector[ResultField],
    val records: CsvRecords,
    val forms: TextForms
)

private[cli] object CsvSource:
  /** The types whose values DuckDB reads from the bytes of a file as it casts texts. */
  private val Direct = Set("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")

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
