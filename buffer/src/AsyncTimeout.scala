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
  private val call = AtomicReference[Call](Idle)
  private var watch = watchThread

  private[buffer] def this(whenLate: () => Unit, watch: AsyncTimeout.Watch) =
    this(whenLate)
    this.watch = watch

  /** Runs a call within the time. */
  def withTimeout[A](body: => A): A =
    val (left, limited) = (left0(), isLimited)
    if limited && left <= 0 then throw late()
    val running = if limited then Running() else Unlimited
    if !call.compareAndSet(Idle, running) then
      if call.get eq Aborted then throw aborted()
      throw IllegalStateException("a call is under way already")
    val watched = if limited then watch.after(left, () => end(running)) else null
    var ended = false
    try
      val result = body
      ended = true
      finish(running, watched, null)
      result
    catch
      case e: Throwable if !ended =>
        finish(running, watched, e)
        throw e

  /** Ends the call under way, and all later ones, with an InterruptedIOException. */
  def abort(): Unit =
    call.getAndSet(Aborted) match
      case _: Running => Thread.startVirtualThread(() => whenLate()): Unit
      case _          => ()

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

  /** Ends a call that is late, and no other: its task may come when it is over. */
  private def end(running: Running): Unit =
    if call.compareAndSet(running, Late) then Thread.startVirtualThread(() => whenLate()): Unit

  /** Ends a call that is over: with an error of ours if it was late, or was to end. */
  private def finish(running: Running, watched: Future[?] | Null, cause: Throwable | Null): Unit =
    if watched != null then watched.cancel(false): Unit
    if !call.compareAndSet(running, Idle) then
      val error = if call.get eq Aborted then aborted() else late()
      call.compareAndSet(Late, Idle): Unit
      error.initCause(cause): Unit
      throw error

  private def aborted(): IOException = InterruptedIOException("aborted")
end AsyncTimeout

private[buffer] object AsyncTimeout:
  private sealed abstract class Call
  private object Idle extends Call
  private object Late extends Call
  private object Aborted extends Call

  /** One for each call that can be late. */
  private final class Running extends Call
  private val Unlimited = Running()

  /** Runs a task after so many nanoseconds. */
  trait Watch:
    def after(nanos: Long, task: Runnable): Future[?]

  /** Bytes that are written as one call. */
  private val WriteBytes = 65536L

  /** The thread that watches all calls; it only ever starts others. */
  private lazy val thread: ScheduledThreadPoolExecutor =
    val made = ScheduledThreadPoolExecutor(
      1,
      task => Thread.ofPlatform.daemon.name("undercroft-timeouts").unstarted(task)
    )
    made.setRemoveOnCancelPolicy(true)
    made

  private val watchThread: Watch = (nanos, task) =>
    thread.schedule(task, nanos, TimeUnit.NANOSECONDS)
end AsyncTimeout
