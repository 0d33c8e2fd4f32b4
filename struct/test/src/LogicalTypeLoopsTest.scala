package loops // outside undercroft.struct, whose tests have other givens

import java.time.{Duration, Instant, LocalDate}
import java.util.UUID
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.testkit.assertAllocates

object LogicalTypeLoopsTest:
  case class Visit(day: LocalDate, at: Instant, length: Duration, id: UUID)
      derives Struct

class LogicalTypeLoopsTest extends undercroft.tools.Suite:
  import LogicalTypeLoopsTest.Visit
  given CanEqual[UUID, UUID] = CanEqual.derived

  test("loops over fields with logical types allocate nothing"):
    val today = LocalDate.of(2026, 11, 25).nn
    val (now, hour) = (Instant.EPOCH.nn, Duration.ofHours(1).nn)
    val id = UUID(1, 2)
    val visits = Vector.tabulate(100): i =>
      val number = i.toLong
      Visit(
        today.plusDays(number - 50).nn,
        Instant.ofEpochSecond(number - 50).nn,
        Duration.ofMinutes(number).nn,
        UUID(number, 2)
      )
    var found = 0L
    Region.scoped:
      val rows = Rows.from(visits)
      val columns = Columns.from(visits)
      assertAllocates(0) { found += rows.count(_.day.isAfter(today)) }
      assertAllocates(0) { found += columns.count(_.day.isAfter(today)) }
      assertAllocates(0) { found += rows.count(_.at.isAfter(now)) }
      assertAllocates(0) { found += columns.count(_.at.isAfter(now)) }
      // Not LocalTime: the JDK's factory returns either a cached or a new object.
      assertAllocates(0) { found += rows.count(_.length.compareTo(hour) > 0) }
      assertAllocates(0) { found += rows.count(_.id.equals(id)) }
      assertEquals(rows.count(_.day.isAfter(today)), 49L)
      assertEquals(rows.count(_.id == id), 1L)
    assert(found > 0)
end LogicalTypeLoopsTest
