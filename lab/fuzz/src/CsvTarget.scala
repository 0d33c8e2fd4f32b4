package undercroft.exchange.fuzz

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import undercroft.exchange.BadInput
import undercroft.exchange.internal.trades.{ByteLines, Malformed, TradesCsv}
import undercroft.lab.fuzz.Target

/** Days of trades as CSV: the exchange's own reader. */
object CsvTarget extends Target:
  def name: String = "csv"

  def samples: Seq[Array[Byte]] = Seq(
    "ticket,amount,price,buy\n1,2,3,true\n4,5,6,0\n",
    "\uFEFFBuy, price ,\"amount\",ticket,other\r\n\"1\",-7,2147483647,3,\"a \"\"b\"\", c\"\r\n\r\n",
    "ticket,amount,price,buy\n1,ten,3,true\n"
  ).map(_.getBytes(UTF_8).nn)

  def run(input: Array[Byte]): Unit =
    val lines = ByteLines(ByteArrayInputStream(input))
    var csv: Option[TradesCsv] = None
    try
      while lines.hasNext do
        val line = lines.next()
        if !line.isBlank then
          csv match
            case None => csv = Some(TradesCsv.headed(line, lines.number))
            case Some(reader) =>
              try
                val trade = reader.trade(line, lines.number)
                val written = s"${trade.ticket},${trade.amount},${trade.price},${trade.buy}"
                if !plain.trade(written, 2).equals(trade) then
                  throw AssertionError(s"$trade differs after it was written and read")
              catch
                case wrong: Malformed =>
                  if wrong.where.isEmpty || wrong.column < 1 then
                    throw AssertionError(s"an error has no place: ${wrong.where}", wrong)
    catch case _: (Malformed | BadInput) => ()
  end run

  private val plain = TradesCsv.headed("ticket,amount,price,buy", 1)
end CsvTarget
