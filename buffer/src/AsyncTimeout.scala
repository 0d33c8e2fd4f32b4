package undercroft.buffer

import java.io.{IOException, InterruptedIOException}
import java.util.concurrent.{Future, ScheduledThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

/** A timeout for calls that do not support one, such as a read of a socket. When a call times out,
  * `onTimeout` runs on a platform thread and must make the call end, for example by closing the
  * resource it waits for. The call then throws a [[TimedOutException]], whatever it threw itself.
  * If the call ends before `onTimeout` has begun, that does not run, and the call has its own
  * result.
  *
  * For one call at a time; [[abort]] and [[cancel]] are thread-safe: after a cancel the current
  * call has no limit. Each call costs a task for the one thread that watches all calls, and nothing
  * if neither timeout nor deadline is set.
  *
  * {{{
  * import scala.concurrent.duration.DurationInt
  * val pipe = Pipe(maxBytes = 1024)
  * val call = new AsyncTimeout(onTimeout = () => pipe.sink.close())
  * call.timeout(20.millis)
  * try println(call.withTimeout(pipe.source.read(Buffer(), 1)))
  * catch case error: TimedOutException => println(error.getMessage)
  * }}}
  */
final class AsyncTimeout(onTimeout: () => Unit) extends Timeout:
  import AsyncTimeout.*
  private val call = AtomicReference[Call](Idle)
  private var watch = watchThread

  private[buffer] def this(whenLate: () => Unit, watch: AsyncTimeout.Watch) =
    this(whenLate)
    this.watch = watch

  /** Runs a call within the time limit.
    *
    * {{{
    * import java.net.{InetSocketAddress, Socket}
    * import scala.concurrent.duration.DurationInt
    * def connect(socket: Socket, address: InetSocketAddress): Unit =
    *   val timeout = new AsyncTimeout(onTimeout = () => socket.close())
    *   timeout.timeout(2.seconds)
    *   timeout.withTimeout(socket.connect(address))
    * }}}
    */
  def withTimeout[A](body: => A): A = withTimeoutSince(cancelCount)(body)

  /** The same, for a part of a call that began when [[cancelCount]] was `callCancels`: after a
    * cancel, later parts of the call are unlimited.
    */
  private[buffer] def withTimeoutSince[A](callCancels: Int)(body: => A): A =
    val (left, limited) = (left0(), isLimited && callCancels == cancelCount)
    if limited && left <= 0 then throw late()
    val running = if limited then Running() else Unlimited
    if !call.compareAndSet(Idle, running) then
      if call.get eq Aborted then throw aborted()
      throw IllegalStateException("a call is already in progress")
    watching(running, left, limited)(body)

  /** Closes within the time limit; immediately and without a limit if a call is in progress or the
    * time is already up.
    */
  private def closing(close: => Unit): Unit =
    val (left, limited) = (left0(), isLimited)
    val running = Running()
    if limited && left > 0 && call.compareAndSet(Idle, running) then
      var hasBegun = false
      try
        watching(running, left, limited = true):
          hasBegun = true
          close
      // The time could not be watched, for lack of a thread or of memory: it closes without a limit.
      catch case _: Throwable if !hasBegun => close
    else close

  private def watching[A](running: Running, left: Long, limited: Boolean)(body: => A): A =
    val cancels = cancelCount
    var watched: Future[?] | Null = null
    var isComplete = false
    try
      if limited then
        watched = watch.after(left, () => if cancels == cancelCount then startEnd(running))
      val result = body
      isComplete = true
      finish(running, watched, null)
      result
    catch
      case e: Throwable if !isComplete =>
        finish(running, watched, e)
        throw e

  /** Ends the current call and all later ones with an InterruptedIOException.
    *
    * {{{
    * val call = new AsyncTimeout(onTimeout = () => ())
    * call.abort()
    * try println(call.withTimeout("result"))
    * catch case error: java.io.InterruptedIOException => println(error.getMessage) // aborted
    * }}}
    */
  def abort(): Unit =
    call.getAndSet(Aborted) match
      case _: Running => start(() => onTimeout())
      case _          => ()

  /** A source whose reads and close are limited calls.
    *
    * {{{
    * import java.io.ByteArrayInputStream
    * import scala.concurrent.duration.DurationInt
    * val stream = ByteArrayInputStream("abc".getBytes)
    * val timeout = new AsyncTimeout(onTimeout = () => stream.close())
    * timeout.timeout(1.second)
    * println(timeout.source(stream.source()).buffered.readUtf8()) // abc
    * }}}
    */
  def source(source: Source): Source = new Source:
    private val calls = LateReads()
    override def timeout: Timeout = AsyncTimeout.this
    def read(sink: Buffer, byteCount: Long): Long =
      calls.read(sink)(withTimeout(source.read(sink, byteCount)))
    def close(): Unit = closing(source.close())

  /** A sink whose flush and close are limited calls, as is each 64 KiB of a write: a slow write
    * continues while it makes progress. A write without a limit is one call.
    */
  def sink(sink: Sink): Sink = new Sink:
    override def timeout: Timeout = AsyncTimeout.this
    def write(source: Buffer, byteCount: Long): Unit =
      source.require(byteCount)
      val callCancels = cancelCount
      var rest = byteCount
      while rest > 0 do
        val bytes = callBytes(rest, this.timeout)
        withTimeoutSince(callCancels)(sink.write(source, bytes))
        rest -= bytes
    def flush(): Unit = withTimeout(sink.flush())
    def close(): Unit = closing(sink.close())

  private def left0(): Long = left()

  /** Ends a call that timed out; does nothing if that call is over. The call becomes late on the
    * started thread, because it may end before that thread runs.
    */
  private def startEnd(running: Running): Unit =
    if call.get eq running then
      start(() => if call.compareAndSet(running, Late) then onTimeout())

  /** Starts a platform thread: a virtual one would not run while others occupy all carriers. */
  private def start(task: Runnable): Unit =
    Thread.ofPlatform.daemon.name("undercroft-timeout").start(task): Unit

  /** Completes a call: throws an error of this class if it timed out or was aborted. */
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
  /** Reads of a source that either return bytes or throw: if a read has appended bytes when its
    * limit ends it, it returns them, and the next one throws the error.
    */
  final class LateReads:
    private var failure: TimedOutException | Null = null

    inline def read(sink: Buffer)(inline call: Long): Long =
      throwFailure()
      val before = sink.end
      try call
      catch case error: TimedOutException if sink.end > before => postpone(error, sink.end - before)

    private def throwFailure(): Unit =
      val error = failure
      if error != null then
        failure = null
        throw error

    private def postpone(error: TimedOutException, bytes: Long): Long =
      failure = error
      bytes

  private sealed abstract class Call
  private object Idle extends Call
  private object Late extends Call
  private object Aborted extends Call

  /** The state during a call; a new instance for each call with a limit. */
  private final class Running extends Call
  private val Unlimited = Running()

  private val IdleSeconds = 2L

  /** Runs a task after `nanos` nanoseconds. */
  trait Watch:
    def after(nanos: Long, task: Runnable): Future[?]

  /** Bytes that are written as one call with a limit. */
  private val WriteBytes = 65536L

  /** Bytes that the next call of a write consumes, of the `rest`. */
  def callBytes(rest: Long, timeout: Timeout): Long =
    if timeout.isLimited then Math.min(rest, WriteBytes) else rest

  /** The thread that watches all calls, and ends some seconds after the last one; its tasks only
    * start other threads.
    */
  private lazy val thread: ScheduledThreadPoolExecutor =
    val executor = ScheduledThreadPoolExecutor(
      1,
      task => Thread.ofPlatform.daemon.name("undercroft-timeouts").unstarted(task)
    )
    executor.setRemoveOnCancelPolicy(true)
    executor.setKeepAliveTime(IdleSeconds, TimeUnit.SECONDS)
    executor.allowCoreThreadTimeOut(true)
    executor

  private val watchThread: Watch = (nanos, task) =>
    thread.schedule(task, nanos, TimeUnit.NANOSECONDS)
end AsyncTimeout
