package undercroft.thrift

import org.apache.thrift.{TException, TSerializable}
import org.apache.thrift.protocol.{TField, TList, TProtocol, TStruct, TType}
import undercroft.buffer.{Buffer, ByteOutput, SegmentPool, TooLargeException}
import undercroft.testkit.assertAllocates

/** A message of `count` equal parts, which itself allocates nothing. */
private final class Parts(count: Int, text: String) extends TSerializable:
  private val struct = TStruct("Parts")
  private val texts = TField("", TType.LIST, 1)
  private val number = TField("", TType.I64, 2)
  private val list = TList(TType.STRING, count)

  /** The number of parts that were read. */
  var partsRead = 0L
  var isRight = true

  def write(to: TProtocol): Unit =
    to.writeStructBegin(struct)
    to.writeFieldBegin(texts)
    to.writeListBegin(list)
    var i = 0
    while i < count do
      to.writeString(text)
      i += 1
    to.writeFieldBegin(number)
    to.writeI64(count)
    to.writeFieldStop()
    to.writeStructEnd()

  def read(from: TProtocol): Unit =
    from.readStructBegin()
    from.readFieldBegin(): Unit
    val size = from.readListBegin().size
    for _ <- 0 until size do
      isRight &&= from.readString() == text
      partsRead += 1
    from.readFieldBegin(): Unit
    isRight &&= from.readI64() == size
    from.readFieldBegin(): Unit
    from.readStructEnd()
end Parts

class SerializerTest extends undercroft.tools.Suite:
  private val messages =
    val random = java.util.Random(3)
    Vector.fill(20)(Everything.random(random, 2))

  for format <- ThriftFormat.values; framed <- Seq(false, true) do
    test(s"a reused serializer and deserializer restore messages ($format, framed: $framed)"):
      val writer = ThriftSerializer(format, framed)
      val reader = ThriftDeserializer(format, framed)
      try
        for message <- messages do
          val out = writer.serialize(message)
          val expected = Stock.bytes(message, format, framed).toSeq
          assertEquals(out.toByteArray().toSeq, expected)
          assertEquals(reader.deserialize(Everything(), out.segment), message)
          assertEquals(reader.position, out.size)
          assertEquals(reader.deserialize(Everything(), out.toByteArray()), message)
          val buffer = Buffer().writeUtf8("before").buffer
          assertEquals(writer.serialize(message, buffer), out.size)
          buffer.skip(6)
          assertEquals(buffer.snapshot().toByteArray.toSeq, expected)
          assertEquals(reader.deserialize(Everything(), buffer), message)
          assert(buffer.isEmpty)
      finally writer.close()

  test("serializing a message again allocates nothing"):
    val writer = ThriftSerializer()
    val parts = Parts(100, "a text of some length")
    assertAllocates(0)(writer.serialize(parts))
    writer.close()

  test("a message that cannot be serialized leaves the output empty and the buffer unchanged"):
    val broken = new TSerializable:
      def read(from: TProtocol): Unit = ()
      def write(to: TProtocol): Unit =
        to.writeString("some of it")
        throw TException("no more of it")
    val out = ByteOutput(maxBytes = 1 << 20)
    val pool = SegmentPool.synchronizedPool(debug = true)
    for framed <- Seq(false, true) do
      val writer = ThriftSerializer(framed = framed, output = out)
      assertEquals(intercept[TException](writer.serialize(broken)).getMessage, "no more of it")
      assertEquals(out.size, 0L)
      val buffer = Buffer(using pool).writeUtf8("before").buffer
      assertEquals(
        intercept[TException](writer.serialize(broken, buffer)).getMessage,
        "no more of it"
      )
      assertEquals(buffer.readUtf8(), "before")
      pool.assertNoLeaks()
      intercept[TooLargeException](writer.serialize(Parts(1 << 20, "a"))): Unit
      assertEquals(out.size, 0L)
      assertEquals(writer.serialize(Parts(1, "a")).size, if framed then 29L else 25L)
    out.close()

  test("a ThriftSerializer keeps its memory until trim is called"):
    val writer = ThriftSerializer()
    val bytes = writer.serialize(Parts(100_000, "a text of some length")).size
    writer.trim()
    assertEquals(writer.serialize(Parts(100_000, "a text of some length")).size, bytes)
    writer.close()

  private val mebibyte = "m" * (1 << 20)

  test(
    "a message beyond 2 GiB is serialized in one segment and deserialized in place".tag(LongTest)
  ):
    undercroft.tools.Requirement.MEMORY_6G.require()
    val parts = Parts(2100, mebibyte)
    val writer = ThriftSerializer()
    try
      val out = writer.serialize(parts)
      assertEquals(out.size, 2100L * (4 + (1 << 20)) + 8 + 11 + 1)
      val reader = ThriftDeserializer()
      reader.deserialize(parts, out.segment): Unit
      assertEquals((parts.partsRead, parts.isRight), (2100L, true))
      assertEquals(reader.position, out.size)
      val short = ThriftDeserializer(limits = ThriftLimits(messageBytes = 2L << 30))
      val error = intercept[MessageTransportException](short.deserialize(parts, out.segment))
      assert(error.position > (2L << 30) - (2L << 20), error.getMessage)
      val cut = out.segment.asSlice(0, out.size - 1)
      assertEquals(
        intercept[MessageTransportException](reader.deserialize(parts, cut)).getMessage,
        s"expected 1 byte, but only 0 remain at position ${out.size - 1}"
      )
      val frame = intercept[MessageTransportException]:
        ThriftSerializer(framed = true, output = out).serialize(parts)
      assert(frame.getMessage.contains("bytes exceed the 2147483647 bytes of a frame"))
    finally writer.close()

  test("a message beyond 2 GiB is deserialized from a buffer"):
    // The same message with shared parts: the same segments 2100 times.
    val part = Buffer()
    part.writeInt(1 << 20).writeUtf8(mebibyte): Unit
    val buffer = Buffer()
    buffer.writeByte(TType.LIST).writeShort(1).writeByte(TType.STRING).writeInt(2100): Unit
    for _ <- 1 to 2100 do part.copyTo(buffer)
    buffer.writeByte(TType.I64).writeShort(2).writeLong(2100).writeByte(TType.STOP): Unit
    val parts = Parts(2100, mebibyte)
    ThriftDeserializer().deserialize(parts, buffer): Unit
    assertEquals((parts.partsRead, parts.isRight), (2100L, true))
    assert(buffer.isEmpty)
end SerializerTest
