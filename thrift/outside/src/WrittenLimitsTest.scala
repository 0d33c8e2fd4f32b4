package outside.thrift

import org.apache.thrift.TException
import org.apache.thrift.protocol.*
import org.apache.thrift.transport.TTransportException
import undercroft.buffer.*
import undercroft.thrift.*

/** Limits of written messages, and the depth of containers. */
class WrittenLimitsTest extends MessageSuite:
  private def nested(format: ThriftFormat, kind: Byte, levels: Int): Array[Byte] =
    written(format): to =>
      def begin(element: Byte, size: Int) = kind match
        case TType.LIST => to.writeListBegin(TList(element, size))
        case TType.SET  => to.writeSetBegin(TSet(element, size))
        case _          => to.writeMapBegin(TMap(TType.BYTE, element, size))
      for _ <- 1 until levels do
        begin(kind, 1)
        if kind == TType.MAP then to.writeByte(1)
      begin(TType.BYTE, 0)

  for format <- ThriftFormat.values; kind <- Seq(TType.LIST, TType.SET, TType.MAP) do
    test(s"containers of type $kind count as levels when they are read and skipped ($format)"):
      for limit <- Seq(1, 4, 64) do
        def readBy(levels: Int)(read: TProtocol => Unit): Unit =
          val buffer = Buffer().write(nested(format, kind, levels)).buffer
          read(format.protocol(TBufferTransport(buffer, limits = ThriftLimits(depth = limit))))
        def begin(from: TProtocol): Unit = kind match
          case TType.LIST => from.readListBegin(): Unit
          case TType.SET  => from.readSetBegin(): Unit
          case _          => from.readMapBegin(): Unit
        def read(levels: Int)(from: TProtocol): Unit =
          for i <- 1 to levels do
            begin(from)
            if kind == TType.MAP && i < levels then from.readByte(): Unit
        readBy(limit)(read(limit))
        readBy(limit)(_.skip(kind))
        for use <- Seq[TProtocol => Unit](read(limit + 1), _.skip(kind)) do
          val error = intercept[MessageProtocolException](readBy(limit + 1)(use))
          assertEquals(error.getType, TProtocolException.DEPTH_LIMIT)

    test(s"containers of type $kind one after another are one level ($format)"):
      val bytes = written(format): to =>
        for _ <- 1 to 100 do to.writeListBegin(TList(TType.BYTE, 0))
      val buffer = Buffer().write(bytes).buffer
      val from = format.protocol(TBufferTransport(buffer, limits = ThriftLimits(depth = 1)))
      for _ <- 1 to 100 do
        from.readListBegin()
        from.readListEnd()
  end for

  private def chain(levels: Int): Order =
    (1 until levels).foldLeft(Order("0")): (next, i) =>
      val order = Order(s"$i")
      order.next = next
      order

  for format <- ThriftFormat.values; isFramed <- Seq(false, true) do
    test(s"a writer obeys the limits of a reader ($format, framed: $isFramed)"):
      val sample = Order.sample()
      val size = serialized(sample, format).length
      val broken = Seq[(ThriftLimits, Order, String)](
        (ThriftLimits(depth = 3), chain(3), "structs and containers exceed the nesting limit of 3"),
        (ThriftLimits(elements = 3), sample, "a container of 4 elements exceeds the limit of 3"),
        (ThriftLimits(stringBytes = 5), sample, "bytes exceeds the limit of 5"),
        (ThriftLimits(messageBytes = size - 1), sample, s"exceeds the limit of ${size - 1}")
      )
      for (limits, message, problem) <- broken do
        val serializer = ThriftSerializer(format, isFramed, limits)
        val buffer = Buffer()
        for _ <- 1 to 2 do
          val error = intercept[TException](serializer.serialize(message): Unit)
          assert(error.getMessage.nn.contains(problem), error)
          intercept[TException](serializer.serialize(message, buffer): Unit): Unit
          assert(buffer.isEmpty)
        // A message within the limits follows.
        val small = Order("a")
        val bytes = serializer.serialize(small).toByteArray()
        assertEquals(
          ThriftDeserializer(format, isFramed, limits).deserialize(Order(), bytes),
          small
        )
        serializer.close()
      val exact = ThriftLimits(messageBytes = size, elements = 4, depth = 4)
      val serializer = ThriftSerializer(format, isFramed, exact)
      val bytes = serializer.serialize(sample).toByteArray()
      assertEquals(ThriftDeserializer(format, isFramed, exact).deserialize(Order(), bytes), sample)
      serializer.close()
  end for

  test("a frame of several messages that exceeds the limit of a message is not written"):
    val buffer = Buffer()
    val transport = TBufferTransport(buffer, framed = true, ThriftLimits(messageBytes = 20))
    val protocol = BinaryProtocol(transport)
    for _ <- 1 to 3 do protocol.writeString("four")
    val error = intercept[MessageTransportException](transport.flush())
    assertEquals(error.getType, TTransportException.MESSAGE_SIZE_LIMIT)
    assertEquals(error.problem, "a message of 24 bytes exceeds the limit of 20")
    transport.discardPending()
    protocol.writeString("four")
    transport.flush()
    assertEquals(buffer.size, 12L)
end WrittenLimitsTest
