import java.time.Instant
import undercroft.memory.*
import undercroft.struct.*

enum Direction:
  case Buy, Sell

given Struct.StoredAs[Instant, Long] =
  Struct.storedAs[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli)

case class Order(
    at: Instant, // a Long, as the given says
    direction: Direction, // a byte
    limit: Option[Int], // a byte and an Int
    route: (desk: Short, venue: Short) // two Shorts
) derives Struct

@main def fieldTypes(): Unit =
  println(Struct[Order].layout.show)
  Region.scoped:
    val orders = Rows.growing[Order]
    orders += Order(Instant.EPOCH, Direction.Buy, Some(250), (desk = 7, venue = 1))
    orders += Order(Instant.EPOCH, Direction.Sell, None, (desk = 7, venue = 2))

    println(orders.count(_.direction == Direction.Buy))
    orders.ref(1).limit = Some(260)
    println(orders.ref(1).limit())
    println(orders.ref(1)(_.route.venue))

// prints:
// Order: 24 bytes, aligned to 8
//        0    8  at                   Long
//        8    1  direction            Byte
//        9    3  (padding)
//       12    1  limit.isDefined      Boolean
//       13    3  (padding)
//       16    4  limit.get            Int
//       20    2  route.desk           Short
//       22    2  route.venue          Short
// 1
// Some(260)
// 2
