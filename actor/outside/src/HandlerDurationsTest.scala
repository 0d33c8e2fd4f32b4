package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*

/** The histogram of handler durations as a program uses it. */
class HandlerDurationsTest extends undercroft.tools.Suite:

  private def measured[A](body: ActorSystem => A): A =
    val system = ActorSystem("shop", 2, _ => ())
    ActorObservation.recordDurations(true)
    try body(system)
    finally
      ActorObservation.recordDurations(false)
      assert(system.shutdown())

  /** Takes `time`, as a slow handler does; it computes until the clock has advanced. */
  private def compute(time: FiniteDuration): Unit =
    val from = System.nanoTime
    while System.nanoTime - from < time.toNanos do Thread.onSpinWait()

  private def quiet(system: ActorSystem): Unit =
    val isQuiet = system.awaitQuiescence(1.minute)
    assert(isQuiet, s"\n${system.observe.tree.show}")

  test("nothing is recorded unless it was requested, and nothing after the last request has ended"):
    val system = ActorSystem("shop", 1, _ => ())
    val till = spawn(Behavior.ignore[Int], "till")(using system)
    till ! 1
    quiet(system)
    assertEquals(system.observe.durations.count, 0L)
    ActorObservation.recordDurations(true)
    ActorObservation.recordDurations(true)
    ActorObservation.recordDurations(false)
    till ! 2
    quiet(system)
    assertEquals(system.observe.durations.count, 1L)
    ActorObservation.recordDurations(false)
    ActorObservation.recordDurations(false) // one too many
    till ! 3
    quiet(system)
    assertEquals(system.observe.durations.count, 1L)
    ActorObservation.recordDurations(true)
    till ! 4
    quiet(system)
    ActorObservation.recordDurations(false)
    assertEquals(system.observe.durations.count, 2L)
    assert(system.shutdown())

  test("a slow handler among fast ones is the maximum, and not the median"):
    measured: system =>
      val till = spawn(
        Behavior.receive[Int]: n =>
          if n == 50 then compute(20.millis)
          Behavior.same
      )(using system)
      for n <- 1 to 100 do till ! n
      quiet(system)
      val durations = system.observe.durations
      assertEquals(durations.count, 100L)
      assert(durations.maxNanos >= 20_000_000L, s"$durations")
      assertEquals(durations.quantile(1), durations.maxNanos)
      assert(durations.quantile(0.5) < 20_000_000L, s"$durations")
      assert(durations.sumNanos >= 20_000_000L, s"$durations")
      assert(durations.toString.startsWith("100 messages, p50 "), s"$durations")

  test("a snapshot does not change, and the difference of two has the messages between them"):
    measured: system =>
      val till = spawn(Behavior.ignore[Int])(using system)
      for n <- 1 to 10 do till ! n
      quiet(system)
      val before = system.observe.durations
      for n <- 1 to 5 do till ! n
      quiet(system)
      val after = system.observe.durations
      assertEquals((before.count, after.count, after.since(before).count), (10L, 15L, 5L))
      val message = intercept[IllegalArgumentException](before.since(after)).getMessage
      assert(
        message.startsWith("earlier must be an earlier snapshot, but has 15 messages"),
        message
      )

  test("a quantile outside of 0 to 1 is refused with its value"):
    measured: system =>
      val durations = system.observe.durations
      for q <- List(-0.1, 1.1, Double.NaN, Double.PositiveInfinity) do
        val message = intercept[IllegalArgumentException](durations.quantile(q)).getMessage
        assertEquals(message, s"q must be from 0 to 1, but is $q")
      assertEquals(List(0.0, 0.5, 1.0).map(durations.quantile), List(0L, 0L, 0L))
      assertEquals((durations.sumNanos, durations.maxNanos), (0L, 0L))
      assertEquals(durations.toString, "0 messages, p50 0 ns, p99 0 ns, longest 0 ns")
end HandlerDurationsTest
