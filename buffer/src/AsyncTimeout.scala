package undercroft.buffer

import java.io.{IOException, InterruptedIOException}
import java.util.concurrent.{Future, ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

/** A timeout for calls that do not look at one, such as a read of a socket: when a call is late
  * `whenLate` runs, on a virtual thread, and has to make the call end; closing what it waits for
  * does. The call then ends with a [[TimedOutException]], whatever it threw itself.
  *
  * For one call at a time; [[abort]] is for any thread. A call costs a task for the one thread that
  * watches all of them, and nothing while neither timeout nor deadline is set.
  */
final class AsyncTimeout(whenLate: () => Unit) extends Timeout:
  import AsyncTimeout.*
  private val call = AtomicReference[Call](Call.Idle)

  /** Runs a call within the time. */
  def withTimeout[A](body: => A): A =
    val (left, limited) = (left0(), isLimited)
    if limited && left <= 0 then throw late()
    if !call.compareAndSet(Call.Idle, Call.Running) then
      if call.get == Call.Aborted then throw aborted()
      throw IllegalStateException("a call is under way already")
    val watched: Future[?] | Null =
      if limited then watch.schedule((() => end(Call.Late)): Runnable, left, TimeUnit.NANOSECONDS)
      else null
    var ended = false
    try
      val result = body
      ended = true
      finish(watched, null)
      result
    catch
      case e: Throwable if !ended =>
        finish(watched, e)
        throw e

  /** Ends the call under way, and all later ones, with an InterruptedIOException. */
  def abort(): Unit =
    val before = call.getAndSet(Call.Aborted)
    if before == Call.Running then Thread.startVirtualThread(() => whenLate()): Unit

  /** A source each read of which is a call. */
  def source(source: Source): Source = new Source:
    override def timeout: Timeout = AsyncTimeout.this
    def read(sink: Buffer, byteCount: Long): Long = withTimeout(source.read(sink, byteCount))
    def close(): Unit = source.close()

  /** A sink each flush of which is a call, and each 64 KiB of a write: a slow one goes on as long
    * as it moves.
    */
  def sink(sink: Sink): Sink = new Sink:
    override def timeout: Timeout = AsyncTimeout.this
    def write(source: Buffer, byteCount: Long): Unit =
      source.checkRange(0, byteCount)
      var rest = byteCount
      while rest > 0 do
        val some = Math.min(rest, WriteBytes)
        withTimeout(sink.write(source, some))
        rest -= some
    def flush(): Unit = withTimeout(sink.flush())
    def close(): Unit = sink.close()

  private def left0(): Long = left()

  private def end(as: Call): Unit =
    if call.compareAndSet(Call.Running, as) then
      Thread.startVirtualThread(() => whenLate()): Unit

  /** Ends a call that is over: with an error of ours if it was late, or was to end. */
  private def finish(watched: Future[?] | Null, cause: Throwable | Null): Unit =
    if watched != null then watched.cancel(false): Unit
    if !call.compareAndSet(Call.Running, Call.Idle) then
      val error = if call.get == Call.Aborted then aborted() else late()
      call.compareAndSet(Call.Late, Call.Idle): Unit
      error.initCause(cause): Unit
      throw error

  private def aborted(): IOException = InterruptedIOException("aborted")
end AsyncTimeout

private[buffer] object AsyncTimeout:
  private enum Call derives CanEqual:
    case Idle, Running, Late, Aborted

  /** Bytes that are written as one call. */
  private val WriteBytes = 65536L

  /** The thread that watches all calls; it only ever starts others. */
  private lazy val watch: ScheduledThreadPoolExecutor =
    val made = ScheduledThreadPoolExecutor(
      1,
      task => Thread.ofPlatform.daemon.name("undercroft-timeouts").unstarted(task)
    )
    made.setRemoveOnCancelPolicy(true)
    made
end AsyncTimeout
