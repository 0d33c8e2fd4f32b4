package undercroft.struct
package internal.parallel

import internal.bytes.MappedReads
import java.util.concurrent.{SynchronousQueue, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport

/** Runs the parts of an operation on several threads, at most `Runtime.availableProcessors`.
  *
  * The threads are daemons, started on demand and kept for a while. No part waits for a thread to
  * start: the caller runs every part that no other thread takes. So operations may be nested to any
  * depth.
  */
private[struct] object ParallelRunner:

  /** The most threads of all operations together: enough for a few operations at once, or nested
    * ones, on any machine.
    */
  private val maxThreads = Runtime.getRuntime.availableProcessors.max(2) * 4

  /** The time that an idle thread is kept, in seconds. */
  private inline val KeptSeconds = 1L

  private val count = AtomicInteger()
  private val threads: ThreadPoolExecutor =
    new ThreadPoolExecutor(
      0,
      maxThreads,
      KeptSeconds,
      TimeUnit.SECONDS,
      SynchronousQueue[Runnable](),
      newThread(_)
    )

  /** A thread that keeps no object of the caller alive: neither the caller's inheritable thread
    * locals nor its context class loader.
    */
  private[struct] def newThread(task: Runnable): Thread =
    val thread = Thread.ofPlatform
      .daemon()
      .name(s"undercroft-parallel-${count.incrementAndGet()}")
      .inheritInheritableThreadLocals(false)
      .unstarted(task)
    thread.setContextClassLoader(getClass.getClassLoader)
    thread

  /** The most threads that work on one operation. */
  def width: Int = Runtime.getRuntime.availableProcessors

  /** Runs `part` once for each number in `[0, parts)`, and returns when all have ended. If
    * `confined`, the caller runs parts only if no other thread could be started; otherwise it
    * waits, so that the state confined to it does not change.
    *
    * If `isSmall`, one other thread begins, and more are started only if it has not ended soon.
    *
    * The first failure ends the operation: parts that have not started are skipped, and the failure
    * is thrown when the running parts have ended, with their failures as suppressed exceptions.
    */
  def run(parts: Int, confined: Boolean, isSmall: Boolean = false)(part: Int => Unit): Unit =
    val work = ParallelTask(parts, part)
    val maxHelpers = (if confined then width else width - 1).min(parts)
    var helpers = 0
    try
      if isSmall && maxHelpers > 0 && started(work) then
        helpers = 1
        work.awaitSoon()
      while helpers < maxHelpers && work.hasParts && started(work) do helpers += 1
      if helpers == 0 || !confined then work.takeAll()
    catch case error: Throwable => work.fail(error) // the parts that have started end first
    finally work.await()

  private def started(work: ParallelTask): Boolean =
    work.begin()
    try
      threads.execute(() =>
        try work.takeAll()
        finally work.end()
      )
      true
    catch
      // All threads are in use, or the system cannot start another one.
      case _: (java.util.concurrent.RejectedExecutionException | OutOfMemoryError) =>
        work.end()
        false
      case error: Throwable =>
        work.end()
        throw error
end ParallelRunner

/** The parts of one operation, which several threads take from one counter. */
private final class ParallelTask(parts: Int, part: Int => Unit):
  private val next = AtomicInteger()
  private val caller = Thread.currentThread

  // Guarded by the lock of this object.
  private var busy = 0
  private var failure: Throwable | Null = null

  def begin(): Unit = synchronized(busy += 1)

  def end(): Unit =
    synchronized:
      busy -= 1
      if busy == 0 then notifyAll()
    LockSupport.unpark(caller)

  /** Whether there are parts that no thread has taken. */
  def hasParts: Boolean = next.get < parts

  /** Waits until a thread has ended, or for about the time that it takes to start one. */
  def awaitSoon(): Unit = LockSupport.parkNanos(this, ParallelTask.SoonNanos)

  /** Runs parts until none remain. */
  def takeAll(): Unit =
    var number = next.getAndIncrement()
    while number >= 0 && number < parts do
      try
        part(number)
        MappedReads.rethrow() // reports a failed access to a file in the part that made it
      catch case error: Throwable => fail(error)
      number = next.getAndIncrement()

  def fail(error: Throwable): Unit = synchronized:
    next.set(parts)
    val first = failure
    if first == null then failure = error
    else if first ne error then first.addSuppressed(error)

  /** Waits until no other thread works on the operation, then throws its first failure, if any. An
    * interrupt is restored at the end.
    */
  def await(): Unit =
    var interrupted = false
    synchronized:
      while busy > 0 do
        try wait()
        catch case _: InterruptedException => interrupted = true
    if interrupted then Thread.currentThread.interrupt()
    val first = synchronized(failure)
    if first != null then throw first
end ParallelTask

private object ParallelTask:
  /** 50 microseconds. */
  private inline val SoonNanos = 50_000L
