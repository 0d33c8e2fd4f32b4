package outside.thrift

import java.nio.ByteBuffer
import java.util.UUID
import org.apache.thrift.protocol.*
import undercroft.thrift.*

/** Messages of other versions of a struct: unknown, missing and retyped fields, odd unions. */
class SchemaMismatchTest extends MessageSuite:

  private def field(to: TProtocol, kind: Byte, id: Int)(value: => Unit): Unit =
    to.writeFieldBegin(TField("", kind, id.toShort))
    value
    to.writeFieldEnd()

  /** Writes a value of each type. */
  private val values: List[(Byte, TProtocol => Unit)] = List(
    TType.BOOL -> (_.writeBool(true)),
    TType.BYTE -> (_.writeByte(7)),
    TType.I16 -> (_.writeI16(-300)),
    TType.I32 -> (_.writeI32(1 << 30)),
    TType.I64 -> (_.writeI64(Long.MinValue)),
    TType.DOUBLE -> (_.writeDouble(Double.NaN)),
    TType.STRING -> (_.writeString("unknown, ünknown")),
    TType.STRING -> (_.writeBinary(ByteBuffer.allocate(300))),
    TType.UUID -> (_.writeUuid(UUID(-1, 1))),
    TType.STRUCT -> (Order.sample().write(_)),
    TType.LIST -> { to =>
      to.writeListBegin(TList(TType.BOOL, 20))
      for i <- 0 until 20 do to.writeBool(i % 2 == 0)
    },
    TType.LIST -> { to =>
      to.writeListBegin(TList(TType.STRUCT, 2))
      for _ <- 0 until 2 do Order.sample().write(to)
    },
    TType.SET -> { to =>
      to.writeSetBegin(TSet(TType.DOUBLE, 2))
      for i <- 0 until 2 do to.writeDouble(i)
    },
    TType.MAP -> { to =>
      to.writeMapBegin(TMap(TType.I16, TType.LIST, 2))
      for i <- 0 until 2 do
        to.writeI16(i.toShort)
        to.writeListBegin(TList(TType.UUID, 1))
        to.writeUuid(UUID(i, i))
    },
    TType.MAP -> (_.writeMapBegin(TMap(TType.I16, TType.STRUCT, 0)))
  )

  private def withUnknown(format: ThriftFormat): Array[Byte] = written(format): to =>
    to.writeStructBegin(TStruct("Order"))
    val order = Order.sample()
    for ((kind, value), i) <- values.zipWithIndex do field(to, kind, 100 + i)(value(to))
    order.writeFields(to)
    for ((kind, value), i) <- values.zipWithIndex do field(to, kind, 2000 - i)(value(to))
    field(to, TType.I32, -1)(to.writeI32(1)) // a negative id, as old compilers give
    to.writeFieldStop()
    to.writeStructEnd()

  for format <- ThriftFormat.values; source <- Source.values do
    test(s"unknown fields of each type are skipped ($format, $source)"):
      val deserializer = ThriftDeserializer(format)
      val bytes = withUnknown(format)
      assertEquals(read(Order(), bytes, source, deserializer), Order.sample())
      if source != Source.Segments then
        assertEquals(deserializer.position, bytes.length.toLong)

    test(s"a message with unknown fields that is cut at any length is an error ($format, $source)"):
      val deserializer = ThriftDeserializer(format)
      val bytes = withUnknown(format)
      for length <- 0 until bytes.length do
        errorOf(bytes.take(length), source, deserializer) match
          case error: MessageTransportException => assert(error.position <= length, s"$error")
          case error                            => fail(s"$length bytes: $error")

    test(s"a known field of another type is skipped and has its default ($format, $source)"):
      val deserializer = ThriftDeserializer(format)
      for (kind, value) <- values if kind != TType.I64 do
        val bytes = written(format): to =>
          to.writeStructBegin(TStruct("Order"))
          field(to, TType.STRING, 1)(to.writeString("UND"))
          field(to, kind, 2)(value(to))
          to.writeFieldStop()
          to.writeStructEnd()
        val order = read(Order(), bytes, source, deserializer)
        assertEquals((order.id, order.price), ("UND", 0L), s"type $kind")

    test(s"a message without its required field is an error with its name ($format, $source)"):
      val deserializer = ThriftDeserializer(format)
      val bytes = written(format): to =>
        to.writeStructBegin(TStruct("Order"))
        Order().writeFields(to)
        to.writeFieldStop()
        to.writeStructEnd()
      errorOf(bytes, source, deserializer) match
        case error: MessageProtocolException =>
          assertEquals(
            error.getMessage,
            s"Required field 'id' was not present! at position ${bytes.length}"
          )
        case error => fail(s"$error")
      errorOf(Array[Byte](0), source, deserializer) match
        case error: MessageProtocolException => assertEquals(error.position, 1L)
        case error                           => fail(s"$error")
      val order = Order.sample()
      assertEquals(read(Order(), serialized(order, format), source, deserializer), order)

    test(s"a union without a field throws, one with an unknown field is unset ($format, $source)"):
      val deserializer = ThriftDeserializer(format)
      val none = errorOf(Array[Byte](0), source, deserializer, Payment())
      assert(none.isInstanceOf[MessageProtocolException | MessageTransportException], s"$none")
      val unknown = written(format): to =>
        to.writeStructBegin(TStruct("Payment"))
        field(to, TType.STRUCT, 9)(Order.sample().write(to))
        to.writeFieldStop()
        to.writeStructEnd()
      val payment = read(Payment(), unknown, source, deserializer)
      assert(!payment.isSet)
      for _ <- 1 to 200 do
        errorOf(Array[Byte](0), source, deserializer, Payment()): Unit
      val order = Order.sample()
      assertEquals(read(Order(), serialized(order, format), source, deserializer), order)

    test(s"a union with two fields has the value of the first ($format, $source)"):
      val deserializer = ThriftDeserializer(format)
      val bytes = written(format): to =>
        to.writeStructBegin(TStruct("Payment"))
        field(to, TType.STRING, 1)(to.writeString("1234"))
        field(to, TType.I64, 2)(to.writeI64(5))
        to.writeFieldStop()
        to.writeStructEnd()
      val payment = read(Payment(), bytes, source, deserializer)
      assertEquals(payment, Payment.card("1234"))
      // Generated code takes the second header for the stop field: the other bytes stay unread.
      if source != Source.Segments then assert(deserializer.position < bytes.length)
      val order = Order.sample()
      assertEquals(read(Order(), serialized(order, format), source, deserializer), order)
  end for

  for format <- ThriftFormat.values do
    test(s"a message without a required field or its union's value is not written ($format)"):
      val serializer = ThriftSerializer(format)
      val buffer = undercroft.buffer.Buffer().writeUtf8("before").buffer
      val inside = Order.sample()
      inside.next.id = null
      val unset = Order.sample()
      unset.payment = Payment()
      val failures = List(
        Order() -> "Required field 'id' was not present!",
        inside -> "Required field 'id' was not present!",
        unset -> "Cannot write a TUnion with no set value!"
      )
      for (order, message) <- failures do
        val error = intercept[TProtocolException](serializer.serialize(order))
        assertEquals(error.getMessage, message)
        intercept[TProtocolException](serializer.serialize(order, buffer)): Unit
        assertEquals(buffer.size, 6L)
      val order = Order.sample()
      val out = serializer.serialize(order)
      assertEquals(ThriftDeserializer(format).deserialize(Order(), out.segment), order)
      serializer.close()
  end for
end SchemaMismatchTest
