package undercroft.actor
package testkit

import scala.concurrent.duration.*

class ProbeTest extends undercroft.tools.Suite:

  test("a probe returns messages one by one as they arrive"):
    simulate(seeds = 10):
      val probe = Probe[Int]()
      spawn(Behavior.setup[Int]:
        context.startTimerAtFixedRate("t", 1, 1.hour)
        var count = 0
        Behavior.receive: _ =>
          count += 1
          probe.ref ! count
          Behavior.same): Unit
      assertEquals(List.fill(3)(probe.receiveMessage(1.day)), List(1, 2, 3))
      probe.expectNoMessage(59.minutes)
      assertEquals(probe.receiveMessage(1.day), 4)
      assertEquals(probe.received, Vector(1, 2, 3, 4))

  test("a missing and an unexpected message fail with a message that names the probe"):
    simulate(seeds = 10):
      val probe = Probe[Int]("ear")
      val firstError = intercept[AssertionError](probe.receiveMessage(1.second))
      assertEquals(firstError.getMessage, "ear got no message within 1 second")
      probe.ref ! 5
      val secondError = intercept[AssertionError](probe.expectNoMessage(1.second))
      assertEquals(secondError.getMessage, "ear expected no message within 1 second, but got 5")
      assertEquals(probe.receiveMessage(), 5)
      val thirdError = intercept[AssertionError](probe.receiveMessage(1.second))
      assertEquals(thirdError.getMessage, "ear got no message within 1 second; the last one was 5")

  test("expectNoMessage lets all of the time pass, and stops at a message"):
    simulate(seeds = 10):
      val probe = Probe[Int]()
      val start = simulation.now
      probe.expectNoMessage(1.hour)
      assertEquals(simulation.now, start + 1.hour)
      spawn(Behavior.setup[Int]:
        context.startSingleTimer("t", 1, 10.minutes)
        Behavior.receive: _ =>
          probe.ref ! 7
          Behavior.same): Unit
      probe.expectNoMessage(9.minutes)
      val error = intercept[AssertionError](probe.expectNoMessage(1.hour))
      assert(error.getMessage.contains("but got 7"), error.getMessage)
      val passed = simulation.now - start
      assert(passed >= 70.minutes && passed < 71.minutes, passed.toString)
      assertEquals(probe.receiveMessage(), 7)
end ProbeTest
