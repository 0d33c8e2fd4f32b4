import java.nio.file.{Files, Path}
import undercroft.buffer.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

case class Purchase(day: Int, product: Text[12], amount: Int, price: Double) derives Struct

def loadPurchases(path: Path)(using Region): Columns[Purchase] =
  val purchases = Columns.growingTo[Purchase](maxRows = 100_000_000) // address space, not memory
  val source = Files.newInputStream(path).source().buffered
  try
    for (line, i) <- source.lines.zipWithIndex.drop(1) do // the first line is the header
      line.split(",", -1) match
        case Array(day, product, amount, price) =>
          try purchases += Purchase(day.toInt, Text(product), amount.toInt, price.toDouble)
          catch
            case error: IllegalArgumentException => // a number or a text that does not fit
              throw IllegalArgumentException(s"line ${i + 1}: ${error.getMessage}", error)
        case fields =>
          throw IllegalArgumentException(s"line ${i + 1} has ${fields.length} fields, not 4")
  finally source.close()
  purchases

case class Price(millis: Long, cents: Int) derives Struct

/** Reads lines of a time and a price without a String or an array for each line. */
def loadPrices(path: Path)(using Region): Columns[Price] =
  val prices = Columns.growingTo[Price](maxRows = 100_000_000)
  val source = Files.newInputStream(path).source().buffered
  try
    while !source.exhausted do
      val millis = source.readDecimalLong() // stops at the first byte that is not a digit
      source.skip(1) // the comma
      val cents = source.readDecimalLong(scale = 2).toInt // "-0.5" is -50
      source.skip(1) // the end of the line
      prices += Price(millis, cents)
  finally source.close()
  prices

/** The cents of each millisecond, added up on all processors, for the caller to close. */
def centsByMillis(path: Path): StructMap[Long, Long] =
  parFoldLines(path)(StructMap[Long, Long]()(using Malloc))((cents, lines) => // whole lines
    var at = lines.from
    while at < lines.until do
      val (comma, end) = (lines.indexOf(',', at), lines.indexOf('\n', at))
      val price = lines.decimal(comma + 1, end, scale = 2)
      cents.updateOrElse(lines.decimal(at, comma, scale = 0), 0L)(_ + price)
      at = end + 1
    cents
  )(merged) // in the order of the file

private def merged(all: StructMap[Long, Long], part: StructMap[Long, Long]) =
  part.foreach((millis, cents) => all.updateOrElse(millis, 0L)(_ + cents))
  part.close()
  all

@main def loadCsv(): Unit =
  val folder = Files.createTempDirectory("csv")
  val path = folder.resolve("purchases.csv")
  Files.writeString(path, "day,product,amount,price\n1,tea,2,3.5\n1,milk,1,1.25\n2,tea,4,3.75\n")
  Region.scoped:
    val purchases = loadPurchases(path)
    println(purchases.size)
    println(purchases.sumOf(p => p.amount * p.price)) // reads two of the four columns
    println(purchases.filter(_.product.contentEquals("tea")).map(_.amount).sum)

    Files.writeString(path, "day,product,amount,price\n1,chamomile blossoms,2,3.5\n")
    try loadPurchases(path)
    catch case error: IllegalArgumentException => println(error.getMessage)

    val ticks = folder.resolve("prices.csv")
    Files.writeString(ticks, "0,-0.5\n" + (1 until 100_000).map(i => s"$i,${i % 50}.25\n").mkString)
    val cents = loadPrices(ticks).map(_.cents)
    println(s"${cents.min} to ${cents.max}")
    val byMillis = centsByMillis(ticks)
    println(byMillis(0))
    byMillis.close()
end loadCsv

// prints:
// 3
// 23.25
// 6
// line 2: text of 18 bytes does not fit in 12: "chamomile blossoms"
// -50 to 4925
// -50
