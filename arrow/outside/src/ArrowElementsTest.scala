package outside.arrow

import java.nio.file.{Files, Path}
import java.time.*
import java.util.UUID
import scala.util.{Random, Using}
import undercroft.arrow.*
import undercroft.arrow.unsafe.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

object Routes:
  given Struct.StoredAs[BigDecimal, Long] = LogicalType.decimal(precision = 10, scale = 2)

  final case class Leg(days: InlineArray[Option[LocalDate], 2], grade: Option[Grade])
      derives Struct, CanEqual

  final case class Route(
      id: Int,
      days: InlineArray[LocalDate, 2],
      times: InlineArray[LocalTime, 2],
      moments: InlineArray[Instant, 2],
      lengths: InlineArray[Duration, 2],
      prices: InlineArray[BigDecimal, 2],
      keys: InlineArray[UUID, 2],
      grades: InlineArray[Grade, 3],
      grid: InlineArray[InlineArray[LocalDate, 2], 3],
      counts: InlineArray[Option[Int], 3],
      words: InlineArray[Option[Text[6]], 2],
      legs: InlineArray[Leg, 2],
      back: Option[InlineArray[Option[UUID], 2]]
  ) derives Struct, CanEqual

  final case class Days(days: InlineArray[LocalDate, 2]) derives Struct
  final case class Numbers(days: InlineArray[Int, 2]) derives Struct
  final case class Counts(counts: InlineArray[Option[Int], 2]) derives Struct
  final case class Required(counts: InlineArray[Int, 2]) derives Struct
end Routes

/** Arrays of dates, times, decimals, UUIDs, enums and Options as Arrow's lists. */
class ArrowElementsTest extends undercroft.tools.Suite:
  import Routes.{*, given}

  private val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
  private val random = Random(seed)

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def day(): LocalDate = LocalDate.ofEpochDay(random.nextInt(100_000) - 50_000)
  private def uuid(): UUID = UUID(random.nextLong(), random.nextLong())
  private def grade(): Grade = Grade.fromOrdinal(random.nextInt(3))
  private def option[A](value: => A): Option[A] = Option.when(random.nextBoolean())(value)

  private def route(i: Int): Route = Route(
    i,
    InlineArray.tabulate(_ => day()),
    InlineArray.tabulate(_ => LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L))),
    InlineArray.tabulate(_ => Instant.ofEpochSecond(random.nextInt(), random.nextInt(1000))),
    InlineArray.tabulate(_ => Duration.ofNanos(random.nextLong())),
    InlineArray.tabulate(_ => BigDecimal(random.nextInt(), 2)),
    InlineArray.tabulate(_ => uuid()),
    InlineArray.tabulate(_ => grade()),
    InlineArray.tabulate(_ => InlineArray.tabulate(_ => day())),
    InlineArray.tabulate(_ => option(random.nextInt())),
    InlineArray.tabulate(_ => option(Text[6]("ab" * random.nextInt(4)))),
    InlineArray.tabulate(_ => Leg(InlineArray.tabulate(_ => option(day())), option(grade()))),
    option(InlineArray.tabulate(_ => option(uuid())))
  )

  test("arrays of every kind of element are written and read in every layout, and exchanged"):
    val expected = Vector.tabulate(300)(route)
    inFolder: folder =>
      Region.scoped:
        val (a, b, c) = (folder.resolve("a"), folder.resolve("b"), folder.resolve("c"))
        Rows.from(expected).writeArrow(a, 7)
        PackedRows.from(expected).writeArrow(b, 64)
        Columns.from(expected).writeArrow(c)
        for file <- Seq(a, b, c) do
          assertEquals(Rows.readArrow[Route](file).toVector, expected, s"seed $seed")
          assertEquals(PackedRows.readArrow[Route](file).toVector, expected, s"seed $seed")
          assertEquals(Columns.readArrow[Route](file).toVector, expected, s"seed $seed")
        val copy = Columns.from(expected)
          .withArrowStream(stream => Rows.importArrowStream[Route](stream), 50)
        assertEquals(copy.toVector, expected, s"seed $seed")

  test("numbers are not read as dates, nor nulls as numbers"):
    inFolder: folder =>
      val file = folder.resolve("a")
      Region.scoped:
        Rows.from(Vector(Numbers(InlineArray(1, 2)))).writeArrow(file)
        val error = intercept[ArrowException](Rows.readArrow[Days](file).size)
        assert(
          error.getMessage.endsWith("`days.item` must be a date, but is int32"),
          error.getMessage
        )
        val counts = folder.resolve("b")
        val rows = Vector(Counts(InlineArray(Some(1), Some(2))), Counts(InlineArray(Some(1), None)))
        Rows.from(rows).writeArrow(counts)
        val isNull = intercept[ArrowException](Rows.readArrow[Required](counts).size)
        assert(
          isNull.getMessage.endsWith("row 1 of `counts` has an element that is null"),
          isNull.getMessage
        )
end ArrowElementsTest
