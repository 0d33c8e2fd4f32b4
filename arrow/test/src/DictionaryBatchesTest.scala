package undercroft.arrow

import com.google.flatbuffers.FlatBufferBuilder
import internal.io.{ArrowFormat, ArrowOutput, FileInput}
import internal.ipc.BatchPlan
import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.file.{Files, Path}
import org.apache.arrow.flatbuf.{
  Buffer,
  DictionaryBatch,
  FieldNode,
  Message,
  MessageHeader,
  MetadataVersion,
  RecordBatch
}
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*

enum Tide derives CanEqual:
  case Low, Mid, High

final case class Gauge(id: Long, tide: Option[Tide]) derives Struct, CanEqual
final case class GaugeText(id: Long, tide: Option[Text[4]]) derives Struct, CanEqual

/** Dictionary batches that append to a dictionary or replace it. */
class DictionaryBatchesTest extends undercroft.tools.Suite:

  /** The messages of a stream without its end marker. */
  private def messages(stream: Array[Byte]): Vector[Array[Byte]] =
    val content = FileInput.numbers(stream)
    var at = 0
    val parts = Vector.newBuilder[Array[Byte]]
    while content.getInt(at + 4) != 0 do
      val length = content.getInt(at + 4)
      val body = Message.getRootAsMessage(
        java.nio.ByteBuffer.wrap(stream, at + 8, length).nn.slice()
      ).bodyLength.toInt
      parts += stream.slice(at, at + 8 + length + body)
      at += 8 + length + body
    parts.result()

  /** The schema and the record batch of rows whose tides are these case numbers; -1 is a null. */
  private def rows(tides: Int*): (Array[Byte], Array[Byte]) =
    val bytes = ByteArrayOutputStream()
    Region.scoped:
      Columns.tabulate[Gauge](tides.size): i =>
        val tide = tides(i.toInt)
        Gauge(i, Option.when(tide >= 0)(Tide.fromOrdinal(tide)))
      .writeArrowStream(bytes)
    val Vector(schema, _, batch) = messages(bytes.toByteArray.nn): @unchecked
    (schema, batch)

  private def schema: Array[Byte] = rows(0)._1

  /** A dictionary batch of strings. */
  private def dictionary(isDelta: Boolean, values: String*): Array[Byte] =
    val plan = BatchPlan.of(values.toVector)
    val starts = plan.parts.scanLeft(0L)((at, part) => at + ArrowFormat.padded(part.bytes))
    val builder = FlatBufferBuilder()
    RecordBatch.startNodesVector(builder, 1)
    FieldNode.createFieldNode(builder, values.size, 0): Unit
    val nodes = builder.endVector()
    RecordBatch.startBuffersVector(builder, plan.parts.size)
    for (part, start) <- plan.parts.zip(starts).reverseIterator do
      Buffer.createBuffer(builder, start, part.bytes): Unit
    val buffers = builder.endVector()
    val record =
      RecordBatch.createRecordBatch(builder, values.size, nodes, buffers, 0, 0)
    val batch = DictionaryBatch.createDictionaryBatch(builder, 0, record, isDelta)
    builder.finish(Message.createMessage(
      builder,
      MetadataVersion.V5,
      MessageHeader.DictionaryBatch,
      batch,
      starts.last,
      0
    ))
    val metadata = builder.sizedByteArray.nn
    val bytes = ByteArrayOutputStream()
    val output = ArrowOutput(bytes, Path.of("sample"))
    output.putInt(ArrowFormat.Continuation)
    output.putInt((ArrowFormat.padded(8L + metadata.length) - 8).toInt)
    output.put(metadata, metadata.length)
    output.pad()
    for part <- plan.parts do
      part.write(output)
      output.pad()
    output.flush()
    bytes.toByteArray.nn
  end dictionary

  private def tides(parts: Array[Byte]*): Vector[Option[String]] =
    val stream = parts.toVector.flatten.toArray
    Region.scoped:
      val texts = Rows.readArrowStream[GaugeText](ByteArrayInputStream(stream)).toVector
        .map(_.tide.map(_.toString))
      val cases = Columns.readArrowStream[Gauge](ByteArrayInputStream(stream)).toVector
        .map(_.tide.map(_.toString))
      assertEquals(texts, cases)
      cases

  test("a delta appends to the dictionary of the following record batches"):
    assertEquals(
      tides(
        schema,
        dictionary(false, "High"),
        rows(0, -1)._2,
        dictionary(true, "Low", "Mid"),
        rows(2, 1, 0)._2,
        dictionary(true),
        rows(2)._2
      ),
      Vector(Some("High"), None, Some("Mid"), Some("Low"), Some("High"), Some("Mid"))
    )

  test("a dictionary that is no delta replaces the dictionary, and deltas append to the new one"):
    assertEquals(
      tides(
        schema,
        dictionary(false, "High"),
        dictionary(true, "Low"),
        rows(0, 1)._2,
        dictionary(false, "Mid"),
        rows(0)._2,
        dictionary(true, "High"),
        rows(0, 1)._2
      ),
      Vector("High", "Low", "Mid", "Mid", "High").map(Some(_))
    )

  test("a record batch of nulls may precede its dictionary, and one with a value may not"):
    assertEquals(
      tides(schema, rows(-1, -1)._2, dictionary(false, "Low"), rows(0)._2),
      Vector(None, None, Some("Low"))
    )
    val (kind, words) =
      Samples.failure(tides(schema, rows(-1, 0)._2, dictionary(false, "Low"), rows(0)._2))
    assertEquals(kind, ArrowErrorKind.Corrupt)
    assert(words.endsWith("the dictionary of `tide` is missing"), words)

  test("an index is compared with the values that the dictionary has for its record batch"):
    for (parts, count) <- Seq(
        Seq(dictionary(false, "Low"), rows(1)._2, dictionary(true, "High")) -> 1,
        Seq(dictionary(false, "Low"), dictionary(true, "High"), rows(2)._2) -> 2,
        Seq(dictionary(false, "Low", "Mid", "High"), dictionary(false, "Mid"), rows(1)._2) -> 1
      )
    do
      val (kind, words) = Samples.failure(tides(schema +: parts*))
      assertEquals(kind, ArrowErrorKind.WrongValue)
      assert(words.endsWith(s"of a dictionary that has $count values"), words)

  test("a delta before its dictionary is an error"):
    val (kind, words) = Samples.failure(tides(schema, dictionary(true, "Low"), rows(0)._2))
    assertEquals(kind, ArrowErrorKind.Corrupt)
    assert(words.endsWith("a delta of dictionary 0 precedes the dictionary"), words)

  test("deltas together have at most 65536 values"):
    val many = Vector.fill(1 << 15)("Low")
    val parts =
      Seq(schema, dictionary(false, many*), dictionary(true, many*), rows(0)._2)
    assertEquals(tides(parts*), Vector(Some("Low")))
    val (kind, words) =
      Samples.failure(tides(parts.init :+ dictionary(true, "Mid") :+ rows(0)._2*))
    assertEquals(kind, ArrowErrorKind.Unsupported)
    assert(
      words.endsWith("the dictionary of `tide` must have at most 65536 values, but has 65537: " +
        "write the field without a dictionary"),
      words
    )

  test(
    "random streams of dictionaries, deltas and record batches have the values of a plain model"
  ):
    val seed = Random().nextInt()
    val random = Random(seed)
    var replaced = 0
    for round <- 0 until 200 do
      var model = Vector[String]()
      val parts = Vector.newBuilder[Array[Byte]]
      val expected = Vector.newBuilder[Option[String]]
      for step <- 0 until 10 do
        val names = Vector.fill(random.nextInt(4))(Tide.fromOrdinal(random.nextInt(3)).toString)
        val isDelta = step > 0 && random.nextBoolean()
        if !isDelta && step > 0 then replaced += 1
        model = if isDelta then model ++ names else names
        parts += dictionary(isDelta, names*)
        // The writer's enum has three cases, so an index is at most 2.
        val indices =
          Vector.fill(1 + random.nextInt(9))(random.nextInt(Math.min(3, model.size) + 1) - 1)
        parts += rows(indices*)._2
        expected ++= indices.map(index => Option.when(index >= 0)(model(index)))
      assertEquals(
        tides(schema +: parts.result()*),
        expected.result(),
        s"seed $seed, round $round"
      )
    end for
    assert(replaced > 0)

  private def file(code: String): Path =
    val path = Samples.path()
    Python.runCode(
      s"""import pyarrow as pa
         |names = [["Low"], ["Low", "High"], ["Low", "High", "Mid"]]
         |def batch(names, ids):
         |    tides = [None if i % 5 == 4 else i % len(names) for i in ids]
         |    values = pa.DictionaryArray.from_arrays(pa.array(tides, pa.int8()), pa.array(names))
         |    return pa.record_batch({"id": pa.array(ids), "tide": values})
         |batches = [batch(names[k], range(10 * k, 10 * k + 10)) for k in range(3)]
         |options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
         |path = "$path"
         |$code
         |""".stripMargin
    )
    path

  private def checkGauges(path: Path, names: Vector[Vector[String]]): Unit =
    val expected = names.zipWithIndex.flatMap: (names, k) =>
      Vector.tabulate(10): i =>
        (10 * k + i, Option.when(i % 5 != 4)(names((10 * k + i) % names.size)))
    def check(found: Vector[(Long, Option[String])]): Unit =
      assertEquals(found, expected.map((id, tide) => (id.toLong, tide)))
    val copy = path.resolveSibling("copy.rows").nn
    convertArrow(path, copy)
    Region.scoped:
      check(Rows.readArrow[Gauge](path).toVector.map(g => (g.id, g.tide.map(_.toString))))
      check(Rows.readArrow[GaugeText](path).toVector.map(g => (g.id, g.tide.map(_.toString))))
      val again = path.resolveSibling("again.arrow").nn
      val stored = undercroft.file.format.StructFile.open(copy)
      try stored.writeArrow(again)
      finally stored.close()
      check(Rows.readArrow[Gauge](again).toVector.map(g => (g.id, g.tide.map(_.toString))))
    Files.delete(copy)
  end checkGauges

  private val names = Vector(Vector("Low"), Vector("Low", "High"), Vector("Low", "High", "Mid"))

  test("a file of pyarrow with delta dictionaries has its values"):
    val path = file(
      """with pa.ipc.new_file(path, batches[0].schema, options=options) as sink:
        |    for part in batches:
        |        sink.write_batch(part)
        |    assert sink.stats.num_dictionary_deltas == 2, sink.stats""".stripMargin
    )
    checkGauges(path, names)

  test("a stream of pyarrow with delta and replacement dictionaries has its values"):
    val path = file(
      """batches.append(batch(["Mid", "Low"], range(30, 40)))
        |with pa.ipc.new_stream(path, batches[0].schema, options=options) as sink:
        |    for part in batches:
        |        sink.write_batch(part)
        |    assert sink.stats.num_dictionary_deltas == 2, sink.stats
        |    assert sink.stats.num_replaced_dictionaries == 1, sink.stats""".stripMargin
    )
    checkGauges(path, names :+ Vector("Mid", "Low"))
end DictionaryBatchesTest
