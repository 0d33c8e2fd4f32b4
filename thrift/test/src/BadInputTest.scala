package undercroft.thrift

import java.lang.management.ManagementFactory
import org.apache.thrift.TException
import org.apache.thrift.protocol.{TList, TProtocolException, TType}
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.{Buffer, ByteOutput, SegmentPool}

/** Truncated, corrupt and malicious messages: each throws an error with its position, allocates
  * little and leaks no segment.
  */
class BadInputTest extends undercroft.tools.Suite:
  private val seed = sys.env.get("UNDERCROFT_SEED").fold(System.nanoTime)(_.toLong)
  private val pool = SegmentPool.synchronizedPool(debug = true)

  private def sample: Everything = Everything.random(java.util.Random(7), 2)

  /** The error of a message, which must be the same from a buffer and in place. */
  private def failure(bytes: Array[Byte], format: ThriftFormat, framed: Boolean = false) =
    val errors = Seq(true, false).map: inPlace =>
      val reader = ThriftDeserializer(format, framed)
      val buffer = Buffer(using pool)
      try
        if inPlace then reader.deserialize(Everything(), bytes)
        else reader.deserialize(Everything(), buffer.write(bytes).buffer)
        None
      catch
        case e: MessageTransportException => Some((e.getMessage, e.position, e.getType))
        case e: MessageProtocolException  => Some((e.getMessage, e.position, e.getType))
      finally
        buffer.clear()
        pool.assertNoLeaks()
    assertEquals(errors(0), errors(1))
    errors(0)
  end failure

  private def failed(bytes: Array[Byte], format: ThriftFormat, framed: Boolean = false) =
    failure(bytes, format, framed).getOrElse(fail("the message was read"))

  for format <- ThriftFormat.values do
    test(s"reading a truncated message throws an exception with the position ($format)"):
      val bytes = Stock.bytes(sample, format)
      for length <- 0 until bytes.length do
        val (message, position, kind) = failed(bytes.take(length), format)
        assertEquals(kind, TTransportException.END_OF_FILE, message)
        assert(position <= length, message)
        assert(message.endsWith(s" remain at position $position"), message)

    test(s"nesting beyond the depth limit throws DEPTH_LIMIT before the stack overflows ($format)"):
      // Between two structs there is a list, and the last one has lists.
      def nested(levels: Int): Everything =
        val root = Everything()
        var at = root
        for _ <- 1 until levels do
          val child = Everything()
          at.children = Vector(child)
          at = child
        root
      assertEquals(failure(Stock.bytes(nested(32), format), format), None)
      val (message, _, kind) = failed(Stock.bytes(nested(33), format), format)
      assertEquals(kind, TProtocolException.DEPTH_LIMIT)
      val expected = "structs and containers exceed the nesting limit of 64 at position "
      assert(message.startsWith(expected), message)

    test(s"nesting beyond the depth limit inside a skipped field throws DEPTH_LIMIT ($format)"):
      val out = ByteOutput()
      val deep = ThriftLimits(depth = 1_000_000)
      val writer = format.protocol(TOutputTransport(out, limits = deep))
      writer.writeStructBegin(org.apache.thrift.protocol.TStruct())
      writer.writeFieldBegin(org.apache.thrift.protocol.TField("", TType.LIST, 99))
      for _ <- 1 to 100_000 do writer.writeListBegin(TList(TType.LIST, 1))
      writer.getTransport.flush()
      val (message, _, kind) = failed(out.toByteArray(), format)
      assertEquals(kind, TProtocolException.DEPTH_LIMIT, message)
      out.close()

    test(s"a declared size beyond the remaining bytes throws END_OF_FILE ($format)"):
      val out = ByteOutput()
      val declares = Seq(
        (TType.LIST, 9, () => TList(TType.I32, 1 << 30)),
        (TType.LIST, 13, () => TList(TType.STRUCT, 1 << 30)),
        (TType.LIST, 99, () => TList(TType.STRUCT, 1 << 30))
      )
      for (kind, field, list) <- declares do
        out.reset()
        val writer = format.protocol(TOutputTransport(out))
        writer.writeStructBegin(org.apache.thrift.protocol.TStruct())
        writer.writeFieldBegin(org.apache.thrift.protocol.TField("", kind, field.toShort))
        writer.writeListBegin(list())
        writer.getTransport.flush()
        val bytes = out.toByteArray()
        val (message, position, error) = failed(bytes, format)
        assertEquals(error, TTransportException.END_OF_FILE, message)
        assert(position > 0, message)
        assertEquals(position, bytes.length.toLong, message)
      out.close()

  end for

  test("negative sizes, unknown types and wrong frames throw different exceptions with positions"):
    def field(kind: Int, rest: Int*): Array[Byte] =
      (kind +: 0 +: 7 +: rest).map(_.toByte).toArray
    val binary = ThriftFormat.Binary
    val minus = Seq(-1, -1, -1, -1)
    assertEquals(
      failed(field(TType.STRING, minus*), binary),
      (
        "the size of a string must be at least 0 bytes, but is -1 at position 7",
        7L,
        TProtocolException.NEGATIVE_SIZE
      )
    )
    assertEquals(
      failed(Array[Byte](15, 0, 9, 8) ++ minus.map(_.toByte), binary),
      (
        "the size of a container must be at least 0 elements, but is -1 at position 8",
        8L,
        TProtocolException.NEGATIVE_SIZE
      )
    )
    for kind <- Seq(1, 5, 7, 9, 17, 127, -1, -128) do
      assertEquals(
        failed(field(kind), binary),
        (
          s"a field has the unknown type $kind at position 1",
          1L,
          TProtocolException.INVALID_DATA
        )
      )
    assertEquals(
      failed(Array[Byte](15, 0, 99, 9, 0, 0, 0, 1, 0), binary)._1,
      "an element has the unknown type 9 at position 8"
    )
    assertEquals(
      failed(Array[Byte](0, 0, 1, 0, 0), binary, framed = true),
      (
        "expected a frame of 256 bytes, but only 1 remain at position 0",
        0L,
        TTransportException.END_OF_FILE
      )
    )
    assertEquals(
      failed(Array.fill[Byte](8)(-1), binary, framed = true)._1,
      "the size of a frame must be at least 0 bytes, but is -1 at position 4"
    )
    // A message that continues after the end of its frame is truncated there.
    val bytes = Stock.bytes(sample, binary)
    val frame = Array[Byte](0, 0, 0, 40) ++ bytes
    assertEquals(failed(frame, binary, framed = true)._3, TTransportException.END_OF_FILE)

  test("a field with an unexpected type is skipped"):
    val bytes = Array[Byte](TType.I64, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, TType.STOP)
    assertEquals(failure(bytes, ThriftFormat.Binary), None)

  test("exceeding the limit of message bytes, elements or string bytes throws a TException"):
    val message = sample
    val bytes = Stock.bytes(message, ThriftFormat.Binary)
    def error(limits: ThriftLimits) =
      val reader = ThriftDeserializer(limits = limits)
      val inPlace = intercept[TException](reader.deserialize(Everything(), bytes)).getMessage
      val buffer = Buffer(using pool).write(bytes).buffer
      val fromBuffer = intercept[TException](reader.deserialize(Everything(), buffer)).getMessage
      buffer.clear()
      assertEquals(inPlace, fromBuffer)
      inPlace
    assert(error(ThriftLimits(messageBytes = 100)).startsWith(
      "the message exceeds the limit of 100 bytes at position "
    ))
    assert(error(ThriftLimits(elements = 1)).contains("elements exceeds the limit of 1 "))
    assert(error(ThriftLimits(stringBytes = 4)).contains("bytes exceeds the limit of 4 "))
    pool.assertNoLeaks()

  /** Bytes of a valid message, some of them changed, moved, duplicated or truncated. */
  private def mutated(bytes: Array[Byte], random: java.util.Random): Array[Byte] =
    var now = bytes.clone()
    for _ <- 0 to random.nextInt(4) do
      val at = random.nextInt(now.length)
      random.nextInt(6) match
        case 0 => now(at) = (now(at) ^ 1 << random.nextInt(8)).toByte
        case 1 => now(at) = random.nextInt.toByte
        case 2 => for i <- at until Math.min(at + 4, now.length) do now(i) = -1
        case 3 => for i <- at until Math.min(at + 4, now.length) do now(i) = 0x7f
        case 4 => now = now.take(at + 1)
        case _ => now = now.take(at) ++ now.drop(random.nextInt(at + 1))
      if now.isEmpty then now = Array[Byte](0)
    now

  /** The most bytes allocated per byte of a message, and in addition to that: each declared list
    * element needs a reference, and the smallest struct of one byte an object.
    */
  private val perByte = 600L
  private val beside = 256L << 10

  for format <- ThriftFormat.values do
    test(s"a randomly corrupted message is read or rejected with bounded allocation ($format)"):
      println(s"UNDERCROFT_SEED=$seed")
      val threads = ManagementFactory.getThreadMXBean match
        case bean: com.sun.management.ThreadMXBean => bean
        case bean                                  => fail(s"$bean counts no bytes")
      val random = java.util.Random(seed)
      val valid = Stock.bytes(sample, format)
      var refused = 0
      for round <- 1 to 4000 do
        val bytes = mutated(valid, random)
        def clue = s"seed $seed, round $round: ${bytes.map(b => f"$b%02x").mkString}"
        def allocated(): Long =
          val before = threads.getCurrentThreadAllocatedBytes
          try if failure(bytes, format).isDefined then refused += 1
          catch case e: (RuntimeException | Error) => fail(s"$e, $clue", e)
          threads.getCurrentThreadAllocatedBytes - before
        val most = beside + perByte * bytes.length
        // A first read may also load classes.
        val count = if allocated() < most then 0L else allocated()
        assert(count < most, s"$count bytes, $clue")
      assert(refused > 1000, refused)
  end for

  test("deserializing from a closed segment throws FFM's IllegalStateException"):
    val arena = java.lang.foreign.Arena.ofConfined()
    val segment = arena.allocate(10)
    arena.close()
    val error = intercept[IllegalStateException]:
      ThriftDeserializer().deserialize(Everything(), segment)
    assertEquals(error.getMessage, "Already closed")

  test("a declared map whose smallest possible entries exceed the remaining bytes throws"):
    val bytes = Array[Byte](13, 0, 11, 11, 10, 0, 0, 0, 3) ++ new Array[Byte](35)
    assertEquals(
      failed(bytes, ThriftFormat.Binary)._1,
      "expected 36 bytes, but only 35 remain at position 9"
    )
end BadInputTest
