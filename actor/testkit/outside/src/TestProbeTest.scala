package outside.actor.testkit

import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** Probes on real threads. */
class TestProbeTest extends undercroft.tools.Suite:

  test("messages of an actor on a worker are received in order"):
    ActorSystem.scoped("town"):
      val probe = TestProbe[Int]("ear")
      val actor = spawn(Behavior.receive[Int] { n =>
        for i <- 1 to n do probe.ref ! i
        Behavior.same
      })
      actor ! 1000
      for i <- 1 to 1000 do assertEquals(probe.receiveMessage(1.minute), i)
      probe.expectNoMessage(1.milli)
      assertEquals(probe.received, (1 to 1000).toVector)

  test("no message: the error has the name, the time and the last message"):
    ActorSystem.scoped("town"):
      val probe = TestProbe[Int]("ear")
      val first = intercept[AssertionError](probe.receiveMessage(1.milli))
      assertEquals(first.getMessage, "ear got no message within 1 millisecond")
      probe.ref ! 7
      assertEquals(probe.receiveMessage(), 7)
      val second = intercept[AssertionError](probe.receiveMessage(1.milli))
      assertEquals(
        second.getMessage,
        "ear got no message within 1 millisecond; the last one was 7"
      )

  test("an unexpected message: the error has it"):
    ActorSystem.scoped("town"):
      val probe = TestProbe[Int]("ear")
      probe.ref ! 7
      val error = intercept[AssertionError](probe.expectNoMessage(1.minute))
      assertEquals(
        error.getMessage,
        "ear expected no message within 1 minute, but got 7"
      )

  test("an unexpected message is received after the error, in its order"):
    ActorSystem.scoped("town"):
      val probe = TestProbe[Int]("ear")
      for n <- List(7, 8) do probe.ref ! n
      for _ <- 1 to 2 do intercept[AssertionError](probe.expectNoMessage(1.minute))
      assertEquals((probe.receiveMessage(), probe.receiveMessage()), (7, 8))

  test("a probe in an actor, and a probe of messages from many threads"):
    ActorSystem.scoped("town"):
      val probe = TestProbe[Int]()
      val threads = (1 to 4).map(_ =>
        Thread.ofPlatform.start(() => for n <- 1 to 500 do probe.ref ! n)
      )
      threads.foreach(_.join())
      val sum = (1 to 2000).map(_ => probe.receiveMessage(1.minute)).sum
      assertEquals(sum, 4 * 500 * 501 / 2)
end TestProbeTest
