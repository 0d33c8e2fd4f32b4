package undercroft.actor
package internal.page

import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}

/** Ends steps that take too long, by an interrupt of their threads: that closes a channel in which
  * the thread waits. Thread-safe; its own thread is a daemon.
  */
private[actor] final class Deadlines(maxMillis: Long) extends AutoCloseable:
  private val timer = ScheduledThreadPoolExecutor(
    1,
    Thread.ofPlatform.daemon.name("page-deadlines").factory
  )
  timer.setRemoveOnCancelPolicy(true)

  /** Runs `step` on the calling thread, which is interrupted if that takes too long. The interrupt
    * may come after the step, so the thread must not be used for others.
    */
  def limit(step: => Unit): Unit =
    val thread = Thread.currentThread
    val interrupt: Runnable = () => thread.interrupt()
    val deadline = timer.schedule(interrupt, maxMillis, TimeUnit.MILLISECONDS)
    try step
    finally deadline.cancel(false): Unit

  def close(): Unit = timer.shutdownNow(): Unit
end Deadlines
