package undercroft.pekko
package internal.bridge

import com.typesafe.config.ConfigFactory
import internal.delivery.{DeliveryBatch, Payload}
import java.nio.{ByteBuffer, ByteOrder}
import org.apache.pekko.actor.{ActorRef as ClassicRef, ActorSystem, ExtendedActorSystem}
import org.apache.pekko.cluster.sharding.typed.ShardingEnvelope
import scala.concurrent.Await
import scala.concurrent.duration.*
import scala.util.Random
import undercroft.actor.{ActorRef, DeadLetterReason}
import undercroft.actor.internal.cell.{HandlerOutcome, MessageTracer, Tracing}

/** The metadata of trace contexts in Artery's envelopes, also forged. */
class ContextInstrumentTest extends undercroft.tools.Suite:
  private final case class Note(text: String) derives CanEqual

  private object NoTracer extends MessageTracer:
    def sent(): AnyRef | Null = null
    def renewed(context: AnyRef, isRepeated: Boolean): AnyRef = context
    def outgoing(): String | Null = null
    def incoming(text: String, send: Runnable): Unit = send.run()
    def begin(actor: ActorRef[Nothing], message: AnyRef, context: AnyRef): AnyRef = context
    def end(handling: AnyRef, outcome: HandlerOutcome, failure: Throwable | Null): Unit = ()
    def lost(
        actor: ActorRef[Nothing],
        message: AnyRef,
        context: AnyRef,
        reason: DeadLetterReason
    ): Unit = ()

  private lazy val pekko = ActorSystem(
    "contexts",
    ConfigFactory.parseString("pekko.stdout-loglevel = off, pekko.loglevel = off")
      .withFallback(ConfigFactory.load())
  ).asInstanceOf[ExtendedActorSystem]

  private lazy val contexts =
    val table = ContextTable(pekko)
    val tracing = new Tracing()
    val isFirst = tracing.begin(NoTracer)
    assert(isFirst)
    table.use(tracing)
    table

  private lazy val instrument =
    val _ = contexts
    ContextInstrument(pekko)

  override def afterAll(): Unit =
    pekko.terminate(): Unit
    Await.ready(pekko.whenTerminated, 1.minute): Unit

  private def write(message: AnyRef, size: Int = 64 * 1024): ByteBuffer =
    val buffer = ByteBuffer.allocate(size)
    buffer.position(7)
    instrument.remoteWriteMetadata(ClassicRef.noSender, message, ClassicRef.noSender, buffer)
    assertEquals(buffer.order, ByteOrder.BIG_ENDIAN)
    buffer.limit(buffer.position).position(7)
    buffer

  private def read(message: AnyRef, buffer: ByteBuffer): Unit =
    instrument.remoteReadMetadata(ClassicRef.noSender, message, ClassicRef.noSender, buffer)

  private def batch(texts: (String | Null)*): DeliveryBatch =
    val payloads = texts.toArray.map: text =>
      val payload = Payload(1, "m", new Array[Byte](10))
      payload.context = text
      payload
    DeliveryBatch(null.asInstanceOf, 0, 0, 0, payloads)

  test("a message with a context is read with it, also inside an envelope of sharding"):
    for wrap <- List[Note => AnyRef](identity, ShardingEnvelope("id", _)) do
      val (sent, received) = (Note("a"), Note("a"))
      contexts.put(sent, "traceparent=00-ab\n")
      val buffer = write(wrap(sent))
      read(wrap(received), buffer)
      assert(!buffer.hasRemaining)
      assertEquals(contexts.take(sent), null)
      assertEquals(contexts.take(received), "traceparent=00-ab\n")
      assertEquals(contexts.take(received), null)

  test("messages without a context, and contexts that are too long, write nothing"):
    val long = Note("long")
    contexts.put(long, "x" * (ContextInstrument.MaxTextBytes + 1))
    for message <- List[AnyRef](
        Note("a"),
        "text",
        Int.box(5),
        ShardingEnvelope("id", Note("b")),
        long,
        batch(null, null),
        batch()
      )
    do assertEquals(write(message).remaining, 0, s"$message")

  test("the contexts of a batch are read with their messages"):
    val seed = System.nanoTime
    val random = Random(seed)
    for _ <- 1 to 200 do
      val texts = Vector.fill(random.nextInt(200)):
        List[String | Null](null, "a=1\n", "a=2\n", "é" * random.nextInt(20))(random.nextInt(4))
      val sent = batch(texts*)
      val received = batch(texts.map(_ => null)*)
      val buffer = write(sent)
      if buffer.hasRemaining then read(received, buffer)
      val found = received.payloads.toVector.map(_.context)
      assertEquals(found, texts, s"seed $seed")

  test("the metadata of a batch fits beside its messages"):
    val texts = Vector.tabulate(256)(i => s"traceparent=$i-${"x" * 200}\n")
    val full = batch(texts*)
    assert(write(full, 256 * 1024).remaining > 256 * 200)
    val huge = batch(Vector.tabulate(256)(i => s"$i${"x" * 1000}")*)
    val written = write(huge, 1024 * 1024).remaining
    assert(60_000 < written && written <= 65_536, s"$written")
    val length = full.payloads.iterator.map(_.length).sum
    for size <- List(length, length + 4096, length + 5000, length + 6000) do
      val buffer = write(full, size)
      assert(buffer.remaining <= math.max(0, size - 4096 - length), s"$size")

  test("forged metadata changes at most the context of its message"):
    val seed = System.nanoTime
    val random = Random(seed)
    var (accepted, rejected) = (0, 0)
    val valid =
      val sent = Note("a")
      contexts.put(sent, "traceparent=00-ab\n")
      val buffer = write(sent)
      val bytes = new Array[Byte](buffer.remaining)
      buffer.get(bytes)
      bytes
    for _ <- 1 to 20_000 do
      val bytes =
        valid.clone.take(if random.nextInt(3) == 0 then random.nextInt(valid.length) else 99)
      for _ <- 0 to random.nextInt(4) if bytes.nonEmpty do
        bytes(random.nextInt(bytes.length)) = random.nextInt(256).toByte
      for message <- List[AnyRef](Note("b"), batch(null, null, null)) do
        try
          read(message, ByteBuffer.wrap(bytes))
          accepted += 1
        catch
          case _: IllegalArgumentException | _: java.nio.BufferUnderflowException => rejected += 1
        contexts.take(message): Unit
    assert(accepted > 1000 && rejected > 1000, s"$accepted, $rejected, seed $seed")

  test("a withdrawn message of a batch keeps none"):
    val sent = batch("a=1\n", "a=1\n")
    val received = batch(null, null)
    received.payloads(1) = Payload.Withdrawn
    read(received, write(sent))
    assertEquals(received.payloads.toVector.map(_.context), Vector("a=1\n", null))

  test("an object that is sent several times has a context only if it is the same"):
    val table = new ContextTable()
    val note = Note("a")
    table.put(note, "x")
    table.put(note, "x")
    assertEquals(List.fill(3)(table.take(note)), List("x", "x", null))
    table.put(note, "x")
    table.put(note, "y")
    assertEquals(List.fill(2)(table.take(note)), List[String | Null](null, null))
    table.put(note, "x")
    table.put(note, null) // sent outside of any trace
    assertEquals(List.fill(2)(table.take(note)), List[String | Null](null, null))
    table.put(Note("equal"), "z")
    assertEquals(table.take(Note("equal")), null)
    for shared <- List[AnyRef]("text", Int.box(5), None, Nil) do
      table.put(shared, "x")
      assertEquals(table.take(shared), null, s"$shared")

  test("contexts of messages that nobody takes are removed with them"):
    val table = new ContextTable()
    for i <- 1 to 1000 do table.put(Note(s"$i"), "x")
    val end = System.nanoTime + 60_000_000_000L
    while table.size > 0 && System.nanoTime < end do System.gc()
    assertEquals(table.size, 0)
end ContextInstrumentTest
