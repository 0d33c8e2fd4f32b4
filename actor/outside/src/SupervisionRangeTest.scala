package outside.actor

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.Supervision.*

/** The ranges of the parameters of supervision. */
class SupervisionRangeTest extends undercroft.tools.Suite:

  private val refused = List[(() => Any, String)](
    (() => Restart(-1), "limit must be at least 0, but is -1"),
    (() => Restart(2, -1.second), "within must be more than 0, but is -1 seconds"),
    (() => Restart(2, Duration.Zero), "within must be more than 0, but is 0 days"),
    (() => RestartAll(-4), "limit must be at least 0, but is -4"),
    (() => RestartAll(2, -4.milli), "within must be more than 0, but is -4 milliseconds"),
    (() => RestartRest(-2), "limit must be at least 0, but is -2"),
    (() => RestartRest(2, -1.milli), "within must be more than 0, but is -1 milliseconds"),
    (() => Backoff(-1.second, 1.second), "min must be at least 0, but is -1 seconds"),
    (
      () => Backoff(10.seconds, 1.milli),
      "max must be at least min, 10 seconds, but is 1 millisecond"
    ),
    (() => Backoff(1.milli, 2.millis, Double.NaN), "jitter must be from 0 to 1, but is NaN"),
    (
      () => Backoff(1.milli, 2.millis, Double.PositiveInfinity),
      "jitter must be from 0 to 1, but is Infinity"
    ),
    (() => Backoff(1.milli, 2.millis, -5.0), "jitter must be from 0 to 1, but is -5.0"),
    (() => Backoff(1.milli, 2.millis, 0.2, -3), "limit must be at least 0, but is -3"),
    (() => MessageFailure.Retry(-1), "times must be at least 0, but is -1")
  )

  for (create, message) <- refused do
    test(s"refused: $message"):
      assertEquals(intercept[IllegalArgumentException](create()).getMessage, message)

  test("a copy is checked"):
    intercept[IllegalArgumentException](new Restart(1, 1.second).copy(limit = -1)): Unit

  test("null durations are refused"):
    for create <- List(() => Restart(1, null), () => Backoff(null, null), () => RestartAll(1, null))
    do intercept[NullPointerException](create()): Unit

  test("the bounds are accepted"):
    val _ = List(
      Restart(0, 1.nano),
      RestartAll(0, 1.nano),
      RestartRest(Int.MaxValue, 1.nano),
      Backoff(Duration.Zero, Duration.Zero, jitter = 0, limit = 0),
      Backoff(1.second, 1.second, jitter = 1)
    )
    val _ = MessageFailure.Retry(0)

  test("a decision out of range is a failed decision: the actor stops"):
    ActorSystem.scoped("ranges", listener = _ => ()):
      val actor = spawn(
        Behavior
          .receive[Int](_ => throw IllegalStateException("a test"))
          .supervised { case _ => Restart(limit = 10, within = -1.second) }
      )
      actor ! 0
      assert(summon[ActorSystem].awaitQuiescence(1.minute))
      assert(actor.isStopped)
end SupervisionRangeTest
