package outside.thrift

import java.util.SplittableRandom
import org.apache.thrift.transport.TTransportException
import undercroft.thrift.*

/** Truncated messages and random bytes, from each kind of memory. */
class MalformedInputTest extends MessageSuite:
  private val seed = 20261122L

  for format <- ThriftFormat.values; source <- Source.values do
    test(s"a message that is cut at any length is an error with that end ($format, $source)"):
      val bytes = serialized(Order.sample(), format)
      val deserializer = ThriftDeserializer(format)
      for length <- 0 until bytes.length do
        errorOf(bytes.take(length), source, deserializer) match
          case error: MessageTransportException =>
            assertEquals(error.getType, TTransportException.END_OF_FILE, s"$length bytes: $error")
            assert(error.position <= length, s"$length bytes: $error")
            assert(
              error.getMessage.endsWith(s" remain at position ${error.position}"),
              s"$length bytes: $error"
            )
          case error => fail(s"$length bytes: $error")
        // The deserializer has no memory of the error.
        assertEquals(read(Order(), bytes, source, deserializer), Order.sample())

    test(s"a frame that is cut at any length is an error ($format, $source)"):
      val bytes = framed(serialized(Order.sample(), format))
      val deserializer = ThriftDeserializer(format, framed = true)
      for length <- 0 until bytes.length do
        errorOf(bytes.take(length), source, deserializer) match
          case error: MessageTransportException =>
            assertEquals(error.getType, TTransportException.END_OF_FILE, s"$length bytes: $error")
            if length >= 4 then
              assertEquals(
                error.getMessage,
                s"expected a frame of ${bytes.length - 4} bytes, but only ${length - 4} remain " +
                  "at position 0"
              )
          case error => fail(s"$length bytes: $error")
        assertEquals(read(Order(), bytes, source, deserializer), Order.sample())

    test(s"a frame that is shorter than its message is an error at its end ($format, $source)"):
      val bytes = serialized(Order.sample(), format)
      val deserializer = ThriftDeserializer(format, framed = true)
      for length <- 0 until bytes.length do
        errorOf(framed(bytes.take(length)), source, deserializer) match
          case error: MessageTransportException =>
            assertEquals(error.getType, TTransportException.END_OF_FILE, s"$length bytes: $error")
            assert(error.position <= length + 4, s"$length bytes: $error")
          case error => fail(s"$length bytes: $error")

    testRounds(s"random bytes are a message or an error, and allocate little ($format, $source)")(
      rounds = 1_000,
      longRounds = 50_000
    ): rounds =>
      val random = SplittableRandom(seed)
      val deserializer = loaded(format, source)
      var errors = 0
      for round <- 1 to rounds do
        val bytes = new Array[Byte](random.nextInt(200))
        random.nextBytes(bytes)
        if bytes.nonEmpty && random.nextInt(4) > 0 then bytes(0) = (1 + random.nextInt(16)).toByte
        errors += check(bytes, source, deserializer, s"seed $seed, round $round: ${hex(bytes)}")
      assert(errors > rounds * 4 / 5, s"$errors errors")

    testRounds(
      s"a message with random changes is read or an error, in little memory ($format, $source)"
    )(rounds = 1_000, longRounds = 50_000): rounds =>
      val random = SplittableRandom(seed)
      val deserializer = loaded(format, source)
      val valid = serialized(Order.sample(), format)
      var errors = 0
      for round <- 1 to rounds do
        val bytes = valid.clone()
        for _ <- 0 to random.nextInt(4) do
          val at = random.nextInt(bytes.length)
          bytes(at) = random.nextInt(4) match
            case 0 => (bytes(at) ^ 1 << random.nextInt(8)).toByte
            case 1 => Byte.MaxValue
            case 2 => -1
            case _ => random.nextInt().toByte
        errors += check(bytes, source, deserializer, s"seed $seed, round $round: ${hex(bytes)}")
      assert(errors > rounds / 5 && errors < rounds, s"$errors errors")
  end for

  /** A deserializer whose classes are loaded: that allocates, too. */
  private def loaded(format: ThriftFormat, source: Source): ThriftDeserializer =
    val deserializer = ThriftDeserializer(format)
    read(Order(), serialized(Order.sample(), format), source, deserializer): Unit
    errorOf(Array.emptyByteArray, source, deserializer): Unit
    deserializer

  /** Returns 1 if the message is an error. */
  private def check(
      bytes: Array[Byte],
      source: Source,
      deserializer: ThriftDeserializer,
      clue: => String
  ): Int =
    var errors = 0
    def allocated() = allocatedBy:
      try read(Order(), bytes, source, deserializer)
      catch
        case _: (MessageTransportException | MessageProtocolException) => errors = 1
        case other: Throwable => fail(s"$other, $clue", other)
    val most = (256 << 10) + 600L * bytes.length
    // A first read may also load classes.
    val count = if allocated() < most then 0L else allocated()
    assert(count < most, s"$count bytes, $clue")
    errors

  for format <- ThriftFormat.values; source <- Source.values do
    test(s"a message whose frame lacks the stop field is an error at its end ($format, $source)"):
      val cut = serialized(Order.sample(), format).dropRight(1)
      val bytes = framed(cut) ++ framed(serialized(Order("other"), format))
      errorOf(bytes, source, ThriftDeserializer(format, framed = true)) match
        case error: MessageTransportException =>
          assertEquals(error.position, cut.length + 4L, s"$error")
        case error => fail(s"$error")

    test(s"a frame that is shorter than its message is an error within it ($format, $source)"):
      val bytes = serialized(Order.sample(), format)
      val deserializer = ThriftDeserializer(format, framed = true)
      for length <- 0 until bytes.length do
        val short = framed(bytes.take(length)) ++ bytes.drop(length)
        errorOf(short, source, deserializer) match
          case error: MessageTransportException =>
            assert(error.position <= length + 4, s"$length bytes: $error")
          case error => fail(s"$length bytes: $error")
end MalformedInputTest
