package undercroft.actor
package testkit

import scala.concurrent.duration.*

class ProbeTest extends undercroft.house.Suite:

  test("a probe shows one message after the other, when they come"):
    simulate(seeds = 10):
      val probe = Probe[Int]()
      spawn(Behavior.setup[Int]:
        context.startTimer("t", 1, Every.Rate(1.hour))
        var count = 0
        Behavior.receive: _ =>
          count += 1
          probe.ref ! count
          Behavior.same): Unit
      assertEquals(List.fill(3)(probe.expect(1.day)), List(1, 2, 3))
      probe.expectNone(59.minutes)
      assertEquals(probe.expect(1.day), 4)
      assertEquals(probe.received, Vector(1, 2, 3, 4))

  test("what does not come, or comes, is told"):
    simulate(seeds = 10):
      val probe = Probe[Int]("ear")
      val none = intercept[AssertionError](probe.expect(1.second))
      assertEquals(none.getMessage, "ear got no message within 1 second")
      probe.ref ! 5
      val some = intercept[AssertionError](probe.expectNone(1.second))
      assertEquals(some.getMessage, "ear got 5 within 1 second, and was to get nothing")
      assertEquals(probe.expect(), 5)
      val more = intercept[AssertionError](probe.expect(1.second))
      assertEquals(more.getMessage, "ear got no message within 1 second; the last one was 5")
end ProbeTest
