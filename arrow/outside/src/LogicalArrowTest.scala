package outside.arrow

import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}
import java.time.*
import java.util.UUID
import undercroft.arrow.*
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*
import undercroft.struct.LogicalType.TimeUnit

object NanoStays:
  case class Stay(id: UUID, from: LocalDate, until: Option[LocalDate], booked: Instant)
      derives Struct
object MilliStays:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Millis)
  case class Stay(id: UUID, from: LocalDate, booked: Instant) derives Struct
object PlainStays:
  case class Stay(from: Int) derives Struct
object LocalStays:
  case class Stay(booked: LocalDateTime) derives Struct
object SecondStays:
  given Struct.StoredAs[Instant, Long] = LogicalType.instant(TimeUnit.Seconds)
  given Struct.StoredAs[LocalDateTime, Long] = LogicalType.localDateTime(TimeUnit.Seconds)
  case class Stay(at: Instant) derives Struct
  case class Local(at: LocalDateTime) derives Struct
object TimeStays:
  case class Stay(at: LocalTime) derives Struct

/** Tables with dates, times and UUIDs in Arrow files, read by classes with other units. */
class LogicalArrowTest extends undercroft.tools.Suite:

  private def inFile[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    val path = folder.resolve("stays.arrow")
    try body(path)
    finally
      Files.deleteIfExists(path)
      Files.delete(folder)

  private def stay(booked: Instant): NanoStays.Stay =
    NanoStays.Stay(UUID(1, -2), LocalDate.of(1969, 12, 31), None, booked)

  private def write(path: Path, stay: NanoStays.Stay): Unit =
    Region.scoped(Columns.from(List(stay)).writeArrow(path))

  test("an Arrow file of nanoseconds is read by a class of milliseconds if no digits are lost"):
    import MilliStays.given
    inFile: path =>
      val booked = Instant.parse("2026-11-25T10:00:00.123Z")
      write(path, stay(booked))
      Region.scoped:
        val read = Rows.readArrow[MilliStays.Stay](path)
        assertEquals(read(0), MilliStays.Stay(UUID(1, -2), LocalDate.of(1969, 12, 31), booked))
    inFile: path =>
      write(path, stay(Instant.ofEpochSecond(0, 1)))
      val error = intercept[ArrowException](Region.scoped(Rows.readArrow[MilliStays.Stay](path)))
      assert(error.getMessage.contains("row 0 of `booked` is 1"), error.getMessage)

  test("a date is not read as a number, nor a moment as a local time"):
    inFile: path =>
      Region.scoped(Rows.from(List(stay(Instant.EPOCH))).writeArrow(path))
      val date = intercept[ArrowException](Region.scoped(Rows.readArrow[PlainStays.Stay](path)))
      assert(date.getMessage.contains("`from` must be int32, but is date"), date.getMessage)
      val moment = intercept[ArrowException](Region.scoped(Rows.readArrow[LocalStays.Stay](path)))
      val words = "`booked` must be a local timestamp in nanoseconds, but is timestamp"
      assert(moment.getMessage.contains(words), moment.getMessage)

  test("a time outside the day is an error with its row"):
    def little(number: Long): Vector[Byte] =
      ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array.toVector
    inFile: path =>
      val times = Vector(LocalTime.MIDNIGHT, LocalTime.of(12, 34, 56, 789)).map(TimeStays.Stay(_))
      Region.scoped(Columns.from(times).writeArrow(path))
      val bytes = Files.readAllBytes(path).toVector
      val stored = little(times(1).at.toNanoOfDay)
      assertEquals(bytes.sliding(8).count(_ == stored), 1)
      def forge(time: Long): Unit =
        Files.write(path, bytes.patch(bytes.indexOfSlice(stored), little(time), 8).toArray): Unit
      for time <- Seq(86_400_000_000_000L, -1L, Long.MaxValue, Long.MinValue) do
        forge(time)
        val error = intercept[ArrowException](Region.scoped(Rows.readArrow[TimeStays.Stay](path)))
        assertEquals(error.kind, ArrowErrorKind.WrongValue)
        assert(error.getMessage.contains(s"row 1 of `at` is $time"), error.getMessage)
        assert(error.getMessage.endsWith("from 0 to 86399999999999"), error.getMessage)
      forge(86_399_999_999_999L)
      Region.scoped:
        val read = Rows.readArrow[TimeStays.Stay](path)
        assertEquals(read.toVector.map(_.at), Vector(LocalTime.MIDNIGHT, LocalTime.MAX))

  /** Replaces the only Long in a file that is `stored`. */
  private def forge(path: Path, stored: Long, number: Long): Unit =
    def little(number: Long): Vector[Byte] =
      ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array.toVector
    val bytes = Files.readAllBytes(path).toVector
    assertEquals(bytes.sliding(8).count(_ == little(stored)), 1)
    val at = bytes.indexOfSlice(little(stored))
    Files.write(path, bytes.patch(at, little(number), 8).toArray): Unit

  private val someSecond = 0x7654_3210L

  test("a moment in seconds that an Instant cannot have is an error with its row"):
    import SecondStays.given
    inFile: path =>
      val moments = Vector(Instant.EPOCH, Instant.ofEpochSecond(someSecond))
      Region.scoped(Columns.from(moments.map(SecondStays.Stay(_))).writeArrow(path))
      var stored = someSecond
      val (least, most) = (Instant.MIN.getEpochSecond, Instant.MAX.getEpochSecond)
      for second <- Seq(least - 1, most + 1, Long.MaxValue) do
        forge(path, stored, second)
        stored = second
        val error = intercept[ArrowException](Region.scoped(Rows.readArrow[SecondStays.Stay](path)))
        assertEquals(error.kind, ArrowErrorKind.WrongValue)
        assert(error.getMessage.contains(s"row 1 of `at` is $second"), error.getMessage)
        assert(error.getMessage.endsWith(s"from $least to $most"), error.getMessage)
      for second <- Seq(least, most) do
        forge(path, stored, second)
        stored = second
        Region.scoped:
          val read = Rows.readArrow[SecondStays.Stay](path)
          assertEquals(read(1).at, Instant.ofEpochSecond(second))

  test("a time in seconds that a LocalDateTime cannot have is an error with its row"):
    import SecondStays.given
    inFile: path =>
      val times = Vector(0L, someSecond).map(LocalDateTime.ofEpochSecond(_, 0, ZoneOffset.UTC))
      Region.scoped(Columns.from(times.map(SecondStays.Local(_))).writeArrow(path))
      val most = LocalDateTime.MAX.toEpochSecond(ZoneOffset.UTC)
      forge(path, someSecond, most + 1)
      val error = intercept[ArrowException](Region.scoped(Rows.readArrow[SecondStays.Local](path)))
      assert(error.getMessage.contains(s"row 1 of `at` is ${most + 1}"), error.getMessage)
      forge(path, most + 1, most)
      Region.scoped:
        val read = Rows.readArrow[SecondStays.Local](path)
        assertEquals(read(1).at, LocalDateTime.MAX.withNano(0))

  test("dates and moments that are rows themselves are written and read"):
    inFile: path =>
      val days = Vector(LocalDate.EPOCH, LocalDate.of(-4, 2, 29))
      Region.scoped(PackedRows.from(days).writeArrow(path))
      Region.scoped(assertEquals(Columns.readArrow[LocalDate](path).toVector, days))
end LogicalArrowTest
