package undercroft.struct

import java.util.concurrent.{SynchronousQueue, ThreadPoolExecutor, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import undercroft.struct.internal.Mapping

/** Runs the parts of an operation on several threads: up to as many as there are processors, of
  * which the JVM's number tells.
  *
  * The threads are daemons, made when they are needed and kept for a while. None is waited for
  * before it begins: a part that no other thread takes is run by the caller. So operations may be
  * nested, however deep.
  */
private[struct] object Crew:

  /** Threads of all operations together, at the most: enough for a few operations at once, or one
    * in another, on any machine.
    */
  private val most = Runtime.getRuntime.availableProcessors.max(2) * 4

  /** How long a thread without work is kept, in seconds. */
  private inline val KeptSeconds = 1L

  private val count = AtomicInteger()
  private val threads: ThreadPoolExecutor =
    new ThreadPoolExecutor(
      0,
      most,
      KeptSeconds,
      TimeUnit.SECONDS,
      SynchronousQueue[Runnable](),
      task =>
        val thread = Thread(task, s"undercroft-parallel-${count.incrementAndGet()}")
        thread.setDaemon(true)
        thread
    )

  /** How many threads work on an operation, at the most. */
  def width: Int = Runtime.getRuntime.availableProcessors

  /** Runs `part` of every number in `[0, parts)`, each once, and returns when all have ended. Where
    * `confined`, the caller runs none of them as long as another thread does: it waits, and what is
    * its alone stays as it is.
    *
    * The first failure ends the operation: parts that have not begun are left out, and it is thrown
    * when the others have ended, with their failures as suppressed ones.
    */
  def run(parts: Int, confined: Boolean)(part: Int => Unit): Unit =
    val work = Work(parts, part)
    val wanted = (if confined then width else width - 1).min(parts)
    var helpers = 0
    while helpers < wanted && started(work) do helpers += 1
    if helpers == 0 || !confined then work.takeAll()
    work.await()

  private def started(work: Work): Boolean =
    work.begin()
    try
      threads.execute(() =>
        try work.takeAll()
        finally work.end()
      )
      true
    catch
      // All threads are taken, or the system has no more.
      case _: (java.util.concurrent.RejectedExecutionException | OutOfMemoryError) =>
        work.end()
        false
end Crew

/** The parts of one operation, taken by several threads. */
private final class Work(parts: Int, part: Int => Unit):
  private val next = AtomicInteger()

  // Under the lock of this object.
  private var busy = 0
  private var failure: Throwable | Null = null

  def begin(): Unit = synchronized(busy += 1)

  def end(): Unit = synchronized:
    busy -= 1
    if busy == 0 then notifyAll()

  /** Runs parts until there are none left. */
  def takeAll(): Unit =
    var number = next.getAndIncrement()
    while number >= 0 && number < parts do
      try
        part(number)
        Mapping.settle() // a failed access to a file is this part's error
      catch case error: Throwable => fail(error)
      number = next.getAndIncrement()

  private def fail(error: Throwable): Unit = synchronized:
    next.set(parts)
    val first = failure
    if first == null then failure = error
    else if first ne error then first.addSuppressed(error)

  /** Waits until no other thread is at work; an interrupt is kept for later. */
  def await(): Unit =
    var interrupted = false
    synchronized:
      while busy > 0 do
        try wait()
        catch case _: InterruptedException => interrupted = true
    if interrupted then Thread.currentThread.interrupt()
    val first = synchronized(failure)
    if first != null then throw first
end Work
