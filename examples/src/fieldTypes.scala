import java.time.{Instant, Year}
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit.Millis

enum Direction:
  case Buy, Sell

given Struct.StoredAs[Year, Int] = Struct.storedAs[Year, Int](_.getValue)(Year.of(_))

given Struct.StoredAs[Instant, Long] = LogicalType.instant(Millis)

case class Order(
    at: Instant, // a Long, as the given says
    season: Year, // an Int, as the given says
    direction: Direction, // a byte
    limit: Option[Int], // a byte and an Int
    route: (desk: Short, venue: Short) // two Shorts
) derives Struct

@main def fieldTypes(): Unit =
  println(Struct[Order].layout.show)
  Region.scoped:
    val orders = Rows.growing[Order]
    orders += Order(Instant.EPOCH, Year.of(2026), Direction.Buy, Some(250), (desk = 7, venue = 1))
    orders += Order(Instant.EPOCH, Year.of(2026), Direction.Sell, None, (desk = 7, venue = 2))

    println(orders.count(_.direction == Direction.Buy))
    orders.ref(1).limit = Some(260)
    println(orders.ref(1).limit())
    println(orders.ref(1)(_.route.venue))

// prints:
// Order: 32 bytes, aligned to 8
//        0    8  at                   Long
//        8    4  season               Int
//       12    1  direction            Byte
//       13    3  (padding)
//       16    1  limit.isDefined      Boolean
//       17    3  (padding)
//       20    4  limit.get            Int
//       24    2  route.desk           Short
//       26    2  route.venue          Short
//       28    4  (padding)
// 1
// Some(260)
// 2
