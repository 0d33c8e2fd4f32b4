package outside.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path}
import java.time.LocalDate
import scala.compiletime.testing.typeCheckErrors
import scala.util.{Random, Using}
import undercroft.arrow.*
import undercroft.arrow.unsafe.*
import undercroft.memory.*
import undercroft.struct.*

enum Freight derives CanEqual:
  case Fragile, Heavy, Cold

enum Remark derives Struct, CanEqual:
  case Silent
  case Spoken(words: TextRef, code: Short)
  case Drawn(lines: RowsRef[Stop], ink: BytesRef)

final case class Stop(x: Int, y: Option[Double]) derives Struct, CanEqual
final case class Load(
    article: Long,
    freight: Freight,
    note: Option[Text[9]],
    day: LocalDate,
    sizes: InlineArray[Short, 3],
    corners: InlineArray[Stop, 2],
    isOpen: Boolean
) derives Struct, CanEqual

final case class Depot(street: TextRef, image: BytesRef) derives Struct, CanEqual
final case class Tour(
    id: Int,
    title: TextRef,
    comment: Option[TextRef],
    image: BytesRef,
    thumb: Option[BytesRef],
    loads: RowsRef[Load],
    spare: Option[RowsRef[Load]],
    numbers: RowsRef[Int],
    letters: RowsRef[Text[5]],
    freights: RowsRef[Freight],
    maybes: RowsRef[Option[Long]],
    days: RowsRef[LocalDate],
    flags: RowsRef[Boolean],
    grid: RowsRef[InlineArray[Int, 2]],
    pairs: RowsRef[(Int, Byte)],
    depot: Depot,
    depots: InlineArray[Depot, 2],
    names: InlineArray[TextRef, 2],
    remark: Remark,
    end: Byte
) derives Struct, CanEqual

final case class Memo(id: Int, text: TextRef) derives Struct, CanEqual
final case class MemoWithin(id: Int, text: Text[40]) derives Struct, CanEqual
final case class Blob(id: Int, bytes: BytesRef) derives Struct, CanEqual
final case class Route(id: Int, stops: RowsRef[Stop]) derives Struct, CanEqual
final case class RouteOfTwo(id: Int, stops: InlineArray[Stop, 2]) derives Struct, CanEqual
final case class Numbers(values: RowsRef[Int]) derives Struct, CanEqual
final case class WideNumbers(values: RowsRef[Long]) derives Struct, CanEqual
final case class Linked(next: Ref[Stop]) derives Struct
final case class LinkedRun(runs: RowsRef[Linked]) derives Struct

