package outside.compression.arrow

import com.google.flatbuffers.FlatBufferBuilder
import java.nio.file.{Files, Path}
import java.nio.{ByteBuffer, ByteOrder}
import org.apache.arrow.flatbuf.{Endianness, Message, MessageHeader, MetadataVersion, Schema}
import undercroft.arrow.*
import undercroft.file.*
import undercroft.file.format.StructFile
import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.Python

case class Ends(id: Int, last: Long) derives Struct, CanEqual
case class Spelled(x: Option[Text[8]]) derives Struct, CanEqual
enum Letter derives CanEqual:
  case p

case class Listed(x: Option[Letter]) derives Struct
case class SpelledRef(x: Option[TextRef]) derives Struct
case class Day(x: java.time.LocalDate) derives Struct

/** Files with a column of each kind that pyarrow has: they are read, or refused by their name. */
class KindsTest extends undercroft.tools.Suite:
  private val folder = Files.createTempDirectory("undercroft-kinds")

  override def afterAll(): Unit =
    val files = Files.list(folder)
    try files.forEach(Files.delete(_))
    finally files.close()
    Files.delete(folder)

  /** The word that names each kind that is not stored. */
  private lazy val kinds: Map[String, Option[String]] =
    val words = ujson.read(Python.run(sys.env("UNDERCROFT_KINDS"), folder.toString)).obj
    words.iterator.map((kind, word) => kind -> word.strOpt).toMap

  private def files: Seq[Path] =
    assert(kinds.size > 40)
    val listed = Files.list(folder)
    try listed.toArray(new Array[Path](_)).toSeq.filter(_.toString.contains(".arrow")).sorted
    finally listed.close()

  private def kind(file: Path): String = file.getFileName.toString.takeWhile(_ != '.')

  private val ends = Vector(Ends(0, 0), Ends(1, 10), Ends(2, 20))

  test("a column of any kind is ignored if the class does not have it"):
    for file <- files do
      Region.scoped:
        assertEquals(Columns.readArrow[Ends](file).toVector, ends, file)

  test("convertArrow stores a column of each kind, or names the column and the kind"):
    var refused = Set[String]()
    for file <- files do
      val copy = folder.resolve("copy")
      try
        convertArrow(file, copy)
        assertEquals(kinds(kind(file)), None, file)
        val stored = StructFile.open(copy)
        try assertEquals(stored.rows, 3L, file)
        finally stored.close()
        Files.delete(copy)
      catch
        case error: ArrowException =>
          val word = kinds(kind(file)).getOrElse(throw error)
          assert(error.getMessage.contains(word) && error.getMessage.contains("`x"), error)
          assert(Files.notExists(copy))
          refused += kind(file)
      convertArrow(file, copy, columns = Seq("last", "id"))
      val others = Columns.openReadOnly[Ends](copy)
      try assertEquals(others.toVector, ends, file)
      finally others.close()
      Files.delete(copy)
    end for
    assertEquals(refused, kinds.collect { case (kind, Some(_)) => kind }.toSet)

  test("a null in a dictionary is None"):
    for end <- Seq("arrow", "arrows") do
      val file = folder.resolve(s"dictionary-null.4.$end")
      assert(files.contains(file))
      Region.scoped:
        val expected = Vector(Some("p"), None, None)
        assertEquals(Rows.readArrow[Spelled](file).toVector.map(_.x.map(_.toString)), expected)
        assertEquals(Rows.readArrow[SpelledRef](file).toVector.map(_.x.map(_.toString)), expected)
      val copy = folder.resolve("copy")
      convertArrow(file, copy, columns = Seq("x"))
      val texts = Columns.openReadOnly[Listed](copy)
      try assertEquals(texts.toVector.map(_.x), Vector(Some(Letter.p), None, None))
      finally texts.close()
      Files.delete(copy)

  test("files of rows without any byte are read up to a limit, and refused by their kind"):
    val code =
      s"""import pyarrow as pa
         |runs = pa.RunEndEncodedArray.from_arrays(pa.array([1000000], pa.int32()), pa.array([5]))
         |nulls = pa.nulls(1000000)
         |for name, column in {"nulls": nulls, "runs": runs, "many": pa.nulls(20000000)}.items():
         |    table = pa.table({"x": column})
         |    with pa.ipc.new_file("$folder/%s.arrow" % name, table.schema) as file:
         |        file.write_table(table, max_chunksize=1 << 30)
         |""".stripMargin
    Python.runCode(code): Unit
    def path(name: String) = folder.resolve(s"$name.arrow")
    def refused(name: String): String =
      intercept[ArrowException](convertArrow(path(name), folder.resolve("copy"))).getMessage
    Region.scoped:
      val nulls = Columns.readArrow[Spelled](path("nulls"))
      assertEquals((nulls.size, nulls.count(_.x.isEmpty)), (1_000_000L, 1_000_000L))
    assert(refused("runs").contains("`x` is of the type run-end encoded"), refused("runs"))
    assert(refused("many").contains("of null must have at most 16777216 rows, but has 20000000"))
    for name <- Seq("nulls", "runs", "many") do Files.delete(path(name))

  test("a date64 with a time of day is refused with its cure"):
    val file = folder.resolve("date.arrow")
    val code =
      s"""import pyarrow as pa
         |table = pa.table({"x": pa.array([0, 86400000, 3600000]).view(pa.date64())})
         |with pa.ipc.new_file("$file", table.schema) as to: to.write_table(table)
         |""".stripMargin
    Python.runCode(code): Unit
    for read <- Seq(
        () => convertArrow(file, folder.resolve("copy")),
        () => Region.scoped(Rows.readArrow[Day](file).size)
      )
    do
      val message = intercept[ArrowException](read(): Unit).getMessage
      assert(message.contains("row 2 of `x` is 3600000 ms of a date64, which must be a whole"))
      assert(message.contains(": write a time of day in it as a timestamp"), message)
    Files.delete(file)

  test("a big-endian file is refused as such"):
    val builder = FlatBufferBuilder()
    val fields = Schema.createFieldsVector(builder, Array())
    val schema = Schema.createSchema(builder, Endianness.Big, fields, 0, 0)
    val message =
      Message.createMessage(builder, MetadataVersion.V5, MessageHeader.Schema, schema, 0, 0)
    builder.finish(message)
    val content = builder.sizedByteArray
    val size = Math.ceilDiv(content.length, 8) * 8
    val stream = ByteBuffer.allocate(8 + size).order(ByteOrder.LITTLE_ENDIAN)
    stream.putInt(-1).putInt(size).put(content)
    val file = folder.resolve("big.arrow")
    Files.write(file, stream.array)
    val error = intercept[ArrowException](convertArrow(file, folder.resolve("copy")))
    assertEquals(error.kind, ArrowErrorKind.Unsupported)
    assert(error.getMessage.contains("its numbers are big-endian"), error)
    Files.delete(file)
end KindsTest
