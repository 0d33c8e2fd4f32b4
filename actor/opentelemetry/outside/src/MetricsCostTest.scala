package outside.actor.opentelemetry

import java.lang.management.ManagementFactory
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.opentelemetry.ActorMetrics

/** A ring of actors that pass one object on, with metrics that are collected meanwhile. */
class MetricsCostTest extends TelemetrySuite:
  private val threads = ManagementFactory.getThreadMXBean match
    case bean: com.sun.management.ThreadMXBean => bean
    case bean                                  => fail(s"$bean counts no bytes")

  private val hops = 20_000

  /** Counts the bytes that the worker allocates in each round of `hops` messages; written by it. */
  private final class Rounds:
    private var (count, before) = (0, 0L)
    private val end = System.nanoTime + 60.seconds.toNanos
    @volatile var least: Long = Long.MaxValue
    @volatile var rounds: Int = 0

    /** Whether to send on: until a round allocates nothing, or a minute has passed. */
    def goOn(): Boolean =
      count += 1
      if count == hops then
        count = 0
        val now = threads.getCurrentThreadAllocatedBytes
        if rounds > 0 then least = math.min(least, now - before)
        before = now
        rounds += 1
      (least > 0 || rounds < 20) && System.nanoTime < end
  end Rounds

  /** The fewest bytes of a round, while metrics are collected repeatedly. */
  private def ringBytes(handlerTimes: Boolean)(next: Object => Object): Long =
    withReader: reader =>
      val system = ActorSystem("ring", 1, _ => ())
      given ActorSystem = system
      val metrics =
        ActorMetrics.register(system, reader.openTelemetry, handlerTimes = handlerTimes)
      val rounds = Rounds()
      def node(successor: => ActorRef[Object]): Behavior[Object] = Behavior.setup:
        lazy val target = successor
        Behavior.receive: token =>
          if rounds.goOn() then target ! next(token)
          Behavior.same
      lazy val nodes: Vector[ActorRef[Object]] =
        Vector.tabulate(10)(i => spawn(node(nodes((i + 1) % 10)), s"node-$i"))
      nodes(0) ! Object()
      var collections = 0
      val end = System.nanoTime + 2.minutes.toNanos
      while !system.awaitQuiescence(10.millis) && System.nanoTime < end do
        reader.collect()
        collections += 1
      quiet()
      reader.collect()
      assert(collections > 0)
      val handled = (0 until 10).map(i => reader.value("message.handled", s"ring/node-$i")).sum
      assertEquals(handled, system.observe.audit.handled)
      assert(system.shutdown())
      metrics.close()
      rounds.least

  test("a ring of actors allocates nothing while its metrics are collected"):
    assertEquals(ringBytes(handlerTimes = false)(identity), 0L)

  test("a ring of actors allocates nothing while its handler times are measured"):
    assertEquals(ringBytes(handlerTimes = true)(identity), 0L)

  test("the count of bytes detects a new object for each message"):
    val bytes = ringBytesOfNew()
    assert(bytes >= 16L * hops, s"$bytes bytes in $hops hops")

  /** As `ringBytes`, with a bounded number of rounds, none of which is without an allocation. */
  private def ringBytesOfNew(): Long =
    val rounds = Rounds()
    val system = ActorSystem("ring", 1, _ => ())
    given ActorSystem = system
    val node = spawn(
      Behavior.setup[Object](Behavior.receive { _ =>
        if rounds.goOn() && rounds.rounds < 20 then self ! new Array[Byte](1)
        Behavior.same
      })
    )
    node ! Object()
    quiet()
    assert(system.shutdown())
    rounds.least
end MetricsCostTest
