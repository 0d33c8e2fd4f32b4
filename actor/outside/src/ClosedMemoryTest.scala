package outside.actor

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import undercroft.actor.*
import undercroft.memory.*
import undercroft.struct.*

case class Reading(value: Long) derives Struct

/** A handler reads rows of a shared region while another thread closes it. */
class ClosedMemoryTest extends undercroft.tools.Suite:

  test("the failure of the handler interrupts no other actor of its worker"):
    val interrupted = AtomicInteger()
    for _ <- 1 to 300 do
      val region = Region.shared()
      val rows = Rows.tabulate[Reading](1000)(Reading(_))(using region)
      val (reading, checked) = (CountDownLatch(1), CountDownLatch(1))
      ActorSystem.scoped("readers", workers = 1, listener = _ => ()):
        val reader = spawn(Behavior.receive[Int]: _ =>
          while rows.sumOf(_.value) >= 0 do reading.countDown()
          Behavior.same)
        val other = spawn(Behavior.receive[Int]: _ =>
          if Thread.currentThread.isInterrupted then interrupted.incrementAndGet(): Unit
          checked.countDown()
          Behavior.same)
        reader ! 1
        other ! 1
        assert(reading.await(1, TimeUnit.MINUTES))
        region.close()
        assert(checked.await(1, TimeUnit.MINUTES))
    assertEquals(interrupted.get, 0)
end ClosedMemoryTest
