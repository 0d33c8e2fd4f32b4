package undercroft.actor

import internal.mailbox.SlotMemory
import java.util.concurrent.atomic.AtomicLong
import scala.concurrent.duration.DurationInt
import undercroft.tools.ForkedJvm

/** Without the message counts all other behavior is unchanged. */
class AuditOffTest extends undercroft.tools.Suite:

  test("with auditing off a system loses no message, becomes idle and rejects an audit"):
    val jvm = ForkedJvm.run(
      "undercroft.actor.withoutCounts",
      ForkedJvm.Granted :+ "-Dundercroft.actor.audit=off"
    )
    assertEquals(jvm.exit, 0, jvm.output)
    assertEquals(
      jvm.output.linesIterator.toList,
      List(
        "quiet: true",
        "handled: 300000 300000",
        "rest has no audit: undercroft.actor.audit is off",
        "ended: true",
        "ended again: true"
      )
    )

/** Rings of objects and of structs, and actors that stop and fail, in a separate JVM. */
@main def withoutCounts(): Unit =
  SlotMemory.open()
  val system = ActorSystem("rest", 2, _ => ())
  val handled = AtomicLong()
  val structs = AtomicLong()
  val hops = 100_000
  lazy val objects: Vector[ActorRef[Int]] = Vector.tabulate(10): i =>
    spawn(
      Behavior
        .receive[Int] { n =>
          handled.incrementAndGet()
          if n > 0 then objects((i + 1) % 10) ! n - 1
          if n % 1000 == 7 then throw Exception("at times")
          Behavior.same
        }
        .supervised { case _ => Supervision.Restart(Int.MaxValue, 1.second) }
    )(using system)
  lazy val tokens: Vector[ActorRef[EventLog]] = Vector.tabulate(10): i =>
    spawn(Behavior.receive[EventLog] {
      case EventLog.Token(id, n) =>
        structs.incrementAndGet()
        if n > 0 then tokens((i + 1) % 10) ! EventLog.Token(id, n - 1)
        Behavior.same
      case _ => Behavior.unhandled
    })(using system)
  for i <- 0 until 3 do
    objects(i) ! hops - 1
    tokens(i) ! EventLog.Token(i, hops - 1)
  println(s"quiet: ${system.awaitQuiescence(4.minutes)}")
  println(s"handled: $handled $structs")
  try println(system.observe.audit)
  catch case e: IllegalStateException => println(e.getMessage)
  println(s"ended: ${system.shutdown(1.minute, 1.minute)}")
  println(s"ended again: ${system.shutdown(1.second, 1.second)}")
end withoutCounts
