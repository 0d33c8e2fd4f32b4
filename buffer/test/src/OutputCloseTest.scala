package undercroft.buffer

import java.lang.foreign.MemorySegment
import undercroft.memory.*

/** Outputs that are closed or leaked while their memory is in use. */
class OutputCloseTest extends undercroft.tools.Suite:

  test("an interrupted thread that closes a byte output waits for another thread's operation"):
    val out = ByteOutput()
    out.write(new Array[Byte](100_000))
    out.user = OutputMemory.Moves // as an operation of another thread sets it
    var error: Throwable | Null = null
    var isInterrupted = false
    val closing = Thread.ofPlatform.start: () =>
      Thread.currentThread.interrupt()
      try out.close()
      catch case e: Throwable => error = e
      finally isInterrupted = Thread.interrupted()
    def isWaiting = Thread.State.TIMED_WAITING.equals(closing.getState)
    while closing.isAlive && !isWaiting do Thread.`yield`()
    out.user = null
    closing.join(30_000)
    assert(!closing.isAlive)
    assert(error == null, s"$error")
    assert(isInterrupted)
    assert(!out.open)

  test("a leaked byte output that native code uses is reported, and freed after the use"):
    val budget = Budget("leaked and in use", 64.MiB)
    def leaked(): MemorySegment =
      val out = ByteOutput(16.MiB, budget)
      out.write(new Array[Byte](3 << 20))
      out.segment
    val before = ByteOutput.leaked
    Iovec.during(leaked()): () =>
      val end = System.nanoTime + 20_000_000_000L
      while ByteOutput.leaked == before && System.nanoTime < end do
        System.gc()
        Thread.`yield`()
    assert(ByteOutput.leaked > before)
    val end = System.nanoTime + 20_000_000_000L
    while budget.liveBytes > 0 && System.nanoTime < end do
      System.gc()
      val next = ByteOutput()
      try next.write(new Array[Byte](100_000)): Unit // reserves memory
      finally next.close()
    assertEquals(budget.liveBytes, 0L)
end OutputCloseTest