/** Texts, bytes and runs of structs of any length in Arrow's formats. */
class ArrowOutOfLineTest extends undercroft.tools.Suite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)

  private def string(random: Random): String =
    val alphabet = Vector("a", "b", "ż", "€", "𝕏", " ")
    Vector.fill(random.nextInt(4) * random.nextInt(8))(alphabet(random.nextInt(6))).mkString

  private def text(random: Random)(using Allocator): TextRef = TextRef(string(random))

  private def blob(random: Random)(using Allocator): BytesRef =
    val bytes = new Array[Byte](random.nextInt(3) * random.nextInt(30))
    random.nextBytes(bytes)
    BytesRef(bytes)

  private def length(random: Random): Int = random.nextInt(3) * random.nextInt(6)

  private def stop(random: Random): Stop =
    Stop(random.nextInt(), Option.when(random.nextBoolean())(random.nextInt(99) / 4.0))

  private def load(random: Random): Load = Load(
    random.nextLong(),
    Freight.fromOrdinal(random.nextInt(3)),
    Option.when(random.nextBoolean())(Text(s"ż${random.nextInt(1000)}")),
    LocalDate.ofEpochDay(random.nextInt(100_000)),
    InlineArray.tabulate[Short, 3](_ => random.nextInt().toShort),
    InlineArray.tabulate[Stop, 2](_ => stop(random)),
    random.nextBoolean()
  )

  private def depot(random: Random)(using Allocator): Depot = Depot(text(random), blob(random))

  private def loads(random: Random)(using Allocator): RowsRef[Load] =
    RowsRef.from(Vector.fill(length(random))(load(random)))

  private def tour(random: Random)(using Allocator): Tour = Tour(
    random.nextInt(),
    text(random),
    Option.when(random.nextBoolean())(text(random)),
    blob(random),
    Option.when(random.nextBoolean())(blob(random)),
    loads(random),
    Option.when(random.nextBoolean())(loads(random)),
    RowsRef.from(Vector.fill(length(random))(random.nextInt())),
    RowsRef.from(Vector.fill(length(random))(Text[5]("é" * random.nextInt(3)))),
    RowsRef.from(Vector.fill(length(random))(Freight.fromOrdinal(random.nextInt(3)))),
    RowsRef.from(Vector.fill(length(random))(Option.when(random.nextBoolean())(random.nextLong()))),
    RowsRef.from(Vector.fill(length(random))(LocalDate.ofEpochDay(random.nextInt(9999)))),
    RowsRef.from(Vector.fill(length(random))(random.nextBoolean())),
    RowsRef.from(Vector.fill(length(random))(InlineArray.fill[Int, 2](random.nextInt()))),
    RowsRef.from(Vector.fill(length(random))((random.nextInt(), random.nextInt().toByte))),
    depot(random),
    InlineArray.tabulate[Depot, 2](_ => depot(random)),
    InlineArray.tabulate[TextRef, 2](_ => text(random)),
    random.nextInt(3) match
      case 0 => Remark.Silent
      case 1 => Remark.Spoken(text(random), random.nextInt().toShort)
      case _ =>
        Remark.Drawn(RowsRef.from(Vector.fill(length(random))(stop(random))), blob(random))
    ,
    random.nextInt().toByte
  )

  private def tours(count: Int)(using Allocator): Vector[Tour] =
    val random = Random(seed)
    Vector.fill(count)(tour(random))

  private inline def check[L <: Layout](table: Table[Tour, L], expected: Vector[Tour]): Unit =
    assertEquals(table.toVector, expected, s"seed $seed")

  for rows <- Seq(0, 1, 9, 300) do
    test(s"$rows rows with values out of line are written and read in every layout, also as a stream"):
      inFolder: folder =>
        Region.scoped:
          val expected = tours(rows)
          val (a, b, c) = (folder.resolve("a"), folder.resolve("b"), folder.resolve("c"))
          Rows.from(expected).writeArrow(a, 7)
          PackedRows.from(expected).writeArrow(b, 64)
          Columns.from(expected).writeArrow(c)
          for file <- Seq(a, b, c) do
            check(Rows.readArrow[Tour](file), expected)
            check(PackedRows.readArrow[Tour](file), expected)
            check(Columns.readArrow[Tour](file), expected)
          val bytes = ByteArrayOutputStream()
          Rows.from(expected).writeArrowStream(bytes, 7)
          check(Columns.readArrowStream[Tour](ByteArrayInputStream(bytes.toByteArray)), expected)

  test("values out of line are exported, lent and imported by the C stream interface"):
    val arena = java.lang.foreign.Arena.ofConfined()
    try
      Region.scoped:
        val expected = tours(60)
        for batch <- Seq(7, 1000) do
          val stream = arena.allocate(40, 8)
          // The arrays have copies: the table's values are freed before they are read.
          Region.scoped(Rows.from(tours(60)).exportArrowStream(stream, batch))
          check(Columns.importArrowStream[Tour](stream), expected)
          val copy = Columns.from(expected)
            .withArrowStream(stream => Rows.importArrowStream[Tour](stream), batch)
          check(copy, expected)
    finally arena.close()

  test("the values that were read are freed with the region of the reading call"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped(Rows.from(tours(20)).writeArrow(file))
      val kept = Region.scoped:
        Rows.readArrow[Tour](file).iterator.map(_.title).find(_.nonEmpty).get
      val error = intercept[StaleReferenceException](kept.string)
      assert(error.getMessage.nonEmpty)
end ArrowOutOfLineTest
