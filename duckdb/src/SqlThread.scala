package undercroft.duckdb

import java.util.concurrent.{
  ExecutionException,
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
    * same happens after `timeLimit`; a DuckDbException of the body is then one about the limit.
    */
  def run[A](interrupt: () => Unit, timeLimit: Duration = Duration.Inf)(body: => A): A =
    val future = executor.submit(() => body).nn
    val start = System.nanoTime
    def remainingNanos =
      if timeLimit.isFinite then timeLimit.toNanos - (System.nanoTime - start) else Long.MaxValue
    var isInterrupted = false
    var isLate = false
    try
      var result: Option[A] = None
      while result.isEmpty do
        try
          val nanos = if isInterrupted || isLate then SqlThread.PauseNanos else remainingNanos
          if isInterrupted || isLate then interrupt()
          result = Some(future.get(nanos, TimeUnit.NANOSECONDS).asInstanceOf[A])
        catch
          case _: InterruptedException => isInterrupted = true
          case _: TimeoutException     => isLate = isLate || remainingNanos <= 0
      result.get
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

  private val IdleSeconds = 10L

  /** Time between two interrupts of a query: an interrupt before its start is lost. */
  private val PauseNanos = 1_000_000L
end SqlThread
