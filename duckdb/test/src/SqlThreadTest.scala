package undercroft.duckdb

import internal.run.SqlThread
import java.util.concurrent.{CountDownLatch, TimeUnit}
import scala.concurrent.duration.DurationInt

class SqlThreadTest extends undercroft.tools.Suite:

  test("an error of the waiting thread is thrown after the interrupted body has ended"):
    val interrupts = CountDownLatch(3)
    @volatile var hasEnded = false
    def interrupt(): Unit =
      interrupts.countDown()
      throw IllegalStateException("of the waiting thread")
    val error = intercept[IllegalStateException]:
      SqlThread().run(() => interrupt(), 1.milli):
        val _ = interrupts.await(60, TimeUnit.SECONDS)
        hasEnded = true
    assertEquals(error.getMessage, "of the waiting thread")
    assert(hasEnded, "the body is still running")
end SqlThreadTest
