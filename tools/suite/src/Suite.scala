package undercroft.tools

import scala.concurrent.duration.{Duration, DurationInt}

/** A suite of tests. A test that hangs fails after the time-out; no test fails because the machine
  * is slow or loaded.
  */
abstract class Suite extends munit.FunSuite:
  override def munitTimeout: Duration = 15.minutes

  /** Clears the interrupt status, which the JVM may leave behind in a thread that reads a shared
    * region while another closes it: an earlier test of this thread may have done so.
    */
  override def beforeEach(context: BeforeEach): Unit =
    val _ = Thread.interrupted()

/** A suite that has properties, too. */
abstract class PropertySuite extends Suite, munit.ScalaCheckSuite
