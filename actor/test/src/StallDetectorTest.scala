package undercroft.actor

import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import scala.concurrent.duration.DurationInt
import undercroft.tools.ForkedJvm

/** Stalls of actors on threads of their own, which may block. */
class StallDetectorTest extends undercroft.tools.Suite:

  test("a stall on a thread of the actor's own is reported with its stack"):
    val jvm = ForkedJvm.run(
      "undercroft.actor.heldActors",
      ForkedJvm.Granted :+ "-Dundercroft.actor.threadStallMillis=1000"
    )
    assertEquals(jvm.exit, 0, jvm.output)
    val expected =
      for place <- List("handler", "process", "setup"); run <- List("Thread", "Virtual")
      yield s"$place on $run: WAITING at opened"
    assertEquals(
      jvm.output.linesIterator.toList,
      expected ++ List("ended: true", "told twice: List()")
    )
end StallDetectorTest

@main def heldActors(): Unit =
  val stalls = LinkedBlockingQueue[ActorEvent.Stalled]()
  val listener: ActorEvent => Unit =
    case stall: ActorEvent.Stalled => stalls.add(stall): Unit
    case _                         => ()
  val system = ActorSystem("held", 1, listener)
  given ActorSystem = system
  val gate = CountDownLatch(1)
  def opened(): Unit = gate.await()
  val runs = List(Run.Virtual, Run.Thread)
  // These handle no message once the system is idle, however long they wait.
  for run <- runs do
    spawn(Behavior.ignore[Int], s"idle on $run", run) ! 1
    spawn(Behavior.process[Int](_.receiveFirst { case 2 => () }), s"waiting on $run", run) ! 1
  val isQuiet = system.awaitQuiescence(1.minute)
  stalls.clear()
  for run <- runs do
    spawn(
      Behavior.receive[Int] { _ =>
        opened()
        Behavior.same
      },
      s"handler on $run",
      run
    ) ! 1
    spawn(
      Behavior.process[Int] { inbox =>
        inbox.receive(): Unit
        opened()
      },
      s"process on $run",
      run
    ) ! 1
    spawn(
      Behavior.setup[Int]:
        opened()
        Behavior.ignore
      ,
      s"setup on $run",
      run
    ): Unit
  end for
  val reports = List.fill(6)(Option(stalls.poll(60, TimeUnit.SECONDS)))
  val lines = reports.map:
    case None => "nobody told"
    case Some(stall) =>
      val where = if stall.stack.exists(_.getMethodName.contains("opened$")) then "opened" else "?"
      s"${stall.actor}: ${stall.state} at $where"
  lines.sorted.foreach(println)
  gate.countDown()
  println(s"ended: ${isQuiet && system.shutdown(1.minute, 1.minute)}")
  println(s"told twice: ${stalls.toArray.toList}")
end heldActors
