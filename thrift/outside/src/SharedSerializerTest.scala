package outside.thrift

import java.lang.foreign.MemorySegment
import java.util.ConcurrentModificationException
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}
import java.util.concurrent.atomic.AtomicReference
import org.apache.thrift.TException
import undercroft.buffer.*
import undercroft.thrift.*

/** Serializers and outputs that threads share without synchronization. */
class SharedSerializerTest extends MessageSuite:
  private val Messages = 100

  /** Runs `body` on two threads at once; returns an exception of each class. */
  private def together(body: Int => Unit): List[Throwable] =
    val start = CountDownLatch(1)
    val errors = ConcurrentHashMap[Class[?], Throwable]()
    val threads = Vector.tabulate(2): i =>
      Thread.ofPlatform.daemon.start: () =>
        start.await()
        for _ <- 1 to Messages do
          try body(i)
          catch case error: Throwable => errors.put(error.getClass, error)
    start.countDown()
    threads.foreach(_.join(60_000))
    assert(threads.forall(!_.isAlive), "a thread does not end")
    errors.values.toArray(new Array[Throwable](0)).toList

  /** Checks that there are only errors by which a class states that it is not thread-safe. */
  private def assertExpected(errors: List[Throwable])(using munit.Location): Unit =
    val unexpected = errors.filter:
      case _: (ConcurrentModificationException | IndexOutOfBoundsException) => false
      case _: (IllegalStateException | TException)                          => false
      case error: NullPointerException                                      => !isOfLibthrift(error)
      case _                                                                => true
    assertEquals(unexpected, Nil)

  /** TCompactProtocol keeps the header of a Boolean field in a field that another thread may reset.
    * The JIT may omit the stack of the error.
    */
  private def isOfLibthrift(error: NullPointerException): Boolean =
    error.getStackTrace.headOption.forall(_.getClassName.startsWith("org.apache.thrift."))

  private val big = Order("x" * 20_000)

  for format <- ThriftFormat.values; isFramed <- List(false, true) do
    testRounds(
      s"serializers that share an output write to no other memory ($format, framed $isFramed)"
    )(
      rounds = 10,
      longRounds = 200
    ): rounds =>
      var errors = List.empty[Throwable]
      val other = ByteOutput(1 << 20)
      other.write(Array.fill[Byte](50_000)(0x11))
      for round <- 1 to rounds do
        val out = ByteOutput(64 << 20)
        val serializers = Vector.fill(2)(ThriftSerializer(format, isFramed, output = out))
        val messages = Vector(Order.sample(), big)
        errors ++= together(i => serializers(i).serialize(messages((i + round) % 2)))
        for (serializer, message) <- serializers.zip(messages) do
          val bytes = serializer.serialize(message).segment
          val deserializer = ThriftDeserializer(format, isFramed)
          assertEquals(deserializer.deserialize(Order(), bytes), message, s"round $round")
        out.close()
      assert(other.toByteArray().forall(_ == 0x11))
      other.close()
      assertExpected(errors)

    testRounds(
      s"a serializer that threads shared writes messages again ($format, framed $isFramed)"
    )(
      rounds = 10,
      longRounds = 200
    ): rounds =>
      var errors = List.empty[Throwable]
      val other = ByteOutput(1 << 20)
      other.write(Array.fill[Byte](50_000)(0x11))
      for round <- 1 to rounds do
        val serializer = ThriftSerializer(format, isFramed, output = ByteOutput(64 << 20))
        val messages = Vector(Order.sample(), big)
        errors ++= together(i => serializer.serialize(messages((i + round) % 2)))
        for message <- messages do
          val bytes = serializer.serialize(message).segment
          val deserializer = ThriftDeserializer(format, isFramed)
          assertEquals(deserializer.deserialize(Order(), bytes), message, s"round $round")
        serializer.close()
      assert(other.toByteArray().forall(_ == 0x11))
      other.close()
      assertExpected(errors)

    testRounds(s"a message that is read as its output is trimmed ends no JVM ($format, $isFramed)")(
      rounds = 10,
      longRounds = 200
    ): rounds =>
      var errors = List.empty[Throwable]
      for round <- 1 to rounds do
        val serializer = ThriftSerializer(format, isFramed, output = ByteOutput(64 << 20))
        val deserializer = ThriftDeserializer(format, isFramed)
        val segment = AtomicReference(MemorySegment.ofArray(new Array[Byte](4)))
        errors ++= together: i =>
          if i == 0 then
            segment.set(serializer.serialize(big).segment)
            serializer.trim()
          else deserializer.deserialize(Order(), segment.get): Unit
        val bytes = serializer.serialize(big).segment
        assertEquals(deserializer.deserialize(Order(), bytes), big, s"round $round")
        serializer.close()
      assertExpected(errors)
  end for
end SharedSerializerTest
