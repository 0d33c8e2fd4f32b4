package undercroft.actor

import internal.dispatch.HandlerClock
import java.nio.file.Files
import jdk.jfr.Recording
import jdk.jfr.consumer.{RecordedEvent, RecordingFile}
import scala.jdk.CollectionConverters.ListHasAsScala

/** Records JFR events in this process and reads them back. */
class ActorJfrTest extends EveryModel:

  private def recorded(kinds: String*)(body: => Unit): List[RecordedEvent] =
    val file = Files.createTempFile("flight", ".jfr")
    val recording = Recording()
    try
      for kind <- kinds do
        recording.enable(s"dev.undercroft.$kind").`with`("period", "everyChunk"): Unit
      recording.start()
      body
      recording.stop()
      recording.dump(file)
      ListHasAsScala(RecordingFile.readAllEvents(file)).asScala.toList
        .filter(event =>
          kinds.exists(kind => event.getEventType.getName == s"dev.undercroft.$kind")
        )
    finally
      recording.close()
      Files.delete(file)

  private def broken: Behavior[Int] = Behavior
    .receive[Int] {
      case 0 => Behavior.unhandled
      case n => throw Exception(s"$n")
    }
    .onMessageFailure({ case _ => MessageFailure.Park }, state = "all well")
    .supervised { case _ => Supervision.Resume }

  test("failures, dead letters and parked messages are recorded as JFR events"):
    val events = recorded("ActorFailed", "DeadLetter", "MessageParked"):
      Stage.play(Run.Workers):
        val actor = stage.start(broken, "broken")
        for n <- List(0, 7) do actor ! n
    val List(letter, failed, parked) = events.sortBy(_.getEventType.getName.length): @unchecked
    assertEquals(failed.getString("actor"), "broken")
    assertEquals(failed.getString("cause"), "java.lang.Exception: 7")
    assertEquals(failed.getString("decision"), "Resume")
    assertEquals(letter.getString("actor"), "broken")
    assertEquals(letter.getString("message"), "java.lang.Integer")
    assertEquals(letter.getString("reason"), "Unhandled")
    assertEquals(parked.getString("state"), "all well")
    assert(parked.getBoolean("isKept"))

  test("the periodic JFR event of an actor system contains its audit"):
    var events = List.empty[RecordedEvent]
    Stage.play(Run.Workers):
      val actor = stage.start(broken, "broken")
      for n <- List(0, 7, 7) do actor ! n
      stage.quiet()
      events = recorded("ActorSystem")(()) // one at its start, one at its end
    val systemEvents = events.filter(_.getString("system") == "test")
    assert(systemEvents.nonEmpty, events)
    val last = systemEvents.last
    assertEquals(
      List("actors", "sent", "handled", "failed", "dead").map(last.getLong(_)),
      List(1L, 3L, 0L, 2L, 1L)
    )

  test("a long handler is a JFR event, and handlers are timed only during such a recording"):
    val slow = Behavior.receive[Int] { _ =>
      val until = System.nanoTime + 12_000_000
      while System.nanoTime < until do Thread.onSpinWait()
      Behavior.same
    }
    val events = recorded("SlowHandler"):
      assert(HandlerClock.isOn)
      Stage.play(Run.Workers):
        val actor = stage.start(slow, "slow")
        actor ! 1
        stage.until("its time was taken")(
          stage.system.observe.tree.rows.exists(_.busyNanos >= 12_000_000)
        )
    assert(!HandlerClock.isOn)
    val slows = events.filter(_.getString("actor") == "slow")
    assertEquals(slows.size, 1, events)
    assert(slows.head.getDuration("nanos").toNanos >= 12_000_000, events)

  test("a stall of a worker is recorded as a JFR event with the stack"):
    val gate = java.util.concurrent.CountDownLatch(1)
    val events = recorded("ActorStalled"):
      Stage.play(Run.Workers):
        val actor = stage.start(
          Behavior.receive[Int] { _ =>
            gate.await()
            Behavior.same
          },
          "stuck"
        )
        actor ! 1
        stage.until("it was told of")(stage.told.nonEmpty)
        gate.countDown()
    val stuck = events.filter(_.getString("actor") == "stuck")
    assertEquals(stuck.map(_.getString("state")), List("WAITING"), events)
    assert(stuck.head.getString("stack").contains("CountDownLatch.await"), events)
end ActorJfrTest
