package outside.thrift

import org.apache.thrift.protocol.*
import undercroft.buffer.ByteOutput
import undercroft.thrift.*

/** Structs and containers that are nested deeper than the limit, or without an end. */
class NestingTest extends MessageSuite:

  private def chain(levels: Int): Order =
    val first = Order("0")
    var last = first
    for level <- 1 until levels do
      last.next = Order(s"$level")
      last = last.next
    first

  /** The headers of nested values without an end, as in a message that attacks the stack. */
  private def endless(format: ThriftFormat): Map[String, Array[Byte]] =
    val levels = 100_000
    val isBinary = format == ThriftFormat.Binary
    def repeated(header: Int*): Array[Byte] =
      Array.fill(levels)(header.map(_.toByte).toArray).flatten
    def field(kind: Byte, id: Int): Array[Byte] =
      written(format)(_.writeFieldBegin(TField("", kind, id.toShort)))
    val known = if isBinary then repeated(12, 0, 5) else repeated(0x5c)
    val structs = if isBinary then repeated(12, 0, 1) else repeated(0x1c)
    val lists = if isBinary then repeated(15, 0, 0, 0, 1) else repeated(0x19)
    val sets = if isBinary then repeated(14, 0, 0, 0, 1) else repeated(0x1a)
    val maps = if isBinary then repeated(13, 13, 0, 0, 0, 1) else repeated(0x01, 0xbb)
    Map(
      "structs in a known field" -> known,
      "structs in an unknown field" -> (field(TType.STRUCT, 99) ++ structs),
      "lists in an unknown field" -> (field(TType.LIST, 99) ++ lists),
      "sets in an unknown field" -> (field(TType.SET, 99) ++ sets),
      "maps in an unknown field" -> (field(TType.MAP, 99) ++ maps)
    )

  for format <- ThriftFormat.values; source <- Source.values do
    test(s"a message is read up to the depth limit, and one more level throws ($format, $source)"):
      for limit <- List(2, 8, 64) do
        val deserializer = ThriftDeserializer(format, limits = ThriftLimits(depth = limit))
        val message = chain(limit - 1) // the last order has containers, which are a level
        assertEquals(read(Order(), serialized(message, format), source, deserializer), message)
        errorOf(serialized(chain(limit), format), source, deserializer) match
          case error: MessageProtocolException =>
            assertEquals(error.getType, TProtocolException.DEPTH_LIMIT, s"$error")
            assertEquals(
              error.problem,
              s"structs and containers exceed the nesting limit of $limit"
            )
          case error => fail(s"depth $limit: $error")
        assertEquals(read(Order(), serialized(message, format), source, deserializer), message)

    for (values, bytes) <- endless(format) do
      test(s"100 000 nested $values are an error before the stack overflows ($format, $source)"):
        val deserializer = ThriftDeserializer(format)
        errorOf(bytes, source, deserializer) match
          case error: MessageProtocolException =>
            assertEquals(error.getType, TProtocolException.DEPTH_LIMIT, s"$error")
            assert(error.position < 1000, s"$error")
          case error => fail(s"$error")
        val message = Order.sample()
        assertEquals(read(Order(), serialized(message, format), source, deserializer), message)
  end for

  for format <- ThriftFormat.values; isFramed <- List(false, true) do
    test(
      s"a message that contains itself and has no depth limit overflows the stack ($format, framed $isFramed)"
    ):
      val deep = ThriftLimits(depth = Int.MaxValue)
      val serializer = ThriftSerializer(format, isFramed, deep, ByteOutput(256 << 20))
      val deserializer = ThriftDeserializer(format, isFramed)
      val cycle = Order("cycle")
      cycle.next = Order("of two")
      cycle.next.next = cycle
      for round <- 1 to 10 do
        val error = errorOnSmallStack(serializer.serialize(cycle): Unit)
        assert(error.isInstanceOf[StackOverflowError], s"round $round: $error")
        val message = Order.sample()
        val out = serializer.serialize(message)
        assertEquals(deserializer.deserialize(Order(), out.segment), message, s"round $round")
      serializer.close()

  /** Runs `body` on a thread whose stack overflows soon; returns its exception. */
  private def errorOnSmallStack(body: => Unit): Throwable =
    var error: Throwable = null
    val run: Runnable = () =>
      try body
      catch case cause: Throwable => error = cause
    val thread = Thread(null, run, "small stack", 512 << 10)
    thread.start()
    thread.join(60_000)
    assert(!thread.isAlive, "the thread does not end")
    error
end NestingTest
