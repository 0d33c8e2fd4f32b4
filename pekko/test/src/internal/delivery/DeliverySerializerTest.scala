package undercroft.pekko
package internal.delivery

import org.apache.pekko.actor.ExtendedActorSystem
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import org.apache.pekko.actor.typed.scaladsl.adapter.TypedActorSystemOps
import org.apache.pekko.serialization.SerializationExtension
import scala.util.Random

/** Batches and acknowledgements as bytes, also cut and forged ones. */
class DeliverySerializerTest extends undercroft.tools.Suite:

  private def serializing(body: (DeliverySerializer, typed.ActorRef[Acknowledgement]) => Unit)
      : Unit =
    val system = typed.ActorSystem[Acknowledgement](Behaviors.ignore, "delivery")
    try
      val classic = system.toClassic.asInstanceOf[ExtendedActorSystem]
      val message = Acknowledgement(1, 1, Outcome.Accepted)
      SerializationExtension(classic).findSerializerFor(message) match
        case serializer: DeliverySerializer => body(serializer, system)
        case other                          => fail(s"${other.getClass} is registered")
    finally system.terminate()

  private def batch(replyTo: typed.ActorRef[Acknowledgement]) = DeliveryBatch(
    replyTo,
    base = 7,
    first = 9,
    transmission = 3,
    Array(
      Payload(4, "a", Array[Byte](1, 2, 3)),
      Payload(4, "a", Array.emptyByteArray),
      Payload.Withdrawn,
      Payload(5, "\u00e4", new Array[Byte](1000))
    )
  )

  test("a batch is read as it was written"):
    serializing: (serializer, replyTo) =>
      val written = batch(replyTo)
      serializer.fromBinary(serializer.toBinary(written), "b") match
        case read: DeliveryBatch =>
          assertEquals((read.base, read.first, read.transmission), (7L, 9L, 3L))
          assertEquals(read.replyTo.path.toString, replyTo.path.toString)
          val pairs = written.payloads.zip(read.payloads)
          assertEquals(pairs.length, 4)
          assert(read.payloads(2) eq Payload.Withdrawn)
          for (one, other) <- pairs do
            assertEquals((other.serializer, other.manifest), (one.serializer, one.manifest))
            assertEquals(other.bytes.toSeq, one.bytes.toSeq)
        case other => fail(s"$other was read")

  test("acknowledgements are read as they were written"):
    serializing: (serializer, _) =>
      val outcomes =
        List(
          Outcome.Accepted,
          Outcome.Gap,
          Outcome.Full,
          Outcome.NotStored,
          Outcome.Unreadable("a reason")
        )
      for outcome <- outcomes do
        serializer.fromBinary(serializer.toBinary(Acknowledgement(5, 6, outcome)), "a") match
          case read: Acknowledgement =>
            assertEquals((read.expected, read.transmission, read.outcome), (5L, 6L, outcome))
          case other => fail(s"$other was read")

  test("every cut of a batch is refused, and forged bytes cause no error of the JVM"):
    serializing: (serializer, replyTo) =>
      val bytes = serializer.toBinary(batch(replyTo))
      for length <- 0 until bytes.length do
        intercept[RuntimeException](serializer.fromBinary(bytes.take(length), "b")): Unit
      for seed <- 1 to 2000 do
        val random = Random(seed)
        val forged = bytes.clone
        for _ <- 1 to 3 do forged(random.nextInt(200)) = random.nextInt().toByte
        try serializer.fromBinary(forged, "b"): Unit
        catch
          case _: RuntimeException => ()
          case error: Throwable    => fail(s"seed $seed: $error")
end DeliverySerializerTest
