package undercroft.duckdb
package internal.run

import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.{
  ExecutionException,
  FutureTask,
  LinkedBlockingQueue,
  ThreadPoolExecutor,
  TimeUnit,
  TimeoutException
}
import scala.concurrent.duration.Duration

/** The thread with a large stack that makes all DuckDB calls of one [[DuckDb]].
  *
  * DuckDB parses, binds and executes SQL by recursion and does not check the stack: `1+1+...` with
  * 900 terms overflows a Java thread's default stack of 1 MiB, which ends the JVM. DuckDB's limit
  * of 1000 on the depth of an expression keeps its recursion below [[SqlThread.StackBytes]]. The
  * thread is started on demand and ends after a few idle seconds.
  */
private[duckdb] final class SqlThread:
  private val executor = ThreadPoolExecutor(
    1,
    1,
    SqlThread.IdleSeconds,
    TimeUnit.SECONDS,
    LinkedBlockingQueue[Runnable](),
    (task: Runnable) =>
      val thread = Thread(null, task, "undercroft-duckdb", SqlThread.StackBytes)
      thread.setDaemon(true)
      thread
  )
  executor.allowCoreThreadTimeOut(true)

  /** Runs the body on the thread and waits for it. If the caller is interrupted meanwhile,
    * `interrupt` is called until the body has ended, and the caller's interrupt status is kept. The
    * same happens after `timeLimit`; a DuckDbException of the body is then one about the limit. It
    * happens after an error of the caller's thread, too, such as one on an exhausted heap, which is
    * thrown after the body has ended: the body reads memory that the caller may release.
    *
    * @param start
    *   the time from which `timeLimit` counts, in nanoseconds
    */
  def run[A](
      interrupt: () => Unit,
      timeLimit: Duration = Duration.Inf,
      start: Long = System.nanoTime
  )(body: => A): A =
    val mayBegin = AtomicBoolean(true)
    val task = FutureTask[A](() =>
      if mayBegin.getAndSet(false) then body
      else throw IllegalStateException("the call has failed before its body began")
    )
    var waitError: Throwable | Null = null
    try executor.execute(task)
    catch
      case error: Throwable =>
        // The task may be queued in spite of the error; it has no effect unless it has begun.
        if mayBegin.getAndSet(false) then throw error
        waitError = error
    def remainingNanos =
      if timeLimit.isFinite then timeLimit.toNanos - (System.nanoTime - start) else Long.MaxValue
    var isInterrupted = false
    var isLate = false
    try
      while !task.isDone do
        try
          val isEnding = isInterrupted || isLate || waitError != null
          if isEnding then
            try interrupt()
            catch case error: Throwable => if waitError == null then waitError = error
          val nanos = if isEnding then SqlThread.PauseNanos else remainingNanos
          val _ = task.get(nanos, TimeUnit.NANOSECONDS)
        catch
          case _: InterruptedException => isInterrupted = true
          case _: TimeoutException     => isLate = isLate || remainingNanos <= 0
          case _: ExecutionException   => () // thrown below
          case error: Throwable        => if waitError == null then waitError = error
      val failure = waitError
      if failure != null then throw failure
      task.get().asInstanceOf[A]
    catch
      case error: ExecutionException =>
        error.getCause match
          case failure: DuckDbException if isLate && !isInterrupted =>
            val text = s"the query was ended after its time limit of $timeLimit"
            throw DuckDbException(text, failure.code, failure)
          // The stack trace of errors of the call itself is replaced by that of the caller.
          case failure: (DuckDbException | IllegalStateException | IllegalArgumentException) =>
            throw failure.fillInStackTrace().nn
          case failure: Throwable => throw failure
          case null               => throw error
    finally if isInterrupted then Thread.currentThread.nn.interrupt()
    end try
  end run
end SqlThread

private[duckdb] object SqlThread:
  /** Bytes of the stack: reserved, and committed page by page on use. */
  val StackBytes: Long = 64L << 20

  private val IdleSeconds = 2L

  /** Time between two interrupts of a query: an interrupt before its start is lost. */
  private val PauseNanos = 1_000_000L
end SqlThread
