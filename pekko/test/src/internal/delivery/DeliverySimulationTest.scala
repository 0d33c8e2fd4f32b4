package undercroft.pekko
package internal.delivery

import scala.collection.mutable
import scala.util.Random

/** The protocol on a simulated network with a clock of its own: batches and acknowledgements are
  * lost, doubled, delayed and reordered, mailboxes are full, receivers restart. All by the seed.
  */
class DeliverySimulationTest extends undercroft.tools.RoundsSuite:
  import DeliverySimulationTest.*

  private def testSeeds(title: String)(seeds: Int)(faults: Faults): Unit =
    testRounds(title)(seeds / 10, seeds): seeds =>
      for seed <- 1 to seeds do
        val violation = Simulation(seed, faults).run()
        assert(violation.isEmpty, s"seed $seed, $faults: ${violation.mkString}")

  testSeeds("a lossless network: each message once, in order")(500)(Faults())

  testSeeds("loss, duplicates and reordering: each message once, in order")(4000)(Faults(
    loss = 20,
    duplicates = 20,
    delay = 200
  ))

  testSeeds("a full mailbox: nothing is lost, and the sender does not give up")(1000)(Faults(
    loss = 10,
    full = 40
  ))

  testSeeds("events that cannot be stored: nothing is lost, and the sender does not give up")(500)(
    Faults(loss = 10, notStored = 40)
  )

  testSeeds("unreadable messages are given up once, all others arrive")(2000)(Faults(
    loss = 20,
    duplicates = 10,
    delay = 100,
    unreadable = 5
  ))

  testSeeds("receivers that restart: none is lost, each receiver gets ascending messages")(2000)(
    Faults(loss = 10, duplicates = 10, delay = 100, restarts = 3)
  )

  testSeeds("a partition for ever: each message is accepted or given up")(1000)(Faults(
    loss = 10,
    delay = 50,
    partitionAt = 100
  ))

  /** The first seed of a hundred that finds the defect. */
  private def found(defect: Defect): Option[Int] =
    (1 to 100).find: seed =>
      Simulation(seed, Faults(loss = 20, duplicates = 10, delay = 100), defect).run().nonEmpty

  test("an acknowledgement of messages that were not sent is ignored"):
    var sent = 0
    val sender = DeliverySender[Int](2, 1_000_000_000L)(
      (_, _, _, payloads) => sent += payloads.length,
      (message, reason) => fail(s"$message was given up: $reason")
    )
    for n <- 1 to 3 do sender.add(n, Payload(n, "", new Array[Byte](1)), 0)
    sender.flush(0)
    assertEquals(sent, 2)
    sender.handle(Acknowledgement(3, 1, Outcome.Accepted), 0)
    assertEquals(sender.size, 3)
    sender.handle(Acknowledgement(2, 1, Outcome.Accepted), 0)
    assertEquals(sender.size, 1)
    assertEquals(sent, 3)
    sender.handle(Acknowledgement(3, 2, Outcome.Accepted), 0)
    assert(sender.isEmpty)

  test("after a refused message the sender pauses 1 ms, then twice as long until one is accepted"):
    var sent = 0
    val sender = DeliverySender[Int](10, 10_000_000_000L)(
      (_, _, _, _) => sent += 1,
      (message, reason) => fail(s"$message was given up: $reason")
    )
    for n <- 1 to 3 do sender.add(n, Payload(n, "", new Array[Byte](1)), 0)
    sender.flush(0)
    assertEquals(sender.pausedNanos(0), 0L)
    var now = 0L
    def pauses(outcome: Outcome, count: Int): List[Long] =
      val millis =
        for _ <- 1 to count yield
          sender.handle(Acknowledgement(0, sent, outcome), now)
          val nanos = sender.pausedNanos(now)
          val sentBefore = sent
          sender.flush(now) // these send nothing now
          sender.resume(now + nanos - 1)
          assert(!sender.tick(now + nanos - 1))
          assertEquals(sent, sentBefore)
          now += nanos
          sender.resume(now)
          assertEquals(sent, sentBefore + 1)
          nanos / 1_000_000
      millis.toList
    assertEquals(pauses(Outcome.Full, 9), List(1L, 2L, 4L, 8L, 16L, 32L, 50L, 50L, 50L))
    assertEquals(pauses(Outcome.NotStored, 6), List(100L, 200L, 400L, 800L, 1000L, 1000L))
    assertEquals(pauses(Outcome.Full, 1), List(50L))
    sender.handle(Acknowledgement(1, sent, Outcome.NotStored), now)
    assertEquals(sender.pausedNanos(now), 1_000_000L)
    sender.tick(now + 1_000_000): Unit
    assertEquals(sent, 18)
    assertEquals(sender.pausedNanos(now + 1_000_000), 0L)

  test("a batch that arrives after its sender has stopped is not accepted again"):
    val receiver = DeliveryReceiver[String]()
    var accepted = 0
    def handle(): Acknowledgement =
      val payloads = Array.fill(3)(Payload(1, "", new Array[Byte](1)))
      val accept = (_: Payload) =>
        accepted += 1
        Outcome.Accepted
      receiver.handle("sender", 0, 0, 1, payloads)(accept, _ => ())
    assertEquals(handle().expected, 3L)
    receiver.end("sender")
    assertEquals(handle().expected, 3L)
    assertEquals(accepted, 3)

  test("a receiver forgets a sender that has stopped when enough later ones have stopped"):
    val receiver = DeliveryReceiver[Int]()
    for sender <- 0 to DeliveryReceiver.MaxEnded do
      val payloads = Array(Payload(1, "", new Array[Byte](1)))
      receiver.handle(sender, 0, 0, 1, payloads)(_ => Outcome.Accepted, _ => ()): Unit
      receiver.end(sender)
    assertEquals(
      (0 to DeliveryReceiver.MaxEnded).filterNot(receiver.isKnown).toList,
      List(0)
    )

  test("planted: a receiver that forgets a sender as soon as it has stopped is found"):
    assert(found(Defect.ForgetsSender).isDefined)

  test("planted: a receiver that acknowledges a gap is found"):
    assert(found(Defect.AcknowledgesGap).isDefined)

  test("planted: a receiver that accepts duplicates is found"):
    assert(found(Defect.AcceptsDuplicates).isDefined)

  test("a seed replays the same run"):
    val faults = Faults(loss = 20, duplicates = 20, delay = 200, restarts = 2)
    assertEquals(Simulation(7, faults).history(), Simulation(7, faults).history())
