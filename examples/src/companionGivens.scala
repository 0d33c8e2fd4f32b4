import java.time.Instant
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit.Millis

object feed: // a library
  case class Tick(at: Instant, price: Int) derives Struct
  object Tick:
    given Struct.StoredAs[Instant, Long] = LogicalType.instant(Millis) // for the fields of Tick

object reports: // code without the import
  import feed.Tick
  def late(ticks: Rows[Tick], after: Instant): Long =
    ticks.count(_.at.isAfter(after)) // creates a Tick for each row

object charts:
  import feed.Tick
  import feed.Tick.given // without it, the field of a reference is a compile error
  def open(ticks: Rows[Tick], at: Instant): Unit = ticks.ref(0).at = at

@main def companionGivens(): Unit = Region.scoped:
  val noon = Instant.parse("2026-11-27T12:00:00Z")
  val ticks = Rows.tabulate[feed.Tick](4)(i => feed.Tick(noon.plusSeconds(i), 250))
  println(reports.late(ticks, noon))
  charts.open(ticks, noon.plusMillis(500))
  println(reports.late(ticks, noon))
// prints:
// 3
// 4
