package outside.thrift

import java.lang.foreign.MemorySegment
import org.apache.thrift.TException
import org.apache.thrift.protocol.*
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.Buffer
import undercroft.thrift.*

/** Strings and containers that declare more than the message has. */
class DeclaredSizeTest extends MessageSuite:
  private val Following = 10

  /** The most bytes that an error may allocate: a message, an exception and its stack trace. */
  private val ErrorBytes = 256L << 10

  private val sizes = List(1 << 20, 1 << 24, 1 << 30, Int.MaxValue)

  private def varint(size: Int): Array[Byte] =
    val bytes = Array.newBuilder[Byte]
    var left = size
    while (left & ~0x7f) != 0 do
      bytes += (left & 0x7f | 0x80).toByte
      left >>>= 7
    (bytes += left.toByte).result()

  private def int32(size: Int): Array[Byte] = Buffer().writeInt(size).buffer.readByteArray()

  /** The error of `body`, which must allocate little for it. The first run loads classes. */
  private def cheapErrorOf(body: => TException)(using munit.Location): TException =
    val error = body
    val allocated = allocatedBy:
      val _ = body
    assert(allocated < ErrorBytes, s"$error: $allocated bytes were allocated")
    error

  /** A message of a field that declares a size, and a few bytes behind it. */
  private def message(format: ThriftFormat, kind: String, id: Int, size: Int): Array[Byte] =
    val fieldKind = kind match
      case "string" | "binary" => TType.STRING
      case "list"              => TType.LIST
      case "set"               => TType.SET
      case "map"               => TType.MAP
    val field = written(format)(_.writeFieldBegin(TField("", fieldKind, id.toShort)))
    val isBinary = format == ThriftFormat.Binary
    val declared = (kind, isBinary) match
      case ("string" | "binary", true)  => int32(size)
      case ("string" | "binary", false) => varint(size)
      case ("map", true)                => Array(TType.STRING, TType.I32) ++ int32(size)
      case ("map", false)               => varint(size) :+ 0x85.toByte
      case ("set", true)                => TType.I64 +: int32(size)
      case ("set", false)               => 0xf6.toByte +: varint(size)
      case (_, true)                    => TType.STRING +: int32(size)
      case (_, false)                   => 0xf8.toByte +: varint(size)
    field ++ declared ++ new Array[Byte](Following)

  private val kinds = List("string" -> 1, "binary" -> 4, "list" -> 3, "map" -> 6, "set" -> 7)

  for format <- ThriftFormat.values; source <- Source.values; (kind, id) <- kinds do
    for (place, fieldId) <- List("a known" -> id, "an unknown" -> 99) do
      test(s"a $kind of a huge size in $place field is an error at once ($format, $source)"):
        val deserializer = ThriftDeserializer(format)
        for size <- sizes do
          val bytes = message(format, kind, fieldId, size)
          cheapErrorOf(errorOf(bytes, source, deserializer)) match
            case error: MessageTransportException =>
              assertEquals(error.getType, TTransportException.END_OF_FILE, s"$size: $error")
              assertEquals(error.position, bytes.length.toLong - Following, s"$size: $error")
              assert(
                error.getMessage.contains(s"bytes, but only $Following remain at position "),
                s"$size: $error"
              )
            case error: MessageProtocolException =>
              assertEquals(error.getType, TProtocolException.SIZE_LIMIT, s"$size: $error")
              assertEquals(
                error.problem,
                s"a string of $size bytes exceeds the limit of ${Int.MaxValue - 8}"
              )
            case error => fail(s"$size: $error")

      test(s"a $kind of a negative size in $place field is an error ($format, $source)"):
        val deserializer = ThriftDeserializer(format)
        for size <- List(-1, Int.MinValue) do
          errorOf(message(format, kind, fieldId, size), source, deserializer) match
            case error: MessageProtocolException =>
              assertEquals(error.getType, TProtocolException.NEGATIVE_SIZE, s"$error")
              val expected = kind match
                case "string" | "binary" =>
                  s"the size of a string must be at least 0 bytes, but is $size"
                case _ if format == ThriftFormat.Binary =>
                  s"the size of a container must be at least 0 elements, but is $size"
                case _ => s"Negative length: $size" // libthrift's text
              assertEquals(error.problem, expected)
            case error => fail(s"$size: $error")
    end for

    test(s"libthrift's protocol reads no $kind of a huge size ($format, $source)"):
      for size <- sizes do
        val bytes = message(format, kind, id, size)
        def readByLibthrift(): Unit =
          val transport = source match
            case Source.Segments => TBufferTransport(Buffer().write(bytes).buffer)
            case _               => TSegmentTransport(MemorySegment.ofArray(bytes))
          val protocol = format match
            case ThriftFormat.Binary  => TBinaryProtocol(transport)
            case ThriftFormat.Compact => TCompactProtocol(transport)
          Order().read(protocol)
        cheapErrorOf(intercept[TException](readByLibthrift())): Unit
  end for

  for format <- ThriftFormat.values; source <- Source.values do
    test(s"a frame of a huge or a negative size is an error with that size ($format, $source)"):
      val deserializer = ThriftDeserializer(format, framed = true)
      for size <- sizes do
        val bytes = int32(size) ++ new Array[Byte](Following)
        assertEquals(
          cheapErrorOf(errorOf(bytes, source, deserializer)).getMessage,
          s"expected a frame of $size bytes, but only $Following remain at position 0"
        )
      assertEquals(
        errorOf(int32(-5), source, deserializer).getMessage,
        "the size of a frame must be at least 0 bytes, but is -5 at position 4"
      )

    test(s"each limit of a message is an error with the limit and the size ($format, $source)"):
      val bytes = serialized(Order.sample(), format)
      def problem(limits: ThriftLimits) =
        errorOf(bytes, source, ThriftDeserializer(format, limits = limits)).getMessage
      val strings = problem(ThriftLimits(stringBytes = 5))
      assert(strings.startsWith("a string of 22 bytes exceeds the limit of 5 at "), strings)
      val elements = problem(ThriftLimits(elements = 3))
      assert(elements.startsWith("a container of 4 elements exceeds the limit of 3 at "), elements)
      val whole = problem(ThriftLimits(messageBytes = bytes.length - 1))
      assert(whole.startsWith(s"the message exceeds the limit of ${bytes.length - 1} bytes"), whole)
      val limits = ThriftLimits(bytes.length, 40, 4, 3)
      assertEquals(
        read(Order(), bytes, source, ThriftDeserializer(format, limits = limits)),
        Order.sample()
      )
  end for

  for format <- ThriftFormat.values do
    test(s"the limit of a message's bytes is that of each struct of several ($format)"):
      val bytes = serialized(Order.sample(), format)
      val limits = ThriftLimits(messageBytes = bytes.length)
      val all = bytes ++ bytes ++ bytes
      val transports = List[TBytesTransport](
        TBufferTransport(Buffer().write(all).buffer, limits = limits),
        TSegmentTransport(MemorySegment.ofArray(all), limits = limits)
      )
      for transport <- transports do
        val protocol = format.protocol(transport)
        for _ <- 1 to 3 do
          val order = Order()
          order.read(protocol)
          assertEquals(order, Order.sample())

  for limit <- List(0, -1) do
    test(s"a limit of $limit is an error with the least value and its name"):
      val names = List("messageBytes", "stringBytes", "elements", "depth")
      val errors = List[() => ThriftLimits](
        () => ThriftLimits(messageBytes = limit),
        () => ThriftLimits(stringBytes = limit),
        () => ThriftLimits(elements = limit),
        () => ThriftLimits(depth = limit)
      ).map(create => intercept[IllegalArgumentException](create()).getMessage)
      assertEquals(errors, names.map(name => s"$name must be at least 1, but is $limit"))
end DeclaredSizeTest