end DeliverySimulationTest

object DeliverySimulationTest:
  /** Loss, duplicates, refused and unreadable messages in percent, delay in ms. */
  final case class Faults(
      loss: Int = 0,
      duplicates: Int = 0,
      delay: Int = 1,
      full: Int = 0,
      notStored: Int = 0,
      unreadable: Int = 0,
      restarts: Int = 0,
      partitionAt: Int = Int.MaxValue
  )

  enum Defect derives CanEqual:
    case None, AcknowledgesGap, AcceptsDuplicates, ForgetsSender

  private final val MessageCount = 300
  private final val Window = 32
  private final val GiveUpMillis = 60_000

  private final class Batch(
      val base: Long,
      val first: Long,
      val transmission: Long,
      val payloads: Array[Payload]
  )

  final class Simulation(seed: Int, faults: Faults, defect: Defect = Defect.None):
    private val random = Random(seed)
    private var millis = 0
    private def now = millis * 1_000_000L
    private def happens(percent: Int) = random.nextInt(100) < percent

    // ---- the network: packets by their time of arrival and in the order of sending

    private val network = mutable.TreeMap.empty[(Int, Int), () => Unit]
    private var packets = 0

    private def send(arrive: () => Unit): Unit =
      // Faults end after a while, so that a correct protocol comes to an end; a partition does not.
      val faulty = millis < 20_000
      val lost = millis >= faults.partitionAt || faulty && happens(faults.loss)
      val copies = if lost then 0 else if faulty && happens(faults.duplicates) then 2 else 1
      for _ <- 1 to copies do
        packets += 1
        network((millis + 1 + random.nextInt(faults.delay), packets)) = arrive

    // ---- the two sides

    private val undelivered = mutable.ArrayBuffer.empty[Int]
    private val accepted = mutable.ArrayBuffer(mutable.ArrayBuffer.empty[Int])
    private var receiver = DeliveryReceiver[String]()
    private val unreadable = (1 to MessageCount).filter(_ => happens(faults.unreadable)).toSet

    private val sender: DeliverySender[Int] =
      DeliverySender[Int](Window, GiveUpMillis * 1_000_000L)(
        (base, first, transmission, payloads) =>
          val batch = Batch(base, first, transmission, payloads)
          send(() => arrive(batch))
        ,
        (message, _) => undelivered += message
      )

    private def arrive(batch: Batch): Unit =
      import batch.*
      val reply = defect match
        case Defect.AcceptsDuplicates if happens(50) =>
          payloads.foreach(accept(_): Unit)
          Acknowledgement(first + payloads.length, transmission, Outcome.Accepted)
        case _ => receiver.handle("sender", base, first, transmission, payloads)(accept, _ => ())
      val sent =
        if defect == Defect.AcknowledgesGap && reply.outcome == Outcome.Gap then
          Acknowledgement(first + payloads.length, transmission, Outcome.Accepted)
        else reply
      send(() => sender.handle(sent, now))

    private def accept(payload: Payload): Outcome =
      val message = payload.serializer
      if happens(faults.full) then Outcome.Full
      else if happens(faults.notStored) then Outcome.NotStored
      else if unreadable(message) then Outcome.Unreadable("a test")
      else
        accepted.last += message
        Outcome.Accepted

    // ---- the run

    private var resumeAt = 0

    private def step(): Boolean =
      millis += 1
      while network.nonEmpty && network.firstKey._1 <= millis do
        val (key, arrive) = network.head
        network.remove(key)
        arrive()
      if resumeAt == 0 && sender.pausedNanos(now) > 0 then
        resumeAt = millis + (sender.pausedNanos(now) / 1_000_000).toInt
      if resumeAt > 0 && millis >= resumeAt then
        resumeAt = 0
        sender.resume(now)
      millis % 50 == 0 && sender.tick(now)

    /** Runs to the end. Returns the violation of the guarantees, if there is one. */
    def run(): Option[String] =
      val restartTimes = Set.fill(faults.restarts)(1 + random.nextInt(2000))
      var next = 1
      var isGivenUp = false
      while millis < 1_000_000 && !isGivenUp && (next <= MessageCount || !sender.isEmpty) do
        for _ <- 1 to random.nextInt(4) if next <= MessageCount && sender.isOpen do
          sender.add(next, Payload(next, "", new Array[Byte](random.nextInt(2000))), now)
          next += 1
        sender.flush(now)
        isGivenUp = step()
        if restartTimes(millis) then
          receiver = DeliveryReceiver[String]()
          accepted += mutable.ArrayBuffer.empty[Int]
      val isExpected = isGivenUp == (faults.partitionAt < Int.MaxValue)
      if isGivenUp then sender.abandon("given up")
      endSender()
      if !isExpected then Some(s"given up: $isGivenUp, at $millis ms")
      else violation(next - 1)

    /** The sender has stopped. The notice of that overtakes the packets on the network. */
    private def endSender(): Unit =
      if defect == Defect.ForgetsSender then receiver = DeliveryReceiver[String]()
      else receiver.end("sender")
      while network.nonEmpty do
        val (key, arrive) = network.head
        network.remove(key)
        arrive()

    private def violation(sent: Int): Option[String] =
      val all = accepted.flatten
      val missing = (1 to sent).filterNot(n => all.contains(n) || undelivered.contains(n))
      val unordered = accepted.find(own => own.toSeq != own.distinct.sorted.toSeq)
      val wronglyGivenUp =
        if faults.partitionAt < Int.MaxValue then Nil
        else undelivered.filterNot(unreadable).toSeq
      if missing.nonEmpty then Some(s"lost: $missing")
      else if unordered.isDefined then Some(s"a receiver got ${unordered.mkString}")
      else if faults.restarts == 0 && all.size != all.distinct.size then Some("duplicates")
      else if undelivered.distinct.size != undelivered.size then Some("given up twice")
      else if wronglyGivenUp.nonEmpty then Some(s"given up: $wronglyGivenUp")
      else None

    def history(): String =
      val violation = run()
      s"$violation $millis $packets $accepted"
  end Simulation
end DeliverySimulationTest
