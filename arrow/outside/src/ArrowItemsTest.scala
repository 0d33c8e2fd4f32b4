package outside.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path}
import java.time.LocalDate
import java.util.UUID
import scala.util.{Random, Using}
import undercroft.arrow.*
import undercroft.arrow.unsafe.*
import undercroft.file.*
import undercroft.file.format.{FileLayout, StructFile}
import undercroft.memory.*
import undercroft.struct.*

enum Grade derives CanEqual:
  case Fine, Coarse, Raw

enum Note derives Struct, CanEqual:
  case Plain
  case Signed(by: Text[6], code: Short)

final case class Spot(x: Int, y: Double) derives Struct, CanEqual
final case class Item(
    price: Long,
    grade: Grade,
    isOpen: Boolean,
    comment: Option[Text[9]],
    day: LocalDate,
    key: UUID,
    note: Note,
    sizes: InlineArray[Short, 3],
    spots: InlineArray[Spot, 2],
    spare: Option[Spot],
    @bigEndian count: Int,
    letter: Byte
) derives Struct, CanEqual
final case class Crate(
    id: Int,
    items: InlineArray[Item, 3],
    names: InlineArray[Text[7], 2],
    grid: InlineArray[InlineArray[Spot, 2], 3],
    spare: Option[InlineArray[Spot, 2]],
    end: Byte
) derives Struct, CanEqual

final case class Path2(points: InlineArray[Spot, 2]) derives Struct, CanEqual
final case class Path3(points: InlineArray[Spot, 3]) derives Struct, CanEqual
final case class Words(points: InlineArray[Text[4], 2]) derives Struct, CanEqual

