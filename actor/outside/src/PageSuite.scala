package outside.actor

import java.util.concurrent.locks.LockSupport
import scala.concurrent.duration.*
import undercroft.actor.*

/** A system for each test, with or without a page. */
abstract class PageSuite extends undercroft.tools.Suite:

  def system(using system: ActorSystem): ActorSystem = system

  def withSystem(body: ActorSystem ?=> Unit): Unit =
    val system = ActorSystem("shop", listener = _ => ())
    try body(using system)
    finally system.close()

  def withPage(body: ActorSystem ?=> ActorPage => Unit): Unit = withSystem:
    val page = ActorPage.serve(system)
    try body(page)
    finally page.close()

  def quiet()(using ActorSystem): Unit = assert(system.awaitQuiescence(1.minute))

  /** Takes `time`, as a slow handler does; it computes until the clock has advanced. */
  def compute(time: FiniteDuration): Unit =
    val from = System.nanoTime
    while System.nanoTime - from < time.toNanos do Thread.onSpinWait()

  def until(condition: => Boolean): Unit =
    val end = System.nanoTime + 60_000_000_000L
    while !condition && System.nanoTime < end do LockSupport.parkNanos(1_000_000)
    assert(condition, "it did not happen in time")
end PageSuite
