package outside.sales

import java.nio.file.Path
import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import undercroft.file.*
import undercroft.struct.*

/** A sale, as Spark's jobs of the tests write it. */
case class Sale(id: Long, parts: InlineArray[Int, 3], note: Option[Int]) derives Struct

/** An amount with a moment of microseconds and a decimal of 128 bits, as Spark stores them. */
case class Booking(
    id: Int,
    day: LocalDate,
    at: Instant,
    price: BigDecimal,
    left: Option[LocalDateTime]
) derives Struct
object Booking:
  given Struct.StoredAs[BigDecimal, Bits128] = LogicalType.decimal128(precision = 20, scale = 2)
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Micros)
  given Struct.StoredAs[LocalDateTime, Long] =
    LogicalType.localDateTime(LogicalType.TimeUnit.Micros)

  /** A fee has a decimal of 64 bits. */
  case class Fee(id: Int, amount: BigDecimal) derives Struct
  object Fee:
    given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)

/** A parcel whose stored types Spark's types do not tell. */
case class Parcel(
    id: UUID,
    opens: LocalTime,
    parent: Option[UUID],
    stops: InlineArray[UUID, 2],
    took: Duration,
    stages: InlineArray[Duration, 2]
) derives Struct

type Key = (day: LocalDate, shop: Option[String])

/** Reads and writes folders of sales from the command line. */
object Sales:
  private val monday = LocalDate.of(2026, 11, 23)

  private def sale(id: Long): Sale =
    val part = id.toInt
    Sale(id, InlineArray(part, part + 1, -part), Option.when(id % 3 > 0)(part))

  /** `add FOLDER FROM UNTIL` adds a file for each of two days, `each FOLDER FROM UNTIL` one for
    * each row, `compact FOLDER` replaces files, and `sums FOLDER` prints a line for each partition.
    * `book FOLDER FROM UNTIL` adds a file of bookings, `bookings FOLDER` and `fees FOLDER` print
    * rows. `parcel FOLDER ID` adds a parcel, and `parcels FOLDER` prints them.
    *
    * Without a command, it runs the commands of its input, a line each with tabs between the words,
    * and prints a line `done` or `failed` after each.
    */
  def main(args: Array[String]): Unit =
    if args.nonEmpty then run(args)
    else
      for line <- scala.io.Source.stdin.getLines() do
        try
          run(line.split('\t'))
          println("done")
        catch
          case error: Exception =>
            error.printStackTrace(System.out)
            println("failed")

  private def run(args: Array[String]): Unit =
    val folder = Path.of(args(1))
    def days = Columns.folder[Sale](folder, maxRows = 100_000)
    def range = args(2).toInt until args(3).toInt
    args(0) match
      case "add" =>
        for day <- 0 to 1 do
          val key: Key = (day = monday.plusDays(day), shop = Option.when(day > 0)("a/b"))
          days.addTo(key)(file => for id <- range if id % 2 == day do file += sale(id))
      case "each"    => for id <- range do days.add(file => file += sale(id))
      case "compact" => println(days.compact())
      case "sums" =>
        val sales = Columns.openAll[Sale](folder)
        for (key, rows) <- sales.partitions[Key] do
          println(
            s"${key.day} ${key.shop.getOrElse("none")} ${rows.size} ${rows.sumOf(_.id)}" +
              s" ${rows.sumOf(sale => sale.parts(1) - sale.parts(2))} ${rows.sumOf(_.note.getOrElse(0))}"
          )
        sales.close()
      case "count" =>
        val sales = Columns.openAll[Sale](folder)
        println(s"${sales.size} ${sales.sumOf(_.id)}")
        sales.close()
      case "book" =>
        Columns.folder[Booking](folder, maxRows = 10).add: file =>
          for id <- range do
            val at = Instant.EPOCH.plusNanos(id * 1000L)
            val day = LocalDate.ofEpochDay(id)
            val price = BigDecimal("123456789012345678.25") * id
            file += Booking(id, day, at, price, Option.when(id > 0)(day.atTime(1, 2)))
      case "bookings" =>
        val bookings = Columns.openAll[Booking](folder)
        for booking <- bookings.toVector.sortBy(_.id) do
          println(
            s"${booking.id} ${booking.day} ${booking.at} ${booking.price} ${booking.left.getOrElse("none")}"
          )
        bookings.close()
      case "parcel" =>
        val id = UUID.fromString(args(2))
        Rows.folder[Parcel](folder).add: file =>
          val took = Duration.ofHours(36).plusNanos(1000)
          val stages = InlineArray[Duration, 2](took.negated, Duration.ZERO)
          file += Parcel(id, LocalTime.NOON, None, InlineArray(id, UUID(0, 0)), took, stages)
      case "parcels" =>
        val parcels = Rows.openAll[Parcel](folder)
        for parcel <- parcels.toVector.sortBy(_.id.toString) do
          println(
            s"${parcel.id} ${parcel.opens} ${parcel.parent.getOrElse("none")} ${parcel.stops(1)}" +
              s" ${parcel.took} ${parcel.stages(0)} ${parcel.stages(1)}"
          )
        parcels.close()
      case "fees" =>
        val fees = Columns.openAll[Booking.Fee](folder)
        println(fees.toVector.map(_.amount).mkString(" "))
        fees.close()
    end match
  end run
end Sales
