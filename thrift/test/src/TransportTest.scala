package undercroft.thrift

import java.io.ByteArrayOutputStream
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.ByteBuffer
import org.apache.thrift.protocol.{TBinaryProtocol, TMessage, TMessageType, TProtocol}
import org.apache.thrift.transport.{TIOStreamTransport, TTransportException}
import undercroft.buffer.{Buffer, ByteOutput, SegmentPool}

/** One suite over all transports and formats, with this module's protocols and libthrift's. */
class TransportTest extends undercroft.tools.Suite:
  private val seed = 20260721L
  private def messages: Vector[Everything] =
    val random = java.util.Random(seed)
    Vector.fill(40)(Everything.random(random, 2))

  private type Protocols = (ThriftFormat, TBytesTransport) => TProtocol
  private val protocols: Vector[(String, Protocols)] = Vector(
    "our protocol" -> (_.protocol(_)),
    "libthrift's protocol" -> ((format, transport) => Stock.protocol(format, transport))
  )

  for
    format <- ThriftFormat.values
    framed <- Seq(false, true)
    (name, protocol) <- protocols
  do
    val title = s"$name, $format${if framed then ", framed" else ""}"

    test(s"TOutputTransport writes the same bytes as libthrift ($title)"):
      val out = ByteOutput()
      try
        val transport = TOutputTransport(out, framed)
        val writer = protocol(format, transport)
        for message <- messages do
          out.reset()
          message.write(writer)
          transport.flush()
          assertEquals(out.toByteArray().toSeq, Stock.bytes(message, format, framed).toSeq)
      finally out.close()

    test(s"TBufferTransport writes the same bytes as libthrift and reads them back ($title)"):
      for segmentBytes <- Seq(1, 7, 8192) do
        val pool = SegmentPool.synchronizedPool(segmentBytes = segmentBytes, debug = true)
        val buffer = Buffer(using pool)
        val transport = TBufferTransport(buffer, framed, frame = Buffer(using pool))
        val through = protocol(format, transport)
        for message <- messages.take(if segmentBytes == 1 then 4 else 40) do
          message.write(through)
          transport.flush()
          val expected = Stock.bytes(message, format, framed)
          assertEquals(buffer.snapshot().toByteArray.toSeq, expected.toSeq)
          val before = transport.position
          val read = Everything()
          through.reset()
          read.read(through)
          assertEquals(read, message)
          assertEquals(transport.position - before, expected.length.toLong)
        assert(buffer.isEmpty)
        pool.assertNoLeaks()

    test(s"TSegmentTransport reads native and heap segments in place ($title)"):
      val arena = Arena.ofConfined()
      try
        for message <- messages do
          val bytes = Stock.bytes(message, format, framed)
          val heap = MemorySegment.ofArray(bytes)
          val native = arena.allocate(bytes.length, 1).copyFrom(heap)
          for segment <- Seq(heap, native) do
            val transport = TSegmentTransport(segment, framed)
            val read = Everything()
            read.read(protocol(format, transport))
            assertEquals(read, message)
            assertEquals(transport.position, bytes.length.toLong)
            assertEquals(transport.remaining, 0L)
            assert(!transport.peek())
      finally arena.close()

    test(s"the result of readBinary is unchanged after its segment is reused ($title)"):
      val pool = SegmentPool.synchronizedPool(wipe = true)
      val buffer = Buffer(using pool)
      val transport = TBufferTransport(buffer, framed, frame = Buffer(using pool))
      val through = protocol(format, transport)
      val message = Everything()
      message.bytes = java.nio.ByteBuffer.wrap("kept".getBytes)
      message.write(through)
      transport.flush()
      val read = Everything()
      read.read(through)
      assert(buffer.isEmpty)
      pool.assertNoLeaks()
      buffer.write(Array.fill[Byte](20000)(99)): Unit // reuses the segment
      assertEquals(read, message)
      read.bytes.put(0, 'K'.toByte): Unit // independent of the buffer's segments
      assertEquals(buffer.indexOf('K'.toByte), -1L)
      buffer.clear()
      // In place: a change of the memory does not change the values that were read.
      val bytes = Stock.bytes(message, format, framed)
      val copy = Everything()
      copy.read(protocol(format, TSegmentTransport(MemorySegment.ofArray(bytes), framed)))
      java.util.Arrays.fill(bytes, 0.toByte)
      assertEquals(copy, message)

    test(s"the header of a call is written and read back ($title)"):
      val buffer = Buffer()
      val transport = TBufferTransport(buffer, framed)
      val through = protocol(format, transport)
      through.writeMessageBegin(TMessage("open", TMessageType.CALL, 7))
      messages.head.write(through)
      through.writeMessageEnd()
      transport.flush()
      val head = through.readMessageBegin()
      assertEquals((head.name, head.`type`, head.seqid), ("open", TMessageType.CALL, 7))
      val read = Everything()
      read.read(through)
      assertEquals(read, messages.head)
  end for

  test("two consecutive frames are read one by one"):
    val out = ByteOutput()
    val transport = TOutputTransport(out, framed = true)
    val writer = BinaryProtocol(transport)
    for message <- messages.take(2) do
      message.write(writer)
      transport.flush()
    transport.flush() // nothing was written: no frame
    val reader = BinaryProtocol(TSegmentTransport(out.segment, framed = true))
    for message <- messages.take(2) do
      val read = Everything()
      read.read(reader)
      assertEquals(read, message)
    out.close()

  test("a flush of TOutputTransport writes values of every size to the output in order"):
    val random = scala.util.Random(seed)
    for framed <- Seq(false, true) do
      val out = ByteOutput()
      val transport = TOutputTransport(out, framed)
      val protocol = BinaryProtocol(transport)
      val expected = ByteArrayOutputStream()
      val stock = TBinaryProtocol(TIOStreamTransport(expected))
      for round <- 1 to 200 do
        val size = if round % 20 == 0 then random.nextInt(40_000) else random.nextInt(3_000)
        val text = (if round % 2 == 0 then "a" else "日") * (size / 3)
        val bytes = random.nextBytes(size)
        for to <- Seq(protocol, stock) do
          to.writeI64(round)
          to.writeString(text)
          to.writeByte(round.toByte)
          to.writeBinary(ByteBuffer.wrap(bytes))
          to.writeI16(round.toShort)
        val before = if framed then 4 else 0
        assertEquals(transport.position, expected.size.toLong + before)
      transport.flush()
      val written = out.toByteArray().toSeq
      assertEquals(written.drop(if framed then 4 else 0), expected.toByteArray.toSeq)
      if framed then assertEquals(ByteBuffer.wrap(out.toByteArray()).getInt, expected.size)
      out.close()
    end for

  test("a frame whose first write has any number of bytes is read back"):
    for count <- 8180 to 8200 do
      val out = ByteOutput()
      val transport = TOutputTransport(out, framed = true)
      for round <- 1 to 2 do
        transport.write(Array.fill[Byte](count)(round.toByte), 0, count)
        transport.flush()
        assertEquals(out.size, round * (4L + count))
      val reader = TSegmentTransport(out.segment, framed = true)
      for round <- 1 to 2 do
        val read = new Array[Byte](count)
        reader.readAll(read, 0, count): Unit
        assert(read.forall(_ == round), s"$count bytes, round $round")
        reader.resetMessageSizeAndConsumedBytes(-1)
      out.close()

  test("writing a string beyond the limit throws MESSAGE_SIZE_LIMIT and writes nothing"):
    val limits = ThriftLimits(stringBytes = 6)
    val out = ByteOutput()
    val buffer = Buffer()
    for transport <-
        Seq(TOutputTransport(out, limits = limits), TBufferTransport(buffer, limits = limits))
    do
      val protocol = BinaryProtocol(transport)
      for text <- Seq("123456", "日本", "ab", "\ud83ca") do protocol.writeString(text)
      for (text, bytes) <- Seq("1234567" -> 7, "日本a" -> 7, "a" * 5000 -> 5000, "日" * 5000 -> 15000)
      do
        val at = out.size
        val error = intercept[MessageTransportException](protocol.writeString(text))
        assertEquals(error.getType, TTransportException.MESSAGE_SIZE_LIMIT)
        assertEquals(error.problem, s"a string of $bytes bytes exceeds the limit of 6")
        assertEquals(out.size, at)
      transport.flush()
    assertEquals(out.size, 4L * 4 + 6 + 6 + 2 + 2)
    assertEquals(buffer.size, out.size)
    out.close()

  test("a message limit of Long.MaxValue applies to every message of a transport"):
    val limits = ThriftLimits(messageBytes = Long.MaxValue)
    val segment = TSegmentTransport(MemorySegment.ofArray(new Array[Byte](100)), limits = limits)
    val buffer = TBufferTransport(Buffer().write(new Array[Byte](100)).buffer, limits = limits)
    for transport <- Seq(segment, buffer); round <- 0 to 9 do
      assertEquals(transport.remaining, 100L - round * 10)
      intercept[MessageTransportException](transport.checkReadBytesAvailable(101)): Unit
      transport.readAll(new Array[Byte](10), 0, 10): Unit
      transport.resetMessageSizeAndConsumedBytes(-1)

  test("reading an output transport and writing a segment transport throw TTransportException"):
    val out = ByteOutput()
    val read = intercept[TTransportException](BinaryProtocol(TOutputTransport(out)).readI32())
    assertEquals(read.getType, TTransportException.NOT_OPEN)
    val segment = TSegmentTransport(MemorySegment.ofArray(new Array[Byte](4)))
    val written = intercept[TTransportException](BinaryProtocol(segment).writeI32(1))
    assertEquals(written.getMessage, "a TSegmentTransport cannot be written")
    out.close()

  test("the configuration of a transport has the limits of ThriftLimits, capped at Int.MaxValue"):
    val configuration = TSegmentTransport(MemorySegment.NULL).getConfiguration
    assertEquals(configuration.getMaxMessageSize, Int.MaxValue)
    assertEquals(configuration.getRecursionLimit, 64)
    val error = intercept[IllegalArgumentException](ThriftLimits(depth = 0))
    assertEquals(error.getMessage, "depth must be at least 1, but is 0")

  test("an unpaired surrogate is written as a question mark and counted as one byte"):
    for text <- Seq("", "a", "ü", "日", "🂡", "\ud83c", "a\ud83cb", "\udca1") do
      def clue = text.map(_.toInt).mkString(" ")
      val out = ByteOutput()
      val transport = TOutputTransport(out)
      BinaryProtocol(transport).writeString(text)
      transport.flush()
      val buffer = Buffer()
      BinaryProtocol(TBufferTransport(buffer)).writeString(text)
      val expected = text.getBytes("UTF-8").toSeq
      assertEquals(
        out.toByteArray().toSeq,
        Seq[Byte](0, 0, 0, expected.size.toByte) ++ expected,
        clue
      )
      assertEquals(buffer.readByteArray().toSeq, out.toByteArray().toSeq, clue)
      out.close()
end TransportTest
