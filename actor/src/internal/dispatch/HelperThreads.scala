package undercroft.actor
package internal.dispatch

import java.util.concurrent.{LinkedTransferQueue, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport

/** Platform threads, shared by all systems, for steps that may run code of the user and must not
  * wait for a carrier of virtual threads: wake-ups by a clock, interrupts, answers of a journal.
  *
  * An idle thread takes a task directly, else a new thread does; it ends after some idle seconds.
  * While [[HelperThreads.Limit]] threads are busy, virtual threads run further tasks. Lock-free, so
  * that no thread waits for a virtual one. Thread-safe.
  */
private[undercroft] object HelperThreads:
  private inline val Limit = 64
  private inline val KeepAliveSeconds = 5L

  private val tasks = LinkedTransferQueue[Runnable]()
  private val count = AtomicInteger()

  /** Runs a task soon.
    *
    * @throws java.lang.OutOfMemoryError
    *   if neither a thread nor a virtual one can be started; the task does not run then
    */
  def execute(task: Runnable): Unit =
    if !tasks.tryTransfer(task) && !start(task) then Thread.startVirtualThread(task): Unit

  /** Lets other virtual threads run on the carrier of this one. A helper resumes it, so it queues
    * behind all threads that wait for a carrier; `Thread.yield` would queue it behind those of the
    * carrier only: a carrier with two threads that yield runs no other ones.
    */
  def yieldCarrier(): Unit =
    val thread = Thread.currentThread
    val resumption = Resumption(thread)
    execute(resumption)
    while !resumption.isDone do LockSupport.park(resumption)
    LockSupport.unpark(thread) // the caller's permit, if it had one

  private final class Resumption(thread: Thread) extends Runnable:
    @volatile var isDone = false
    def run(): Unit =
      isDone = true
      LockSupport.unpark(thread)

  private def start(task: Runnable): Boolean =
    var isStarted = false
    try
      if count.incrementAndGet() <= Limit then
        Thread.ofPlatform
          .daemon
          .inheritInheritableThreadLocals(false)
          .name("undercroft-helper")
          .start(() => serve(task))
        isStarted = true
    catch case _: OutOfMemoryError => () // no thread
    finally if !isStarted then count.decrementAndGet(): Unit
    isStarted

  private def serve(first: Runnable): Unit =
    var task: Runnable | Null = first
    try
      while task != null do
        task.run()
        val _ = Thread.interrupted() // it was meant for the task
        task = tasks.poll(KeepAliveSeconds, TimeUnit.SECONDS)
    finally count.decrementAndGet(): Unit
end HelperThreads