/** Arrays of structs and texts as Arrow's lists. */
class ArrowItemsTest extends undercroft.tools.RoundsSuite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def spot(random: Random): Spot = Spot(random.nextInt(), random.nextInt(1000) / 8.0)

  private def item(random: Random): Item = Item(
    random.nextLong(),
    Grade.fromOrdinal(random.nextInt(3)),
    random.nextBoolean(),
    Option.when(random.nextBoolean())(Text(s"ż${random.nextInt(1000)}")),
    LocalDate.ofEpochDay(random.nextInt(100_000)),
    UUID(random.nextLong(), random.nextLong()),
    if random.nextBoolean() then Note.Plain
    else Note.Signed(Text(s"b${random.nextInt(99)}"), random.nextInt().toShort),
    InlineArray.tabulate[Short, 3](_ => random.nextInt().toShort),
    InlineArray.tabulate[Spot, 2](_ => spot(random)),
    Option.when(random.nextBoolean())(spot(random)),
    random.nextInt(),
    random.nextInt().toByte
  )

  private def crate(random: Random): Crate = Crate(
    random.nextInt(),
    InlineArray.tabulate[Item, 3](_ => item(random)),
    InlineArray.tabulate[Text[7], 2](_ => Text("ab" * random.nextInt(4))),
    InlineArray.tabulate[InlineArray[Spot, 2], 3](_ =>
      InlineArray.tabulate[Spot, 2](_ => spot(random))
    ),
    Option.when(random.nextBoolean())(InlineArray.tabulate[Spot, 2](_ => spot(random))),
    random.nextInt().toByte
  )

  private val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)

  private def crates(count: Int): Vector[Crate] =
    val random = Random(seed)
    Vector.fill(count)(crate(random))

  private inline def check[L <: Layout](table: Table[Crate, L], expected: Vector[Crate]): Unit =
    assertEquals(table.toVector, expected, s"seed $seed")

  for rows <- Seq(0, 1, 9, 500) do
    test(s"$rows rows of arrays of structs are written and read in every layout, also as a stream"):
      val expected = crates(rows)
      inFolder: folder =>
        Region.scoped:
          val (a, b, c) = (folder.resolve("a"), folder.resolve("b"), folder.resolve("c"))
          Rows.from(expected).writeArrow(a, 7)
          PackedRows.from(expected).writeArrow(b, 64)
          Columns.from(expected).writeArrow(c)
          for file <- Seq(a, b, c) do
            check(Rows.readArrow[Crate](file), expected)
            check(PackedRows.readArrow[Crate](file), expected)
            check(Columns.readArrow[Crate](file), expected)
          val bytes = ByteArrayOutputStream()
          Rows.from(expected).writeArrowStream(bytes, 7)
          check(
            Columns.readArrowStream[Crate](ByteArrayInputStream(bytes.toByteArray)),
            expected
          )

  test("arrays of structs are exported, lent and imported by the C stream interface"):
    val expected = crates(50)
    val arena = java.lang.foreign.Arena.ofConfined()
    try
      Region.scoped:
        for batch <- Seq(7, 1000) do
          val stream = arena.allocate(40, 8)
          Rows.from(expected).exportArrowStream(stream, batch)
          check(Columns.importArrowStream[Crate](stream), expected)
          val copy = Columns.from(expected)
            .withArrowStream(stream => Rows.importArrowStream[Crate](stream), batch)
          check(copy, expected)
    finally arena.close()

  for layout <- FileLayout.values do
    test(s"convertArrow stores lists of structs and texts as arrays in the layout $layout"):
      val expected = crates(200)
      inFolder: folder =>
        val (arrow, copy, again) =
          (folder.resolve("a.arrow"), folder.resolve("a.rows"), folder.resolve("b.arrow"))
        Region.scoped(Rows.from(expected.map(path2)).writeArrow(arrow, 64))
        convertArrow(arrow, copy, layout)
        val rows = layout match
          case FileLayout.ALIGNED => Rows.openReadOnly[Path2](copy)
          case FileLayout.PACKED  => PackedRows.openReadOnly[Path2](copy)
          case FileLayout.COLUMNS => Columns.openReadOnly[Path2](copy)
        try assertEquals(rows.toVector, expected.map(path2))
        finally rows.close()
        Files.delete(copy)
        Files.delete(arrow)
        Region.scoped(Rows.from(expected).writeArrow(arrow, 64))
        convertArrow(arrow, copy, layout)
        val nested = StructFile.open(copy)
        try nested.verify(): Unit
        finally nested.close()
        Files.delete(copy)
        Files.delete(arrow)
        Region.scoped(Rows.from(expected.map(words)).writeArrow(arrow, 64))
        convertArrow(arrow, copy, layout)
        val file = StructFile.open(copy)
        try file.writeArrow(again)
        finally file.close()
        Region.scoped:
          assertEquals(Rows.readArrow[Words](again).toVector, expected.map(words))
  end for

  private def path2(crate: Crate): Path2 = Path2(crate.grid(1))
  private def words(crate: Crate): Words =
    Words(InlineArray.tabulate[Text[4], 2](i => Text(crate.names(i).toString.take(4))))

  test("an array of another length, and a list of another type, are errors with both types"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        Rows.from(Vector(Path2(InlineArray.fill[Spot, 2](Spot(1, 2))))).writeArrow(file)
        for (read, words) <- Seq[(() => Any, String)](
            (() => Rows.readArrow[Path3](file)) ->
              "`points` must be list of 3 of struct, but is list of 2",
            (() => Rows.readArrow[Words](file)) ->
              "`points.item` must be text, but is struct"
          )
        do
          val error = intercept[ArrowException](read(): Unit)
          assertEquals(error.kind, ArrowErrorKind.WrongSchema)
          assert(error.getMessage.endsWith(words), error.getMessage)

  testRounds("a forged file with arrays of structs is read or rejected")(100, 1000): rounds =>
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped(Columns.from(crates(20)).writeArrow(file, 8))
      val sample = Files.readAllBytes(file)
      val random = Random(seed)
      var (read, refused) = (0, 0)
      for round <- 0 until rounds do
        val bytes = sample.clone
        for _ <- 0 to random.nextInt(3) do
          bytes(random.nextInt(bytes.length)) = (random.nextInt(4) - 1).toByte
        Files.write(file, bytes)
        try
          Region.scoped(Rows.readArrow[Crate](file).size)
          read += 1
        catch
          case error: ArrowException => refused += 1
          case error: Throwable      => throw AssertionError(s"seed $seed, round $round", error)
      assert(read > 0 && refused > 0, s"$read read, $refused refused, seed $seed")
end ArrowItemsTest
