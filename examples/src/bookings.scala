import java.time.LocalDate
import java.util.UUID
import undercroft.memory.*
import undercroft.struct.*

// An amount has 18 digits, two of them decimals; more decimals are an error.
given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)

case class Booking(id: UUID, day: LocalDate, amount: BigDecimal) derives Struct

@main def bookings(): Unit =
  println(Struct[Booking].layout.show)
  Region.scoped:
    val bookings = Rows.growing[Booking]
    bookings += Booking(UUID(1, 2), LocalDate.of(2026, 11, 21), BigDecimal("12.34"))
    println(bookings(0))
    try bookings(0) = Booking(UUID(3, 4), LocalDate.EPOCH, BigDecimal("0.001"))
    catch case error: ArithmeticException => println(error.getMessage)
    println(bookings.count(_.day.getYear == 2026))

// prints:
// Booking: 32 bytes, aligned to 8
//        0    8  id.high              Long
//        8    8  id.low               Long
//       16    4  day                  Int
//       20    4  (padding)
//       24    8  amount               Long
// Booking(00000000-0000-0001-0000-000000000002,2026-11-21,12.34)
// a decimal must have at most 16 digits before the point and 2 after it: 0.001
// 1
