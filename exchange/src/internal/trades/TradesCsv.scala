package undercroft.exchange
package internal.trades

import de.siegmar.fastcsv.reader.{CsvParseException, CsvReader, StringArrayHandler}
import internal.storage.Trade
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

/** A line that is not a trade: its position and the reason. Lines and columns count from 1. */
final class Malformed(val line: Long, val column: Int, val name: String, val reason: String)
    extends RuntimeException(reason, null, false, false): // bad lines can be many: no stack traces

  /** For people: `line 3, column 2 (amount): "ten" is not a whole number ...`. */
  def where: String =
    val named = if name.isEmpty then "" else s" ($name)"
    s"line $line, column $column$named: $reason"

/** Trades as lines of CSV. The first line names the columns; `ticket`, `amount`, `price` and `buy`
  * must be among them, in any order and in any case, and other columns are passed over.
  *
  * Numbers are whole and fit in an Int; `buy` is true, false, 1 or 0. A trade is one line: a quoted
  * field cannot contain a line break. Blank lines are passed over and not counted.
  */
private[exchange] final class TradesCsv private (header: Array[String], columns: Array[Int]):

  /** The trade of a line. Throws Malformed. */
  def trade(line: String, number: Long): Trade =
    val fields = TradesCsv.split(line, number)
    if fields.length != header.length then
      val column = math.min(fields.length, header.length) + 1
      val name = header.lift(column - 1).getOrElse("")
      val reason = s"the line has ${fields.length} fields, the header ${header.length}"
      throw Malformed(number, column, name, reason)
    val ticket = int(fields, 0, number)
    val amount = int(fields, 1, number)
    val price = int(fields, 2, number)
    Trade(ticket, amount, price, boolean(fields, 3, number))

  private def int(fields: Array[String], index: Int, number: Long): Int =
    val text = fields(columns(index)).strip.nn
    try Integer.parseInt(text)
    catch
      case _: NumberFormatException =>
        val range = s"from ${Int.MinValue} to ${Int.MaxValue}"
        throw malformed(text, index, number, s"is not a whole number $range")

  private def boolean(fields: Array[String], index: Int, number: Long): Boolean =
    val text = fields(columns(index)).strip.nn
    if text == "1" || text.equalsIgnoreCase("true") then true
    else if text == "0" || text.equalsIgnoreCase("false") then false
    else throw malformed(text, index, number, "is not true, false, 1 or 0")

  private def malformed(text: String, index: Int, number: Long, reason: String): Malformed =
    val column = columns(index)
    Malformed(number, column + 1, header(column), s"\"${TradesCsv.shown(text)}\" $reason")
end TradesCsv

private[exchange] object TradesCsv:
  private val Names = Seq("ticket", "amount", "price", "buy")

  /** Characters of a wrong value that its message shows. */
  private val MostShown = 60

  private val ByteOrderMark = new String("\uFEFF".getBytes(UTF_8), ISO_8859_1)

  private val csv = CsvReader.builder().nn

  /** The column order given by the first line. Throws Malformed if a column is missing or doubled.
    */
  def headed(line: String, number: Long): TradesCsv =
    val header = split(line.stripPrefix(ByteOrderMark), number).map(_.strip.nn)
    val columns = Names.map: name =>
      header.indices.filter(header(_).equalsIgnoreCase(name)) match
        case Seq(column) => column
        case Seq() =>
          val there = shown(header.mkString(","))
          throw Malformed(number, header.length + 1, name, s"the header has no such column: $there")
        case several => throw Malformed(number, several(1) + 1, name, "the header has it twice")
    new TradesCsv(header, columns.toArray)

  private def split(line: String, number: Long): Array[String] =
    def malformed(at: Int, reason: String) =
      Malformed(number, line.take(at).count(_ == ',') + 1, "", reason)
    val carriageReturn = line.indexOf('\r')
    if carriageReturn >= 0 && carriageReturn < line.length - 1 then
      throw malformed(carriageReturn, "a carriage return within the line")
    if line.count(_ == '"') % 2 == 1 then
      throw malformed(line.lastIndexOf('"'), "a quote is not closed on its line")
    try csv.ofSingleCsvRecord(StringArrayHandler.of(), line).nn
    catch case wrong: CsvParseException => throw malformed(line.indexOf('"'), cause(wrong))

  private def cause(wrong: Throwable): String =
    var deepest = wrong
    while deepest.getCause != null do deepest = deepest.getCause.nn
    s"the quotes are wrong (${shown(String.valueOf(deepest.getMessage))})"

  /** Text as it was meant, and not too much of it. */
  private def shown(bytes: String): String =
    val text = new String(bytes.getBytes(ISO_8859_1), UTF_8)
    if text.length <= MostShown then text else text.take(MostShown) + "..."
end TradesCsv
