package undercroft.tools

import scala.concurrent.Future
import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Try

/** A suite of tests. A test that hangs fails after the time-out; no test fails because the machine
  * is slow or loaded.
  */
abstract class Suite extends munit.FunSuite:
  override def munitTimeout: Duration = 15.minutes

  /** The tag of a test of 10 seconds or more, beyond 2 GiB, or of killed processes:
    * `test("...".tag(LongTest))`. It runs by `./mill __.testLong`; other runs report it as skipped.
    */
  val LongTest: munit.Tag = munit.Tag("LongTest")

  override def munitTests(): Seq[Test] =
    val tests = super.munitTests()
    sys.env.get("UNDERCROFT_LONG") match
      case Some("only") => tests.filter(_.tags(LongTest))
      case Some(_)      => tests
      case None         => tests.map(test => if test.tags(LongTest) then unlessLong(test) else test)

  private def unlessLong(test: Test): Test =
    val reason = "skipped: a long test, which ./mill __.testLong runs"
    test.withBody(() => Future.fromTry(Try(assume(false, reason))))

  /** Clears the interrupt status, which the JVM may leave behind in a thread that reads a shared
    * region while another closes it: an earlier test of this thread may have done so.
    */
  override def beforeEach(context: BeforeEach): Unit =
    val _ = Thread.interrupted()
end Suite

/** A suite that has properties, too. */
abstract class PropertySuite extends Suite, munit.ScalaCheckSuite
