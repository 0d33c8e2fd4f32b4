package outside.thrift

import java.lang.foreign.{Arena, MemorySegment}
import java.nio.ByteBuffer
import java.util.UUID
import org.apache.thrift.{TApplicationException, TDeserializer, TFieldIdEnum}
import org.apache.thrift.protocol.*
import undercroft.thrift.*

/** The constants that Thrift's compiler generates as `Order._Fields`. */
enum OrderField extends TFieldIdEnum:
  case Id, Price, Tags, Bytes, Next, Counts, Marks, Paid, Key, IsPaid, Weight, Absent
  def getThriftFieldId: Short = (ordinal + 1).toShort
  def getFieldName: String = toString

/** Single fields of a message, against the whole message and against libthrift. */
class PartialReadTest extends MessageSuite:
  import OrderField.*

  private def libthrift(format: ThriftFormat) = TDeserializer(format match
    case ThriftFormat.Binary  => TBinaryProtocol.Factory()
    case ThriftFormat.Compact => TCompactProtocol.Factory())

  for format <- ThriftFormat.values do
    test(s"each field of a message is read alone, $format"):
      val order = Order.sample(levels = 3)
      val bytes = serialized(order, format)
      val deserializer = ThriftDeserializer(format)
      assertEquals(deserializer.field[String](bytes, Id), Some(order.id))
      assertEquals(deserializer.field[Long](bytes, Price), Some(order.price))
      assertEquals(deserializer.field[ByteBuffer](bytes, Bytes), Some(order.bytes))
      assertEquals(deserializer.field[UUID](bytes, Key), Some(order.key))
      assertEquals(deserializer.field[Boolean](bytes, IsPaid), Some(true))
      assertEquals(deserializer.field[Double](bytes, Weight), Some(0.1))
      assertEquals(deserializer.field[Double](bytes, Next, Next, Next, Weight), Some(0.1))
      assertEquals(deserializer.struct(Order(), bytes, Next), Some(order.next))
      assertEquals(deserializer.struct(Payment(), bytes, Next, Paid), Some(order.payment))
      // The field 1 of a union, which is a struct of one field.
      assertEquals(deserializer.field[String](bytes, Paid, Id), Some("1234"))
      assertEquals(deserializer.field[String](bytes, Paid, Price), None)
      assertEquals(deserializer.field[Int](bytes, Absent), None)
      assertEquals(deserializer.field[Int](bytes, Absent, Id), None)
      assertEquals(deserializer.field[Int](bytes, Next, Next, Next, Next, Price), None)

    test(s"the result is that of libthrift's partial deserialization, $format"):
      val order = Order.sample(levels = 2)
      val bytes = serialized(order, format)
      val (ours, theirs) = (ThriftDeserializer(format), libthrift(format))
      for path <- List(List(Price), List(Next, Price), List(Next, Next, Price), List(Absent)) do
        val expected = theirs.partialDeserializeI64(bytes, path.head, path.tail*)
        assertEquals(ours.field[Long](bytes, path*), Option(expected).map(_.toLong))
      assertEquals(
        ours.field[String](bytes, Next, Id),
        Option(theirs.partialDeserializeString(bytes, Next, Id))
      )
      assertEquals(
        ours.field[ByteBuffer](bytes, Next, Bytes),
        Option(theirs.partialDeserializeByteArray(bytes, Next, Bytes))
      )
      val fault = serialized(TApplicationException(6, "no such user"), format)
      assertEquals(
        ours.field[Int](fault, Price),
        Option(theirs.partialDeserializeI32(fault, Price)).map(_.toInt)
      )

    test(s"small numbers are read alone, $format"):
      val bytes = written(format): to =>
        to.writeStructBegin(TStruct("Small"))
        to.writeFieldBegin(TField("", TType.BYTE, 1))
        to.writeByte(-7)
        to.writeFieldEnd()
        to.writeFieldBegin(TField("", TType.I16, 2))
        to.writeI16(-300)
        to.writeFieldEnd()
        to.writeFieldStop()
        to.writeStructEnd()
      val deserializer = ThriftDeserializer(format)
      assertEquals(deserializer.field[Byte](bytes, Id), Some((-7).toByte))
      assertEquals(deserializer.field[Short](bytes, Price), Some((-300).toShort))

    test(s"nothing after the value is read, and a value cut short is an error, $format"):
      val bytes = serialized(Order.sample(), format)
      val deserializer = ThriftDeserializer(format)
      val whole = deserializer.field[Long](bytes, Price)
      val end = deserializer.position.toInt
      assert(end <= 40, s"$end bytes were read of ${bytes.length}")
      assertEquals(deserializer.field[Long](bytes.take(end), Price), whole)
      for size <- 0 until end do
        intercept[MessageTransportException](deserializer.field[Long](
          bytes.take(size),
          Price
        )): Unit
        // The deserializer can be used again.
        assertEquals(deserializer.field[Long](bytes, Price), whole)
      intercept[MessageTransportException](deserializer.field[Int](bytes.take(end), Absent)): Unit

    test(s"a field of another type is an error that names both, also on the way, $format"):
      val bytes = serialized(Order.sample(), format)
      val deserializer = ThriftDeserializer(format)
      def message(read: => Any) = intercept[MessageProtocolException](read).problem
      assertEquals(
        message(deserializer.field[Int](bytes, Price)),
        "field 2 (Price) is of type i64, not i32"
      )
      assertEquals(
        message(deserializer.field[Long](bytes, Tags, Price)),
        "field 3 (Tags) is of type list, not struct"
      )
      assertEquals(
        message(deserializer.struct(Order(), bytes, Id)),
        "field 1 (Id) is of type string or binary, not struct"
      )
      assertEquals(deserializer.field[Long](bytes, Price), Some(-251L << 33))

    test(s"skipped fields are limited in depth and size as others are, $format"):
      val bytes = serialized(Order.sample(levels = 20), format)
      val strict = ThriftDeserializer(format, limits = ThriftLimits(depth = 8))
      val error = intercept[MessageProtocolException](strict.field[UUID](bytes, Key))
      assertEquals(error.problem, "structs and containers exceed the nesting limit of 8")
      assertEquals(strict.field[Long](bytes, Next, Next, Price), Some(-251L << 33))
      intercept[MessageProtocolException]:
        strict.field[Long](bytes, (List.fill(12)(Next) :+ Price)*)
      : Unit

    test(s"a skipped scalar is no level of nesting, a skipped struct or container is one, $format"):
      val fault = serialized(TApplicationException(6, "no such user"), format)
      val flat = ThriftDeserializer(format, limits = ThriftLimits(depth = 1))
      assertEquals(flat.field[Int](fault, Price), Some(6))
      val order = Order("flat")
      order.tags = Vector("a", "b")
      order.counts = Map("a" -> 1)
      order.marks = Set(7)
      val bytes = serialized(order, format)
      assertEquals(flat.field[Long](bytes, Price), Some(0L))
      val error = intercept[MessageProtocolException](flat.field[ByteBuffer](bytes, Bytes))
      assertEquals(error.getType, TProtocolException.DEPTH_LIMIT)
      assertEquals(error.problem, "structs and containers exceed the nesting limit of 1")
      val nested = ThriftDeserializer(format, limits = ThriftLimits(depth = 2))
      assertEquals(nested.field[Double](bytes, Weight), Some(0.0))

    test(s"a field of a framed message and of native memory, $format"):
      val bytes = serialized(Order.sample(), format)
      val deserializer = ThriftDeserializer(format, framed = true)
      assertEquals(deserializer.field[Long](framed(bytes), Next, Price), Some(-251L << 33))
      val arena = Arena.ofConfined()
      val copy = arena.allocate(bytes.length, 1).copyFrom(MemorySegment.ofArray(bytes))
      val plain = ThriftDeserializer(format)
      assertEquals(plain.field[Boolean](copy, Next, IsPaid), Some(true))
      assertEquals(
        plain.struct(Payment(), copy, Paid),
        Some(Payment.card("1234"))
      )
      arena.close()
      intercept[IllegalStateException](plain.field[Boolean](copy, Next, IsPaid)): Unit
  end for

  test("a bool field of the wrong type does not change the next message"):
    val deserializer = ThriftDeserializer(ThriftFormat.Compact)
    for _ <- 1 to 2 do
      val bool = Array[Byte](0x11, 0) // field 1 is true
      intercept[MessageProtocolException](deserializer.field[Int](bool, Id)): Unit
      // field 1 is a list of two bools, field 2 is the i32 7
      val list = Array[Byte](0x19, 0x21, 1, 1, 0x15, 0x0e, 0)
      assertEquals(deserializer.field[Int](list, Price), Some(7))

  test("an empty path, a null in it and a null message are refused"):
    val deserializer = ThriftDeserializer()
    val bytes = serialized(Order.sample(), ThriftFormat.Binary)
    val error = intercept[IllegalArgumentException](deserializer.field[Int](bytes))
    assertEquals(error.getMessage, "the path of a field must have at least 1 field, but has 0")
    intercept[NullPointerException](deserializer.field[Int](bytes, Next, null)): Unit
    intercept[NullPointerException](deserializer.struct(null: Order, bytes, Next)): Unit

  test("a field of every damaged message is a value, absent, or an error with a position"):
    val seed = scala.util.Random.nextLong()
    val random = scala.util.Random(seed)
    for format <- ThriftFormat.values do
      val deserializer = ThriftDeserializer(format)
      val bytes = serialized(Order.sample(), format)
      for round <- 1 to 20_000 do
        val damaged = bytes.clone
        damaged(random.nextInt(bytes.length)) = random.nextInt().toByte
        try deserializer.field[Long](damaged, Next, Price): Unit
        catch
          case _: (MessageProtocolException | MessageTransportException) => ()
          case other: Throwable => fail(s"seed $seed, round $round, $format: $other", other)
end PartialReadTest
