package outside.arrow

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path}
import java.time.LocalDate
import java.util.UUID
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

enum Beacon derives Struct, CanEqual:
  case Quiet
  case Beep(level: Int, note: Option[Text[4]])

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
    beacons: RowsRef[Beacon],
    keys: RowsRef[UUID],
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
class ArrowOutOfLineTest extends undercroft.tools.RoundsSuite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def fresh(file: Path): Path =
    Files.deleteIfExists(file)
    file

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

  private def beacon(random: Random): Beacon =
    if random.nextBoolean() then Beacon.Quiet
    else Beacon.Beep(random.nextInt(), Option.when(random.nextBoolean())(Text("é")))

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
    RowsRef.from(Vector.fill(length(random))(beacon(random))),
    RowsRef.from(Vector.fill(length(random))(UUID(random.nextLong(), random.nextLong()))),
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

  for rows <- Seq(0, 1, 9, 120) do
    test(
      s"$rows rows with values out of line are written and read in every layout, also as a stream"
    ):
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

  test("values longer than a page, a read buffer and a chunk of rows keep their bytes"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        val random = Random(seed)
        val bytes = new Array[Byte](3_000_000)
        random.nextBytes(bytes)
        val blobs = Vector.tabulate(5000): i =>
          Blob(i, BytesRef(if i == 4200 then bytes else bytes.slice(i, i + i % 40)))
        val memos = Vector.tabulate(5000): i =>
          Memo(i, TextRef(if i % 1000 == 7 then "äb" * 100_000 else s"memo $i"))
        val routes = Vector.tabulate(5000): i =>
          val count = if i == 4097 then 10_000 else i % 4
          Route(i, RowsRef.from(Vector.tabulate(count)(k => Stop(k, Option.when(k % 3 > 0)(i)))))
        Rows.from(blobs).writeArrow(fresh(file))
        assert(Columns.readArrow[Blob](file).toVector == blobs, s"seed $seed")
        Columns.from(memos).writeArrow(fresh(file))
        assert(Rows.readArrow[Memo](file).toVector == memos)
        PackedRows.from(routes).writeArrow(fresh(file), 4500)
        assert(Columns.readArrow[Route](file).toVector == routes)

  test("a field out of line reads fixed sizes and dictionaries, and is read as a fixed size"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        Rows.tabulate[MemoWithin](
          20
        )(i => MemoWithin(i.toInt, Text(s"memo $i"))).writeArrow(fresh(file))
        val memos = Vector.tabulate(20)(i => Memo(i, TextRef(s"memo $i")))
        assertEquals(Rows.readArrow[Memo](file).toVector, memos)
        Rows.from(memos).writeArrow(fresh(file))
        assertEquals(Rows.readArrow[MemoWithin](file)(7), MemoWithin(7, Text("memo 7")))

        def two(i: Int) = Vector(Stop(i, None), Stop(-i, Some(i)))
        val routes = Vector.tabulate(20)(i => Route(i, RowsRef.from(two(i))))
        Rows.tabulate[RouteOfTwo](20)(i =>
          RouteOfTwo(i.toInt, InlineArray.tabulate[Stop, 2](k => two(i.toInt)(k)))
        )
          .writeArrow(fresh(file))
        assertEquals(Rows.readArrow[Route](file).toVector, routes)
        Rows.from(routes).writeArrow(fresh(file))
        assertEquals(
          Rows.readArrow[RouteOfTwo](file)(7),
          RouteOfTwo(7, InlineArray(two(7)(0), two(7)(1)))
        )

        Rows.from(Vector(Numbers(RowsRef(-1, 2)), Numbers(RowsRef.empty))).writeArrow(fresh(file))
        assertEquals(
          Rows.readArrow[WideNumbers](file).toVector,
          Vector(WideNumbers(RowsRef(-1L, 2L)), WideNumbers(RowsRef.empty))
        )

        Rows.tabulate[(Int, Freight)](300)(i => (i.toInt, Freight.fromOrdinal((i % 3).toInt)))
          .writeArrow(fresh(file), 100)
        val freights = Columns.readArrow[(Int, TextRef)](file)
        for i <- 0 until 300 do
          assertEquals(freights(i)._2.string, Freight.fromOrdinal(i % 3).toString)

  test("a value read by Malloc has a block, which the program frees"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        Rows.from(Vector("ab", "", "abc").zipWithIndex.map((word, i) => Memo(i, TextRef(word))))
          .writeArrow(fresh(file))
      val memos = Rows.readArrow[Memo](file)(using Malloc)
      val texts = memos.toVector.map(_.text)
      assertEquals(texts.map(_.string), Vector("ab", "", "abc"))
      Malloc.free(TextRef.address(texts(0)))
      assertEquals(texts(2).string, "abc")
      Malloc.free(TextRef.address(texts(2)))
      intercept[StaleReferenceException](texts(0).string)
      intercept[StaleReferenceException](texts(2).string)

  test("a read by Malloc that fails frees the values that it copied"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        val texts = Vector("x" * 1_000_000, "QQQQ")
        Rows.from(texts.map(text => Memo(1, TextRef(text)))).writeArrow(fresh(file))
      forgedText(file, 0)
      def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
      val before = live
      for _ <- 0 until 50 do
        intercept[ArrowException](Rows.readArrow[Memo](file)(using Malloc)): Unit
      assert(live - before < 10_000_000, s"$live bytes, $before before")

  test("a read by Malloc that fails frees its table"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        val memos = Rows.tabulate[Memo](100_000)(i => Memo(i.toInt, TextRef.empty))
        memos(99_999) = Memo(1, TextRef("QQQQ"))
        memos.writeArrow(fresh(file))
      forgedText(file, -1)
      def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
      val before = live
      for _ <- 0 until 10 do
        intercept[ArrowException](Rows.readArrow[Memo](file)(using Malloc)): Unit
      assert(live - before < 1_000_000, s"$live bytes, $before before")

  test("a region's limit holds for the values that are read"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped(Rows.from(Vector(Memo(1, TextRef("x" * 4_000_000)))).writeArrow(fresh(file)))
      val error = intercept[MemoryLimitException]:
        Region.named("small", limitBytes = 1 << 20)(Rows.readArrow[Memo](file).size)
      assert(error.getMessage.contains("small"), error.getMessage)

  test("a value of a closed region is an error, and no file appears"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        val memos = Rows[Memo](3)
        val blobs = Rows[Blob](3)
        val routes = Rows[Route](3)
        Region.scoped:
          memos(1) = Memo(1, TextRef("freed"))
          blobs(1) = Blob(1, BytesRef(Array[Byte](1, 2)))
          routes(1) = Route(1, RowsRef(Stop(1, None)))
        val writes = Seq[Path => Unit](
          memos.writeArrow(_),
          memos.writeArrow(_, 1),
          blobs.writeArrow(_),
          blobs.writeArrow(_, 1),
          routes.writeArrow(_),
          routes.writeArrow(_, 1)
        )
        for write <- writes do
          intercept[StaleReferenceException](write(file)): Unit
          Using.resource(Files.list(folder))(files => assertEquals(files.count, 0L))

  test("another type of a field is an error with both types"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      final case class Bytes1(text: BytesRef) derives Struct
      final case class Runs1(text: RowsRef[Int]) derives Struct
      final case class Texts1(values: TextRef) derives Struct
      final case class Doubles(values: RowsRef[Double]) derives Struct
      final case class Stops(values: RowsRef[Stop]) derives Struct
      def failure(body: => Any): String =
        val error = intercept[ArrowException](body: Unit)
        assertEquals(error.kind, ArrowErrorKind.WrongSchema)
        error.getMessage.split(": ").last
      Region.scoped:
        Rows.from(Vector(Memo(1, TextRef("a")))).writeArrow(fresh(file))
        assertEquals(
          failure(Rows.readArrow[Bytes1](file)),
          "`text` must be binary, but is text"
        )
        assertEquals(
          failure(Rows.readArrow[Runs1](file)),
          "`text` must be list of int32, but is text"
        )
        Rows.from(Vector(Numbers(RowsRef(1)))).writeArrow(fresh(file))
        assertEquals(failure(Rows.readArrow[Texts1](file)), "`values` must be text, but is list")
        assertEquals(
          failure(Rows.readArrow[Doubles](file)),
          "`values.item` must be float64, but is int32"
        )
        assertEquals(
          failure(Rows.readArrow[Stops](file)),
          "`values.item` must be struct, but is int32"
        )

  test("a null of a field that is no Option, and of an element, names its row"):
    final case class Perhaps(id: Int, text: Option[TextRef]) derives Struct
    final case class PerhapsNumbers(values: RowsRef[Option[Int]]) derives Struct
    def failure(body: => Any): String =
      val error = intercept[ArrowException](body: Unit)
      assertEquals(error.kind, ArrowErrorKind.WrongValue)
      error.getMessage.split(": ").last
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        Rows.tabulate[Perhaps](9)(i => Perhaps(i.toInt, Option.when(i != 4)(TextRef("a"))))
          .writeArrow(fresh(file))
        assertEquals(
          failure(Rows.readArrow[Memo](file)),
          "`text` is null in row 4, but its field is not an Option"
        )
        val runs = Vector(
          RowsRef[Option[Int]](Some(1)),
          RowsRef.empty[Option[Int]],
          RowsRef[
            Option[Int]
          ](Some(1), Some(2), None)
        )
        Rows.from(runs.map(PerhapsNumbers(_))).writeArrow(fresh(file))
        assertEquals(
          failure(Rows.readArrow[Numbers](file)),
          "`values.item` is null in row 2, element 2, but its field is not an Option"
        )

  /** The bytes of a file with one occurrence of some Ints replaced. */
  private def forged(file: Path, ints: Seq[Int], index: Int, value: Int): Unit =
    val bytes = java.nio.ByteBuffer.wrap(Files.readAllBytes(file))
      .order(java.nio.ByteOrder.LITTLE_ENDIAN)
    val places = (0 to bytes.limit - 4 * ints.size by 4)
      .filter(at => ints.indices.forall(i => bytes.getInt(at + 4 * i) == ints(i)))
    assertEquals(places.size, 1)
    bytes.putInt(places.head + 4 * index, value)
    Files.write(file, bytes.array): Unit

  test("forged offsets of texts and lists are errors with the range and the limit"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      def failure(body: => Any): String =
        val error = intercept[ArrowException](body: Unit)
        assertEquals(error.kind, ArrowErrorKind.Corrupt)
        error.getMessage.split(": ").last
      Region.scoped:
        val memos = Rows.from(Vector("abcde", "ghijkl", "mno").map(text => Memo(1, TextRef(text))))
        for (index, value, range) <- Seq(
            (0, -1, "[-1, 5)"),
            (1, -5, "[0, -5)"),
            (1, 12, "[12, 11)"),
            (2, 4, "[5, 4)"),
            (3, 15, "[11, 15)"),
            (3, Int.MaxValue, s"[11, ${Int.MaxValue})")
          )
        do
          memos.writeArrow(fresh(file))
          forged(file, Seq(0, 5, 11, 14), index, value)
          assertEquals(
            failure(Rows.readArrow[Memo](file)),
            s"a value of `text` at $range is outside its 14 bytes"
          )
        val numbers = Rows.from(Vector(RowsRef(7), RowsRef(8, 9), RowsRef(1)).map(Numbers(_)))
        for (index, value, range) <- Seq(
            (0, -1, "[-1, 1)"),
            (1, 4, "[4, 3)"),
            (2, 0, "[1, 0)"),
            (3, 5, "[3, 5)")
          )
        do
          numbers.writeArrow(fresh(file))
          forged(file, Seq(0, 1, 3, 4), index, value)
          assertEquals(
            failure(Rows.readArrow[Numbers](file)),
            s"a list of `values` at $range is outside its 4 elements"
          )
        end for

  test("text that is not UTF-8, or contains a NUL, names its row"):
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped:
        val memos =
          Rows.from(Vector("abcdefghi", "ħłQQQQk", "z").map(text => Memo(1, TextRef(text))))
        def failure(bytes: Int): String =
          memos.writeArrow(fresh(file))
          forgedText(file, bytes)
          val error = intercept[ArrowException](Rows.readArrow[Memo](file))
          assertEquals(error.kind, ArrowErrorKind.WrongValue)
          error.getMessage.split(": ").last
        assertEquals(failure(0xffffffff), "row 1 of `text` is not UTF-8")
        assertEquals(failure(0x61a0edab), "row 1 of `text` is not UTF-8") // begins in a sequence
        assertEquals(failure(0x80a0ed61), "row 1 of `text` is not UTF-8") // half a surrogate pair
        assertEquals(failure(0x8180c061), "row 1 of `text` is not UTF-8") // longer than necessary
        assertEquals(failure(0x61006161), "row 1 of `text` contains a NUL")

  private def forgedText(file: Path, value: Int): Unit =
    val bytes = java.nio.ByteBuffer.wrap(Files.readAllBytes(file))
      .order(java.nio.ByteOrder.LITTLE_ENDIAN)
    val places = (0 until bytes.limit - 4).filter(at => bytes.getInt(at) == 0x51515151)
    assertEquals(places.size, 1)
    bytes.putInt(places.head, value)
    Files.write(file, bytes.array): Unit

  testRounds("a forged file with values out of line is read or rejected")(60, 300): rounds =>
    inFolder: folder =>
      val file = folder.resolve("a.arrow")
      Region.scoped(Columns.from(tours(20)).writeArrow(fresh(file), 8))
      val sample = Files.readAllBytes(file)
      val random = Random(seed)
      var (read, refused) = (0, 0)
      for round <- 0 until rounds do
        val bytes = sample.clone
        for _ <- 0 to random.nextInt(3) do
          bytes(random.nextInt(bytes.length)) = (random.nextInt(4) - 1).toByte
        Files.write(file, bytes)
        try
          // The limit is far above the values of the file, and far below forged sizes.
          Region.named("forged", limitBytes = 1L << 30):
            for tour <- Rows.readArrow[Tour](file).iterator do assert(tour.hashCode <= Int.MaxValue)
          read += 1
        catch
          case _: ArrowException => refused += 1
          case error: Throwable  => throw AssertionError(s"seed $seed, round $round", error)
      assert(read > 0 && refused > 0, s"$read read, $refused refused, seed $seed")

  test("references, runs of references, and fields out of line in struct files do not compile"):
    inline def message(inline code: String): String =
      typeCheckErrors(code).map(_.message).mkString("\n")
    val linked = message("""(table: Rows[Linked], file: Path) => table.writeArrow(file)""")
    assert(
      linked.contains("Linked cannot be in a file: `next` is a Reference, which refers to this " +
        "process's memory; keep a key or an index in its place"),
      linked
    )
    val run =
      message("""(file: Path, region: Region) => Rows.readArrow[LinkedRun](file)(using region)""")
    assert(run.contains("LinkedRun cannot be in a file: `runs.next` is a Reference"), run)
    import undercroft.file.*
    val memo = message("""(file: Path) => Rows.create[Memo](file)""")
    assert(memo.contains("Memo cannot be in a file: `text` is a TextRef"), memo)
end ArrowOutOfLineTest
