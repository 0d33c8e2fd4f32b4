package undercroft.cli
package internal.sql

import internal.io.BadInput
import java.io.PrintStream
import undercroft.duckdb.{DuckDb, QueryResult, SqlValue}
import upickle.core.Visitor

/** How the rows of a result are written. */
private[cli] enum ResultFormat derives CanEqual:
  case Table, Csv, Json

  /** Writes the rows of a query, in which a value with parts is an object or an array of JSON. */
  def write(database: DuckDb, query: String, out: PrintStream): Unit = this match
    case Json =>
      val (result, areJson) = JsonColumns.query(database, query)
      write(result, out, areJson)
    case _ => write(database.query(query, ResultFormat.MostRows), out)

  /** @param areJson
    *   for each column whether its texts are JSON; none if it is empty
    */
  def write(
      result: QueryResult,
      out: PrintStream,
      areJson: Vector[Boolean] = Vector()
  ): Unit = this match
    case Table => out.println(TextTable.render(result))
    case Csv =>
      out.println(result.columns.map(ResultFormat.cell).mkString(","))
      for row <- result.rows do
        out.println(row.map(value => ResultFormat.cell(ResultFormat.plain(value))).mkString(","))
    case Json =>
      ResultFormat.checkNames(result.columns)
      val rows = result.rows.map(row => JsonText.Record(result.columns.zip(row), areJson))
      out.println(JsonText.write(rows))
end ResultFormat

private[cli] object ResultFormat:
  /** The most rows of a result that is printed: all of its texts are on the heap. */
  inline val MostRows = 1_000_000

  def of(json: Boolean, csv: Boolean): ResultFormat =
    if json && csv then throw BadInput("--json and --csv exclude each other")
    if json then Json else if csv then Csv else Table

  /** Throws if an object of JSON would have a key twice: readers keep one of the values. */
  private def checkNames(columns: Vector[String]): Unit =
    for name <- columns.diff(columns.distinct).headOption do
      throw BadInput(
        s"the result has ${columns.count(_ == name)} columns named $name; JSON needs different " +
          "names: rename them by `as`"
      )

  /** A null is an empty cell. */
  private def plain(value: SqlValue): String = value match
    case SqlValue.Null => ""
    case other         => other.show

  /** A cell by RFC 4180. */
  private def cell(text: String): String =
    if text.exists(c => c == '"' || c == ',' || c == '\n' || c == '\r') then
      "\"" + text.replace("\"", "\"\"") + "\""
    else text
end ResultFormat

/** Rows as text in columns: numbers to the right, other values to the left. */
private[cli] object TextTable:
  private val Widest = 60

  def render(result: QueryResult): String =
    val cells = result.rows.map(_.map(value => short(value.show)))
    val columns = result.columns.map(escaped)
    val widths = columns.indices.map: column =>
      (columns(column).length +: cells.map(_(column).length)).max
    val isNumber =
      result.columns.indices.map(column => result.rows.forall(row => number(row(column))))
    def line(texts: Seq[String]): String =
      texts.indices
        .map: column =>
          val text = texts(column)
          val blanks = " " * (widths(column) - text.length)
          if isNumber(column) then blanks + text else text + blanks
        .mkString("  ")
        .stripTrailing
        .nn
    (line(columns) +: line(widths.map("-" * _)) +: cells.map(line)).mkString("\n")

  private def number(value: SqlValue): Boolean = value match
    case SqlValue.Text(_) | SqlValue.Bool(_) => false
    case _                                   => true

  def short(text: String): String =
    val line = escaped(text)
    if line.length <= Widest then line
    else
      val end = Widest - 3
      val isPair = Character.isSurrogatePair(line(end - 1), line(end))
      line.take(if isPair then end - 1 else end) + "..."

  /** A text as a terminal can print it: control characters would move its cursor or set its colors.
    */
  def escaped(text: String): String =
    if !text.exists(Character.isISOControl) then text
    else
      text.flatMap:
        case '\n'                                       => "\\n"
        case '\r'                                       => "\\r"
        case '\t'                                       => "\\t"
        case control if Character.isISOControl(control) => f"\\u${control.toInt}%04x"
        case other                                      => other.toString
end TextTable

/** Writes JSON. An upickle of its own: the default instance initializes itself by sun.misc.Unsafe.
  */
private[cli] object JsonText extends upickle.AttributeTagged:

  /** An object with these keys in this order. */
  final case class Record(entries: Seq[(String, SqlValue)], areJson: Vector[Boolean])

  given Writer[SqlValue] = new Writer[SqlValue]:
    def write0[V](out: Visitor[?, V], cell: SqlValue): V = cell match
      case SqlValue.Null        => out.visitNull(-1)
      case SqlValue.Bool(value) => if value then out.visitTrue(-1) else out.visitFalse(-1)
      case SqlValue.Integer(_) | SqlValue.Decimal(_) =>
        out.visitFloat64StringParts(cell.show, -1, -1, -1)
      case SqlValue.Double(value) if value == 0 && 1 / value < 0 =>
        out.visitFloat64StringParts("-0.0", -1, -1, -1)
      case SqlValue.Double(value) if !value.isNaN && !value.isInfinite =>
        out.visitFloat64(cell.shownDouble, -1)
      case _ => out.visitString(cell.show, -1)

  given Writer[Record] = new Writer[Record]:
    def write0[V](out: Visitor[?, V], record: Record): V =
      val visitor = out.visitObject(record.entries.size, true, -1)
      for ((key, value), i) <- record.entries.zipWithIndex do
        visitor.visitKeyValue(visitor.visitKey(-1).visitString(key, -1))
        val written = value match
          case SqlValue.Text(json) if record.areJson.lift(i).contains(true) =>
            ujson.StringParser.transform(json, visitor.subVisitor)
          case plain => summon[Writer[SqlValue]].write0(visitor.subVisitor, plain)
        visitor.narrow.visitValue(written, -1)
      visitor.visitEnd(-1)
end JsonText
