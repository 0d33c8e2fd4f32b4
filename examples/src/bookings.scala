import java.time.LocalDate
import java.util.UUID
import undercroft.memory.*
import undercroft.struct.*

// A UUID is two Longs.
case class Halves(high: Long, low: Long) derives Struct
given Struct.StoredAs[UUID, Halves] = Struct.storedAs[UUID, Halves](id =>
  Halves(id.getMostSignificantBits, id.getLeastSignificantBits)
)(halves => UUID(halves.high, halves.low))

// A date is stored as a number of days.
given Struct.StoredAs[LocalDate, Int] =
  Struct.storedAs[LocalDate, Int](day => Math.toIntExact(day.toEpochDay))(day =>
    LocalDate.ofEpochDay(day)
  )

// An amount has 18 digits, two of them decimals; more decimals are an error.
given Struct.StoredAs[BigDecimal, Long] =
  Struct.storedAs[BigDecimal, Long](_.bigDecimal.movePointRight(2).longValueExact)(BigDecimal(_, 2))

case class Booking(id: UUID, day: LocalDate, amount: BigDecimal) derives Struct

@main def bookings(): Unit =
  Region.scoped:
    val bookings = Rows.growing[Booking]
    bookings += Booking(UUID(1, 2), LocalDate.of(2026, 11, 21), BigDecimal("12.34"))
    println(bookings(0))
    try bookings(0) = Booking(UUID(3, 4), LocalDate.EPOCH, BigDecimal("0.001"))
    catch case error: ArithmeticException => println(error.getMessage)
    println(bookings.map(_.amount).toVector)

// prints:
// Booking(00000000-0000-0001-0000-000000000002,2026-11-21,12.34)
// Rounding necessary
// Vector(12.34)
