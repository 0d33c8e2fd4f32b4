package undercroft.buffer

import internal.codec.Search
import java.io.InterruptedIOException
import java.util.concurrent.locks.{Condition, ReentrantLock}

/** Limits the total byte rate of all sources and sinks that share it.
  *
  * Thread-safe. Bytes are granted in sequence on a timeline: each grant moves the end of the
  * timeline, and a caller too far ahead of the clock waits. After a wait a caller gets at least
  * `waitByteCount` bytes, so no thread wakes up for a few bytes; after a pause `maxByteCount` bytes
  * pass at once. An interrupt ends the wait with an InterruptedIOException. A waiting virtual
  * thread releases its carrier.
  *
  * {{{
  * import java.io.ByteArrayInputStream
  * val throttler = Throttler(bytesPerSecond = 1_000_000)
  * val slow = throttler.source(ByteArrayInputStream(new Array[Byte](100)).source()).buffered
  * println(slow.readByteArray().length)
  * }}}
  *
  * @param bytesPerSecond
  *   0 for no limit
  */
final class Throttler private[buffer] (
    bytesPerSecond: Long,
    waitByteCount: Long,
    maxByteCount: Long,
    clock: Throttler.Clock
):
  import Throttler.Second
  private val lock = ReentrantLock()
  private val changed: Condition = lock.newCondition()
  private var rate = 0L
  private var minBytes = 0L
  private var maxBytes = 0L

  /** Time when all bytes granted so far will have passed. */
  private var promisedUntil = clock.nanos
  setBytesPerSecond(bytesPerSecond, waitByteCount, maxByteCount)

  /** Changes the limits for later calls of [[take]], and for calls that wait. Bytes that were
    * granted before and have not passed yet pass at the new rate.
    *
    * {{{
    * val throttler = Throttler(bytesPerSecond = 1)
    * throttler.setBytesPerSecond(0) // no limit from now on
    * println(throttler.take(1_000_000)) // 1000000
    * }}}
    */
  def setBytesPerSecond(
      bytesPerSecond: Long,
      waitByteCount: Long = Throttler.WaitBytes,
      maxByteCount: Long = Throttler.MostBytes
  ): Unit =
    if bytesPerSecond < 0 then
      throw IllegalArgumentException(s"bytesPerSecond must be at least 0, but is $bytesPerSecond")
    if waitByteCount < 1 || maxByteCount < waitByteCount then
      throw IllegalArgumentException(
        s"waitByteCount must be in [1, $maxByteCount], but is $waitByteCount"
      )
    lock.lock()
    try
      val now = clock.nanos
      promisedUntil = now + nanosAt(bytesPerSecond, now)
      rate = bytesPerSecond
      minBytes = waitByteCount
      maxBytes = maxByteCount
      changed.signalAll() // waiting threads compute their waits again
    finally lock.unlock()
  end setBytesPerSecond

  /** Takes at least one and at most `byteCount` bytes; waits until they are available.
    *
    * {{{
    * val throttler = Throttler(bytesPerSecond = 1_000_000, maxByteCount = 64 << 10)
    * println(throttler.take(1_000_000)) // 65536
    * }}}
    *
    * @return
    *   the number of bytes
    */
  def take(byteCount: Long): Long =
    if byteCount < 1 then
      throw IllegalArgumentException(s"byteCount must be at least 1, but is $byteCount")
    lock.lock()
    try
      var grant = promise(byteCount)
      while grant < 0 do
        clock.await(changed, -grant)
        grant = promise(byteCount)
      grant
    finally lock.unlock()

  /** Grants bytes and returns their number; if the caller must wait, returns minus the nanoseconds.
    */
  private def promise(byteCount: Long): Long =
    if rate == 0 then byteCount
    else
      val now = clock.nanos
      val ahead = Math.max(0, promisedUntil - now)
      val room = maxBytes - bytesIn(ahead)
      val minGrant = Math.min(byteCount, minBytes)
      if room >= minGrant then
        val grant = Math.min(byteCount, room)
        promisedUntil = now + ahead + nanosOf(grant)
        grant
      else -Math.max(1, ahead - nanosOf(maxBytes - minGrant))

  /** The time that the bytes granted so far need at another rate, from `now` on; 0 if one of the
    * rates has no limit.
    */
  private def nanosAt(newRate: Long, now: Long): Long =
    val ahead = Math.max(0, promisedUntil - now)
    if rate == 0 || newRate == 0 then 0 else (ahead * (rate.toDouble / newRate)).toLong

  private def nanosOf(bytes: Long): Long = (bytes * (Second / rate)).toLong

  /** Rounded up, apart from the error of the division. */
  private def bytesIn(nanos: Long): Long = Math.ceil(nanos * (rate / Second) - 1e-6).toLong

  /** A source whose reads are limited by this throttler. */
  def source(source: Source): Source = new Source:
    override def timeout: Timeout = source.timeout
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if byteCount == 0 then source.read(sink, 0) else source.read(sink, take(byteCount))
    def close(): Unit = source.close()

  /** A sink whose writes are limited by this throttler.
    *
    * {{{
    * val throttler = Throttler(bytesPerSecond = 1_000_000)
    * val target = Buffer()
    * throttler.sink(target).write(Buffer().writeUtf8("abc"), 3)
    * println(target.size) // 3
    * }}}
    */
  def sink(sink: Sink): Sink = new Sink:
    override def timeout: Timeout = sink.timeout
    def write(source: Buffer, byteCount: Long): Unit =
      source.require(byteCount)
      var rest = byteCount
      while rest > 0 do
        val step = take(rest)
        sink.write(source, step)
        rest -= step
    def flush(): Unit = sink.flush()
    def close(): Unit = sink.close()
end Throttler

object Throttler:
  /** Smallest grant after a wait, as in Okio. */
  private val WaitBytes = 8L << 10

  /** Bytes that pass at once after a pause, as in Okio. */
  private val MostBytes = 256L << 10

  /** Nanoseconds per second. */
  private val Second = 1e9

  def apply(
      bytesPerSecond: Long,
      waitByteCount: Long = WaitBytes,
      maxByteCount: Long = MostBytes
  ): Throttler = new Throttler(bytesPerSecond, waitByteCount, maxByteCount, SystemClock)

  /** A clock, and waiting by it. */
  private[buffer] trait Clock:
    def nanos: Long
    def await(changed: Condition, nanos: Long): Unit

  private object SystemClock extends Clock:
    def nanos: Long = System.nanoTime
    def await(changed: Condition, nanos: Long): Unit =
      try changed.awaitNanos(nanos): Unit
      catch
        case _: InterruptedException =>
          Thread.currentThread.interrupt()
          throw InterruptedIOException("interrupted while waiting for the throttler")
end Throttler
