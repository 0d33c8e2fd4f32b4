package undercroft.lab.fuzz

import org.apache.thrift.TException
import undercroft.buffer.{Buffer, SegmentPool}
import undercroft.thrift.*

/** Messages in place and in buffers, which must agree. The first byte chooses format and frame. */
object ThriftTarget extends Target:
  def name: String = "thrift"

  private val pool = SegmentPool.synchronizedPool(segmentBytes = 64, debug = true)

  def samples: Seq[Array[Byte]] =
    for
      format <- ThriftFormat.values.toSeq
      framed <- Seq(false, true)
    yield
      val message = Everything.random(java.util.Random(3), 1)
      // The longest of the strings would be most of a seed.
      if message.text.length > 100 then message.text = "nöt ASCII"
      message.children = message.children.take(1)
      val serializer = ThriftSerializer(format, framed)
      try
        val choice = format.ordinal | (if framed then 2 else 0)
        choice.toByte +: serializer.serialize(message).toByteArray()
      finally serializer.close()

  def run(input: Array[Byte]): Unit = if input.nonEmpty then
    val format = ThriftFormat.fromOrdinal(input(0) & 1)
    val framed = (input(0) & 2) != 0
    val bytes = input.drop(1)
    val inPlace = outcome(ThriftDeserializer(format, framed).deserialize(Everything(), bytes))
    given SegmentPool = pool
    val buffer = Buffer().write(bytes).buffer
    val buffered = outcome(ThriftDeserializer(format, framed).deserialize(Everything(), buffer))
    buffer.clear()
    pool.assertNoLeaks()
    (inPlace, buffered) match
      case (Left(left), Left(right)) if left == right => ()
      case (Right(left), Right(right))                =>
        // Not by equals: a NaN is not equal to itself.
        val (first, second) = (serialized(left, format), serialized(right, format))
        if !java.util.Arrays.equals(first, second) then
          throw AssertionError("a message in place differs from the same in a buffer")
        val again = serialized(ThriftDeserializer(format).deserialize(Everything(), first), format)
        if !java.util.Arrays.equals(again, first) then
          throw AssertionError("a message differs after it was written and read")
      case (left, right) =>
        throw AssertionError(s"the message in place is $left, the message in a buffer is $right")

  private def serialized(message: Everything, format: ThriftFormat): Array[Byte] =
    val serializer = ThriftSerializer(format)
    try serializer.serialize(message).toByteArray()
    finally serializer.close()

  /** The message, or the text of its error. */
  private def outcome(message: => Everything): Either[String, Everything] =
    try Right(message)
    catch case error: TException => Left(String.valueOf(error.getMessage).nn)
end ThriftTarget
