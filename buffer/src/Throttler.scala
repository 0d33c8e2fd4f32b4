package undercroft.buffer

import java.io.InterruptedIOException
import java.util.concurrent.locks.{Condition, ReentrantLock}

/** Lets only so many bytes a second through all sources and sinks that share it.
  *
  * Any thread. Bytes are promised one after another on a line of time: what is taken moves the
  * line's end, and who is too far ahead of the clock waits. A taker that waits gets at least
  * `waitByteCount` bytes then, so that nobody wakes for a few; after a pause `maxByteCount` bytes
  * pass at once. Waiting is ended by an interrupt, with an InterruptedIOException. Virtual threads
  * wait without their carrier.
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
  private var least = 0L
  private var most = 0L

  /** When what was promised so far will have passed. */
  private var promisedUntil = clock.nanos
  setBytesPerSecond(bytesPerSecond, waitByteCount, maxByteCount)

  /** Changes the limits for what is taken from now on. */
  def setBytesPerSecond(
      bytesPerSecond: Long,
      waitByteCount: Long = Throttler.WaitBytes,
      maxByteCount: Long = Throttler.MostBytes
  ): Unit =
    if bytesPerSecond < 0 || waitByteCount < 1 || maxByteCount < waitByteCount then
      throw IllegalArgumentException(
        s"$bytesPerSecond bytes a second, $waitByteCount to wait for, at most $maxByteCount at once"
      )
    lock.lock()
    try
      rate = bytesPerSecond
      least = waitByteCount
      most = maxByteCount
      changed.signalAll() // those who wait reckon anew
    finally lock.unlock()

  /** Takes at least one and at most `byteCount` bytes, after waiting for them.
    *
    * @return
    *   how many
    */
  def take(byteCount: Long): Long =
    if byteCount < 1 then throw IllegalArgumentException(s"a count of $byteCount bytes")
    lock.lock()
    try
      var taken = promise(byteCount)
      while taken < 0 do
        clock.await(changed, -taken)
        taken = promise(byteCount)
      taken
    finally lock.unlock()

  /** Promises bytes, and answers how many; or, negative, the nanoseconds to wait before. */
  private def promise(byteCount: Long): Long =
    if rate == 0 then byteCount
    else
      val now = clock.nanos
      val ahead = Math.max(0, promisedUntil - now)
      val room = most - bytesIn(ahead)
      val wanted = Math.min(byteCount, least)
      if room >= wanted then
        val some = Math.min(byteCount, room)
        promisedUntil = now + ahead + nanosOf(some)
        some
      else -Math.max(1, ahead - nanosOf(most - wanted))

  private def nanosOf(bytes: Long): Long = (bytes * (Second / rate)).toLong

  /** Rounded up, but for what is only the division's error. */
  private def bytesIn(nanos: Long): Long = Math.ceil(nanos * (rate / Second) - 1e-6).toLong

  /** A source that takes from this what it reads. */
  def source(source: Source): Source = new Source:
    override def timeout: Timeout = source.timeout
    def read(sink: Buffer, byteCount: Long): Long =
      Search.checkCount(byteCount)
      if byteCount == 0 then source.read(sink, 0) else source.read(sink, take(byteCount))
    def close(): Unit = source.close()

  /** A sink that takes from this what is written to it. */
  def sink(sink: Sink): Sink = new Sink:
    override def timeout: Timeout = sink.timeout
    def write(source: Buffer, byteCount: Long): Unit =
      source.checkRange(0, byteCount)
      var rest = byteCount
      while rest > 0 do
        val some = take(rest)
        sink.write(source, some)
        rest -= some
    def flush(): Unit = sink.flush()
    def close(): Unit = sink.close()
end Throttler

object Throttler:
  /** What one who waits gets at least, as in Okio. */
  private val WaitBytes = 8L << 10

  /** What passes at once after a pause, as in Okio. */
  private val MostBytes = 256L << 10

  /** Nanoseconds. */
  private val Second = 1e9

  def apply(
      bytesPerSecond: Long,
      waitByteCount: Long = WaitBytes,
      maxByteCount: Long = MostBytes
  ): Throttler = new Throttler(bytesPerSecond, waitByteCount, maxByteCount, SystemClock)

  /** Time, and waiting for it. */
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
