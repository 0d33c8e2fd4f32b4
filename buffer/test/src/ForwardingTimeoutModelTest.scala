package undercroft.buffer

import java.util.concurrent.TimeUnit.NANOSECONDS
import scala.concurrent.duration.DurationInt

/** Forwarding timeouts, compared with those of Okio. */
class ForwardingTimeoutModelTest extends undercroft.tools.Suite:
  test("settings and exchanges of delegates have the same results as in Okio"):
    val seed = 20260711L
    val random = scala.util.Random(seed)
    val timeouts = Seq.fill(3)((Timeout(), okio.Timeout()))
    val (ours, okios) = (ForwardingTimeout(timeouts(0)(0)), okio.ForwardingTimeout(timeouts(0)(1)))
    var exchanges = 0
    for step <- 1 to 2000 do
      val value = random.nextInt(1_000_000) + 1
      random.nextInt(5) match
        case 0 =>
          ours.timeout(value.nanos)
          okios.timeout(value, NANOSECONDS): Unit
        case 1 =>
          ours.deadlineNanoTime(value)
          okios.deadlineNanoTime(value): Unit
        case 2 =>
          ours.clearTimeout()
          okios.clearTimeout(): Unit
        case 3 =>
          ours.clearDeadline()
          okios.clearDeadline(): Unit
        case _ =>
          val (our, okio) = timeouts(value % 3)
          ours.delegate = our
          okios.setDelegate(okio): Unit
          exchanges += 1
      val clue = s"seed $seed, step $step"
      for (our, okio) <- (ours, okios) +: timeouts do
        assertEquals(our.timeoutNanos, okio.timeoutNanos, clue)
        assertEquals(our.hasDeadline, okio.hasDeadline, clue)
        if our.hasDeadline then assertEquals(our.deadlineNanoTime, okio.deadlineNanoTime, clue)
    end for
    assert(exchanges > 100)
end ForwardingTimeoutModelTest
