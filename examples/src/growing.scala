import undercroft.memory.*
import undercroft.struct.*

case class Event(at: Long, code: Int) derives Struct

@main def growing(): Unit =
  Region.scoped:
    val events = Rows.growing[Event] // memory as rows arrive
    events += Event(at = 0, code = 1)
    val first = events.ref(0) // stays valid: from now on, growing never copies
    events.appendAll(99_999)(i => Event(at = 10 * i, code = (i % 7).toInt)) // all of them, or none
    println(events.size)
    println(first.code)
    events.appending(maxRows = 1000): batch => // for a loop that does not know its row count
      for at <- 0 until 1000 if at % 7 != 0 do batch += Event(at, code = at % 7)
    println(events.size)
    println(events.slice(99_998, 100_000).toVector) // a slice is a view

// prints:
// 100000
// 1
// 100857
// Vector(Event(999970,2), Event(999980,3))
