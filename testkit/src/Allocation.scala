package undercroft.testkit

import java.lang.management.ManagementFactory
import java.util.Locale

/** Counts the bytes that calls allocate on the calling thread.
  *
  * A round is a number of calls between two readings of the JVM's count of bytes that the thread
  * has allocated. A round may allocate more before its body is compiled than afterwards, so rounds
  * are repeated, a bounded number of times, and the smallest result counts.
  */
object Allocation:

  /** How long rounds are repeated before an allocation is reported, in milliseconds of the thread's
    * processor time. On a busy machine rounds continue until the JIT has nothing more to compile,
    * for at most [[mostMillis]].
    */
  inline val patienceMillis = 3000

  /** How long rounds are repeated after the round that allocated least so far, if the least of all
    * is asked for: in milliseconds of the thread's processor time.
    */
  private[testkit] inline val settledMillis = 500

  /** How long rounds are repeated if they take little processor time, because the machine is busy
    * or the body waits: in milliseconds by the clock.
    */
  private[testkit] inline val waitMillis = 10_000

  /** How long rounds are repeated at most, in milliseconds by the clock. */
  inline val mostMillis = 120_000

  /** Calls in a round at most, and how long a round of slow calls takes about. */
  private val maxCalls = 10_000
  private val roundMillis = 10

  /** The measured code: [[assertAllocates]] wraps its body in one. */
  trait Call:
    def run(): Unit

  /** Throws unless `call` allocates exactly `bytes` bytes. See [[assertAllocates]].
    *
    * @throws java.lang.IllegalStateException
    *   on a virtual thread
    */
  def require(bytes: Long, call: Call): Unit = require(bytes, call, patienceMillis)

  /** [[require]] that fails after so many milliseconds of processor time. */
  private[testkit] def require(bytes: Long, call: Call, usedMillis: Long): Unit =
    if bytes < 0 then throw IllegalArgumentException(s"bytes a call $bytes is negative")
    val measured = measure(call, until = bytes, usedMillis)
    if !measured.isExactly(bytes) then
      throw AssertionError(
        s"allocates ${show(measured.perCall)} bytes a call, not $bytes " +
          s"(${measured.bytes} bytes in ${measured.calls} calls, the least of ${measured.rounds} rounds)"
      )

  /** The bytes a call in the round that allocated least. See [[bytesPerCall]].
    *
    * @throws java.lang.IllegalStateException
    *   on a virtual thread
    */
  def least(call: Call): Double = measure(call, until = 0, settledMillis).perCall

  private final case class Measured(bytes: Long, calls: Int, rounds: Int):
    def perCall: Double = bytes.toDouble / calls

    /** Whether each call allocates `expected` bytes; a product of them may overflow. */
    def isExactly(expected: Long): Boolean = bytes % calls == 0 && bytes / calls == expected

  /** Repeats rounds until one allocates exactly `until` bytes a call, or the bounds are reached:
    * `usedMillis` of processor time, [[settledMillis]] after the least round so far. The first
    * rounds warm up: they are doubled until one takes long enough to count.
    */
  private def measure(call: Call, until: Long, usedMillis: Long): Measured =
    requireCounted()
    Canary.sing
    val start = System.nanoTime()
    val startOfThread = processorNanos()
    val patience = Patience(
      () => elapsedMillis(start),
      () => (processorNanos() - startOfThread) / 1_000_000,
      () => JitQueue.isBusy,
      usedMillis
    )
    var calls = 1
    var best = Measured(Long.MaxValue, calls, 0)
    var rounds = 0
    def wanted = rounds > 0 && best.isExactly(until)
    while !wanted && patience.isLeft(rounds) do
      val began = System.nanoTime()
      val bytes = round(call, calls)
      if calls < maxCalls && elapsedMillis(began) < roundMillis / 2 then
        calls = math.min(calls * 2, maxCalls)
        best = Measured(Long.MaxValue, calls, 0)
      else
        rounds += 1
        val measured = Measured(bytes, calls, rounds)
        if bytes < best.bytes || measured.isExactly(until) then
          best = measured
          patience.extend(settledMillis)
    end while
    best.copy(rounds = rounds)
  end measure

  private def requireCounted(): Unit =
    val thread = Thread.currentThread
    if thread.isVirtual then
      throw IllegalStateException(
        "allocation must be measured on a platform thread: " +
          s"the JVM does not count what $thread allocates"
      )

  /** The bytes that `calls` calls allocate. */
  private[testkit] def round(call: Call, calls: Int): Long =
    val before = allocatedBytes()
    var i = 0
    while i < calls do
      call.run()
      i += 1
    allocatedBytes() - before

  /** Reading this allocates nothing; the canary's silence shows it. */
  private def allocatedBytes(): Long = threads.getCurrentThreadAllocatedBytes()

  /** The thread's processor time; the wall clock if the JVM does not measure it. */
  private def processorNanos(): Long =
    if threads.isCurrentThreadCpuTimeSupported then threads.getCurrentThreadCpuTime
    else System.nanoTime()

  private def elapsedMillis(start: Long): Long = (System.nanoTime() - start) / 1_000_000

  private def show(bytes: Double): String =
    if bytes == bytes.toLong then bytes.toLong.toString else "%.3f".formatLocal(Locale.ROOT, bytes)

  private val threads: com.sun.management.ThreadMXBean =
    ManagementFactory.getThreadMXBean() match
      case bean: com.sun.management.ThreadMXBean if bean.isThreadAllocatedMemorySupported =>
        bean.setThreadAllocatedMemoryEnabled(true)
        bean
      case _ =>
        throw IllegalStateException("this JVM does not count what a thread allocates")
end Allocation
