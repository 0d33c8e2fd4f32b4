package undercroft.file.format

import undercroft.file.format.internal.metadata.Header
import undercroft.file.format.internal.schema.{SchemaCodec, TypeConversion}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Optional
import scala.jdk.CollectionConverters.*
import scala.util.Random
import undercroft.file.format.LogicalKind.Unit as TimeUnit
import undercroft.file.format.Type.Primitive

/** Logical types in encoded schemas. */
class LogicalKindTest extends undercroft.tools.Suite:
  private def leaf(name: String, offset: Int, of: Type, kind: LogicalKind): Field =
    Field.Leaf(name, offset, Type.Logical(of, kind))

  private def halves(offset: Int): java.util.List[Field] = List[Field](
    Field.Leaf("high", offset, Primitive.LONG),
    Field.Leaf("low", offset + 8, Primitive.LONG)
  ).asJava

  private val fields: List[Field] =
    val units = TimeUnit.values.toList
    val times = units.flatMap: unit =>
      List(
        LogicalKind.Time(unit),
        LogicalKind.Timestamp(unit, true),
        LogicalKind.Timestamp(unit, false),
        LogicalKind.Duration(unit)
      )
    val decimals = List(LogicalKind.Decimal(1, 0), LogicalKind.Decimal(18, 18))
    val longs = (times ++ decimals).zipWithIndex.map((kind, i) =>
      leaf(
        s"long$i",
        8 * i,
        if i % 2 == 0 then Primitive.LONG else Type.BigEndian(Primitive.LONG),
        kind
      )
    )
    longs ++ List(
      leaf("date", 300, Primitive.INT, LogicalKind.Date()),
      leaf("code", 304, Type.Text(8), LogicalKind.Named("ISIN ä")),
      Field.Record("id", "UUID", halves(312), Optional.of(LogicalKind.Uuid())),
      Field.Record("wide", "Wide", halves(328), Optional.of(LogicalKind.Decimal(38, 38))),
      Field.Leaf("dates", 344, Type.Elements(Type.Logical(Primitive.INT, LogicalKind.Date()), 2)),
      Field.Leaf(
        "ids",
        352,
        Type.Elements(Type.Logical(Type.Struct("UUID", 16, halves(0)), LogicalKind.Uuid()), 2)
      )
    )
  end fields

  private def schema(fields: List[Field]): Schema =
    Schema("Row", FileLayout.PACKED, ByteOrder.LITTLE_ENDIAN, 400, fields.asJava)

  private def read(bytes: Array[Byte]): Schema =
    SchemaCodec.read(ByteBuffer.wrap(bytes), FileLayout.PACKED, ByteOrder.LITTLE_ENDIAN, 400).nn

  private def bytesOf(schema: Schema): Array[Byte] = SchemaCodec.written(schema).nn.array.nn

  test("a schema with every logical type is read as it was written, and is of version 3"):
    val written = schema(fields)
    assertEquals(read(bytesOf(written)), written)
    assertEquals(Header.version(written), 3)
    val plain = TypeConversion.withoutKinds(written).nn
    assertEquals(Header.version(plain), 2)
    assertEquals(
      plain.leaves.asScala.map(_.offset).toList,
      written.leaves.asScala.map(_.offset).toList
    )
    for field <- fields do assertEquals(Header.version(schema(List(field))), 3, field.name)

  test("logical types have the bytes of the specification"):
    val timestamp = leaf("at", 2, Primitive.LONG, LogicalKind.Timestamp(TimeUnit.NANOS, true))
    val price = leaf("p", 10, Primitive.LONG, LogicalKind.Decimal(18, 2))
    val bytes = bytesOf(Schema(
      "R",
      FileLayout.PACKED,
      ByteOrder.LITTLE_ENDIAN,
      18,
      List(timestamp, price).asJava
    ))
    val expected = "01000000" + "52" + "02000000" +
      "00" + "02000000" + "6174" + "02000000" + "0e" + "03" + "03" + "01" + "06" +
      "00" + "01000000" + "70" + "0a000000" + "0e" + "05" + "12" + "02" + "06"
    assertEquals(bytes.map(byte => f"$byte%02x").mkString, expected)

  test("logical types that do not fit their stored type are rejected with both"):
    def words(body: => Any): String = intercept[IllegalArgumentException](body).getMessage.nn
    assertEquals(
      words(Type.Logical(Primitive.LONG, LogicalKind.Date())),
      "a date cannot be stored as Long"
    )
    assertEquals(
      words(Type.Logical(Primitive.LONG, LogicalKind.Decimal(19, 2))),
      "a decimal(19, 2) cannot be stored as Long"
    )
    assertEquals(
      words(Field.Record("id", "I", List[Field]().asJava, Optional.of(LogicalKind.Uuid()))),
      "a UUID cannot be stored as 0 fields"
    )
    assert(words(LogicalKind.Decimal(39, 0)).contains("but has 39 and 0"))
    assert(words(LogicalKind.Named("")).contains("1 to 255 bytes, but has 0"))

  test("changed bytes of a schema are another schema or rejected"):
    val seed = Random.nextLong()
    val random = Random(seed)
    val bytes = bytesOf(schema(fields))
    var rejected = 0
    for _ <- 0 until 5000 do
      val changed = bytes.clone
      changed(random.nextInt(changed.length)) = random.nextInt(256).toByte
      try
        val other = read(changed)
        assertEquals(read(bytesOf(other)), other, s"seed $seed")
      catch case _: IllegalArgumentException => rejected += 1
    assert(rejected > 0)
end LogicalKindTest
