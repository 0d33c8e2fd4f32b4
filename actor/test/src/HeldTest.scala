package undercroft.actor

import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}
import scala.concurrent.duration.DurationInt

/** Actors on threads of their own, which may block, that are very long at one message. */
class HeldTest extends undercroft.house.Suite:

  test("an actor on a thread of its own that is long at one message is told of, with where it is"):
    val said = Jvm.run("undercroft.actor.heldActors", "-Dundercroft.actor.heldMillis=1000")
    val expected =
      for what <- List("handler", "process", "setup"); run <- List("Thread", "Virtual")
      yield s"$what on $run: WAITING at opened"
    assertEquals(said.linesIterator.toList, expected ++ List("ended: true", "told twice: List()"))
end HeldTest

@main def heldActors(): Unit =
  val told = LinkedBlockingQueue[Event.Stuck]()
  val listener: Event => Unit =
    case stuck: Event.Stuck => told.add(stuck): Unit
    case _                  => ()
  val system = ActorSystem("held", 1, listener)
  given ActorSystem = system
  val gate = CountDownLatch(1)
  def opened(): Unit = gate.await()
  val runs = List(Run.Virtual, Run.Thread)
  // These have nothing in hand once all is quiet, however long they wait.
  for run <- runs do
    spawn(Behavior.ignore[Int], s"idle on $run", run) ! 1
    spawn(Behavior.process[Int](_.receiveFirst { case 2 => () }), s"waiting on $run", run) ! 1
  val isQuiet = system.awaitQuiet(1.minute)
  told.clear()
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
  val seen = List.fill(6)(Option(told.poll(60, TimeUnit.SECONDS)))
  val lines = seen.map:
    case None => "nobody told"
    case Some(stuck) =>
      val where = if stuck.stack.exists(_.getMethodName.contains("opened$")) then "opened" else "?"
      s"${stuck.actor}: ${stuck.state} at $where"
  lines.sorted.foreach(println)
  gate.countDown()
  println(s"ended: ${isQuiet && system.shutdown(1.minute, 1.minute)}")
  println(s"told twice: ${told.toArray.toList}")
end heldActors
