package outside.givens

import java.time.{Duration, Instant, LocalDate}
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

case class Tick(at: Instant, price: Int) derives Struct
object Tick:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Millis)

case class Bill(amount: BigDecimal, due: Option[LocalDate]) derives Struct
object Bill:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 18, scale = 2)

/** Givens of an object around the class, one of them an object itself. */
object Clock:
  given inMillis: Struct.StoredAs[Instant, Long] with
    def encode(at: Instant): Long = at.toEpochMilli
    def decode(stored: Long): Instant = Instant.ofEpochMilli(stored)
  object Inner:
    case class Lap(begin: Instant, ends: InlineArray[Instant, 2]) derives Struct

/** A trait with the givens of several companions. */
trait InSeconds:
  given Struct.StoredAs[Duration, Long] = LogicalType.duration(TimeUnit.Seconds)
enum Step derives Struct:
  case Wait(time: Duration)
  case Done
object Step extends InSeconds

case class Series(name: Int, first: Int) derives Struct

object Unimported:
  def prices(rows: Rows[Tick]): Long = rows.map(_.price.toLong).sum
  def instants(rows: Rows[Tick]): Vector[Instant] = rows.map(_.at).toVector
  def late(rows: Rows[Tick], after: Instant): Long = rows.count(_.at.isAfter(after))
  def add(rows: Rows[Tick], tick: Tick): Unit = rows(0) = tick
  def whole(rows: Rows[Tick]): Tick = rows(0)

object Imported:
  import Tick.given
  def instants(rows: Rows[Tick]): Vector[Instant] = rows.map(_.at).toVector
  def set(rows: Rows[Tick], at: Instant): Unit = rows.ref(0).at = at
  case class Pair(first: Tick, second: Tick) derives Struct

class HiddenGivensTest extends undercroft.tools.Suite:
  private val instant = Instant.ofEpochMilli(1_764_000_000_123L)
  private val ticks = Vector(Tick(instant, 7), Tick(Instant.EPOCH, 8))

  test("code without a given of the companion reads and writes rows by the class's Struct"):
    Region.scoped:
      val rows = Rows.from(ticks)
      assertEquals(Unimported.instants(rows), ticks.map(_.at))
      assertEquals(Unimported.prices(rows), 15L)
      assertEquals(Unimported.late(rows, Instant.EPOCH), 1L)
      assertEquals(Unimported.whole(rows), ticks(0))
      Unimported.add(rows, Tick(Instant.ofEpochMilli(5), 9))
      assertEquals(Imported.instants(rows), Vector(Instant.ofEpochMilli(5), Instant.EPOCH))
      Imported.set(rows, instant)
      assertEquals(rows.toVector, Vector(Tick(instant, 9), ticks(1)))
      assertEquals(
        Struct[Tick].logicalTypes(List("at")),
        LogicalType.Timestamp(TimeUnit.Millis, isUtc = true)
      )
      val pairs = Columns.from(List(Imported.Pair(ticks(0), ticks(1))))
      assertEquals(pairs.toVector, Vector(Imported.Pair(ticks(0), ticks(1))))

  test("rows in every layout, growing tables, sorts and copies use the companion's given"):
    Region.scoped:
      val columns = Columns.from(ticks)
      assertEquals(columns.toVector, ticks)
      assertEquals(PackedRows.from(ticks).toVector, ticks)
      val growing = Rows.growing[Tick]
      ticks.foreach(growing += _)
      assertEquals(growing.toVector, ticks)
      assertEquals(growing.copy.toVector, ticks)
      assertEquals(growing.filter(_.price == 8).toVector, Vector(ticks(1)))
      val bills =
        Vector(Bill(BigDecimal("12.34"), Some(LocalDate.EPOCH)), Bill(BigDecimal(1), None))
      assertEquals(Rows.from(bills).toVector, bills)
      assertEquals(Rows.from(bills).map(_.amount).toVector, bills.map(_.amount))

  test("givens of an object around the class, and those that a companion inherits, count too"):
    Region.scoped:
      val laps = Vector(Clock.Inner.Lap(instant, InlineArray(instant, Instant.EPOCH)))
      assertEquals(Rows.from(laps).map(_.begin).toVector, laps.map(_.begin))
      val steps = Vector(Step.Wait(Duration.ofSeconds(Long.MaxValue)), Step.Done)
      assertEquals(Rows.from(steps).toVector, steps)

  test("a field of a reference is a compile error with the import"):
    val errors = compileErrors("def at(rows: Rows[Tick]): Instant = rows.ref(0).at")
    assert(errors.contains("import outside.givens.Tick.given"), errors)
    assert(errors.contains("`at` of Tick is stored by a given of outside.givens.Tick"), errors)
    val lap = compileErrors("(lap: Ref[Clock.Inner.Lap]) => lap.begin")
    assert(lap.contains("import outside.givens.Clock.given"), lap)

  test("a class with such a class as a field is derived only with the import"):
    val errors = compileErrors("case class Pair(first: Tick, second: Tick) derives Struct")
    assert(errors.contains("Pair cannot derive Struct: `at` of Tick is stored by a given"), errors)
    assert(errors.contains("import outside.givens.Tick.given"), errors)
    val steps = compileErrors("case class Plan(steps: InlineArray[Step, 4]) derives Struct")
    assert(steps.contains("import outside.givens.Step.given"), steps)

  test("a key of a map is a compile error with the import"):
    val errors = compileErrors("(map: StructMap[Tick, Int], tick: Tick) => map.get(tick)")
    assert(errors.contains("import outside.givens.Tick.given"), errors)
end HiddenGivensTest
