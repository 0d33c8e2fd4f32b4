package outside.arrow

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.arrow.*
import undercroft.file.format.{ErrorKind, FileLayout, StructFile, StructFileException}
import undercroft.file.*
import undercroft.memory.*
import undercroft.struct.*

final case class Position(x: Double, floor: Short) derives Struct, CanEqual
final case class Parcel(
    id: Int,
    weight: Float,
    fragile: Boolean,
    color: VehicleColor,
    label: Text[30],
    at: Position,
    spare: Option[Position],
    sizes: InlineArray[InlineArray[Int, 3], 2],
    note: Option[Text[7]],
    count: Option[Long],
    code: Byte
) derives Struct, CanEqual

final case class LongNote(text: Text[1010]) derives Struct

/** Converts one file, in a process with a heap of its own. */
object ConvertFile:
  def main(args: Array[String]): Unit = convertArrow(Path.of(args(0)), Path.of(args(1)))

/** Struct files from Arrow files, without a class. */
class ConvertArrowTest extends undercroft.tools.RoundsSuite:

  private def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally
      Using.resource(Files.walk(folder)): paths =>
        paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  private def parcel(i: Int): Parcel = Parcel(
    i,
    i * 0.5f,
    i % 3 == 0,
    VehicleColor.fromOrdinal(i % 3),
    Text(s"parcel number ${i.toLong * i}"),
    Position(i / 7.0, (-i).toShort),
    Option.when(i % 2 == 0)(Position(-i, i.toShort)),
    InlineArray.tabulate[InlineArray[Int, 3], 2](j => InlineArray.tabulate[Int, 3](k => i + j * k)),
    Option.when(i % 5 != 0)(Text(s"n${i % 1000}")),
    Option.when(i % 7 != 0)(Long.MaxValue - i),
    i.toByte
  )

  private def parcels(file: Path, count: Int, batchRows: Int): Unit =
    Region.scoped(Rows.tabulate[Parcel](count)(i => parcel(i.toInt)).writeArrow(file, batchRows))

  private def names(folder: Path): Set[String] =
    Using.resource(Files.list(folder))(_.map(_.getFileName.toString).toList.toArray)
      .map(_.toString).toSet

  for layout <- FileLayout.values do
    test(s"rows of several batches become a file in the layout $layout that the class reads"):
      inFolder: folder =>
        val (arrow, copy) = (folder.resolve("p.arrow"), folder.resolve("p.rows"))
        parcels(arrow, 10_000, 3000)
        convertArrow(arrow, copy, layout, "Parcel")
        val file = StructFile.open(copy)
        assertEquals((file.rows, file.schema.layout, file.schema.name), (10_000L, layout, "Parcel"))
        file.verify(): Unit
        file.close()
        val rows = layout match
          case FileLayout.ALIGNED => Rows.openReadOnly[Parcel](copy)
          case FileLayout.PACKED  => PackedRows.openReadOnly[Parcel](copy)
          case FileLayout.COLUMNS => Columns.openReadOnly[Parcel](copy)
        try for i <- 0 until 10_000 do assertEquals(rows(i), parcel(i))
        finally rows.close()
        assert(names(folder) == Set("p.arrow", "p.rows"), names(folder))

  test("a file without rows becomes a file without rows"):
    inFolder: folder =>
      val (arrow, copy) = (folder.resolve("p.arrow"), folder.resolve("p.rows"))
      parcels(arrow, 0, 10)
      convertArrow(arrow, copy)
      val file = StructFile.open(copy)
      assertEquals((file.rows, file.schema.fields.size), (0L, 11))
      file.close()

  test("a file of many batches is converted in a heap that is smaller than its texts"):
    inFolder: folder =>
      val (arrow, copy) = (folder.resolve("p.arrow"), folder.resolve("p.rows"))
      val rows = 60_000
      Region.scoped:
        val notes = Rows.tabulate[LongNote](rows)(i => LongNote(Text("x" * 1000 + i)))
        notes.writeArrow(arrow, 1000)
      val command = Seq(
        "-Xmx32m",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        "outside.arrow.ConvertFile",
        arrow.toString,
        copy.toString
      )
      val process = undercroft.tools.ChildJvm.builder(command*).redirectErrorStream(true).start()
      val output = String(process.getInputStream.readAllBytes())
      assertEquals(process.waitFor(), 0, output)
      val file = StructFile.open(copy)
      assertEquals(file.rows, rows.toLong)
      file.close()

  test("a target that exists is refused and unchanged"):
    inFolder: folder =>
      val (arrow, copy) = (folder.resolve("p.arrow"), folder.resolve("p.rows"))
      parcels(arrow, 10, 10)
      Files.writeString(copy, "precious")
      val error = intercept[StructFileException](convertArrow(arrow, copy))
      assertEquals(error.kind, ErrorKind.EXISTS)
      assertEquals(Files.readString(copy), "precious")
      assertEquals(names(folder), Set("p.arrow", "p.rows"))

  test("a source that is missing, or is no Arrow file, is named, and there is no target"):
    inFolder: folder =>
      val (arrow, copy) = (folder.resolve("p.arrow"), folder.resolve("p.rows"))
      val missing = intercept[ArrowException](convertArrow(arrow, copy))
      assertEquals((missing.kind, missing.file), (ArrowErrorKind.NotFound, arrow))
      Files.writeString(arrow, "id,price\n1,2.5\n".repeat(10))
      assertEquals(
        intercept[ArrowException](convertArrow(arrow, copy)).kind,
        ArrowErrorKind.NotAnArrowFile
      )
      assertEquals(names(folder), Set("p.arrow"))

  testRounds("a cut or forged file is read, or is rejected with its offset and leaves no target")(
    80,
    400
  ): rounds =>
    inFolder: folder =>
      val (arrow, copy) = (folder.resolve("p.arrow"), folder.resolve("p.rows"))
      parcels(arrow, 60, 25)
      val sample = Files.readAllBytes(arrow)
      val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
      val random = scala.util.Random(seed)
      var rejected = 0
      for round <- 0 until rounds do
        val bytes =
          if round % 4 == 0 then sample.take(random.nextInt(sample.length)) else sample.clone
        if round % 4 != 0 then
          for _ <- 0 to random.nextInt(3) do
            bytes(random.nextInt(bytes.length)) = (random.nextInt(4) - 1).toByte
        Files.write(arrow, bytes)
        try
          convertArrow(arrow, copy)
          val file = StructFile.open(copy)
          assert(file.rows >= 0)
          file.close()
          Files.delete(copy)
        catch
          case error: ArrowException =>
            rejected += 1
            assert(error.getMessage.startsWith(s"$arrow: offset "), error.getMessage)
            assertEquals(names(folder), Set("p.arrow"), s"seed $seed, round $round")
          case error: Throwable => throw AssertionError(s"seed $seed, round $round", error)
      assert(rejected > rounds / 5, s"$rejected of $rounds were rejected; seed $seed")
end ConvertArrowTest
