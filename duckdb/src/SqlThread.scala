package undercroft.duckdb

import java.util.concurrent.{
  ExecutionException,
  LinkedBlockingQueue,
  ThreadPoolExecutor,
  TimeUnit,
  TimeoutException
}

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
    * `interrupt` is called until the body has ended, and the caller's interrupt status is kept.
    */
  def run[A](interrupt: () => Unit)(body: => A): A =
    val future = executor.submit(() => body).nn
    var isInterrupted = false
    try
      var result: Option[A] = None
      while result.isEmpty do
        try
          if isInterrupted then
            interrupt()
            result = Some(future.get(SqlThread.PauseMillis, TimeUnit.MILLISECONDS).asInstanceOf[A])
          else result = Some(future.get().asInstanceOf[A])
        catch
          case _: InterruptedException => isInterrupted = true
          case _: TimeoutException     => ()
      result.get
    catch
      case error: ExecutionException =>
        error.getCause match
          // The stack trace of errors of the call itself is replaced by that of the caller.
          case failure: (DuckDbException | IllegalStateException) =>
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

  /** Milliseconds between two interrupts of a query: an interrupt before its start is lost. */
  private val PauseMillis = 1L
end SqlThread
