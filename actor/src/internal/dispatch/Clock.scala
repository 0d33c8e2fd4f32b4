package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import java.util.TreeSet
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}
import java.util.concurrent.locks.LockSupport

/** Reads the time and schedules tasks. A simulation has its own implementation. */
private[actor] trait Clock:
  /** The nanoseconds since an arbitrary origin. */
  def nanos: Long

  /** Runs a task after a delay in nanoseconds. The task must not block. */
  def schedule(delayNanos: Long, task: Runnable): Clock.Scheduled

  /** Runs a task soon, on a thread that runs no actors. After `stop` the task does not run. */
  def execute(task: Runnable): Unit

  /** Stops the clock: no further task runs. */
  def stop(): Unit

private[actor] object Clock:
  /** A scheduled task. */
  trait Scheduled:
    def cancel(): Unit

  /** The system clock, with one thread, which starts with the first task.
    *
    * Senders push tasks and cancelled tasks on a stack, without a lock: the clock never waits for a
    * virtual thread that has no carrier. It sorts them into `waiting` when it wakes, so a sender
    * wakes it only if the task is due before all others, or after every [[Real.MaxUnseen]] tasks.
    *
    * No task is late: a sender pushes (CAS), then reads `wakesAt`; the clock sets `wakesAt`, then
    * reads the stack, and parks only if it is empty.
    */
  final class Real(name: String, failure: SystemFailure) extends Clock, Runnable:
    import Real.{Awake, MaxUnseen}

    private val origin = System.nanoTime
    private val sent = AtomicReference[ClockTask | Null](null)

    // Clock thread only: the tasks in the order of their times, those that it still has to sort, and
    // the number of all so far.
    private val waiting = TreeSet[ClockTask]()
    private var unsorted: ClockTask | Null = null
    private var sequence = 0L
    private val thread = ClockThread(this, s"$name-clock")
    private val isStarted = AtomicBoolean()

    /** The time at which the parked thread wakes, since `origin`; `Awake` while it runs. */
    @volatile private var wakesAt = Awake
    @volatile private var isStopped = false
    thread.setDaemon(true)

    def nanos: Long = System.nanoTime

    private def sinceOrigin: Long = System.nanoTime - origin

    def schedule(delayNanos: Long, task: Runnable): Scheduled =
      val due = sinceOrigin + math.max(0L, delayNanos)
      val scheduled = ClockTask(if due < 0 then Long.MaxValue else due, this, task)
      if !isStopped then
        if !isStarted.get then start()
        send(scheduled)
      scheduled

    def execute(task: Runnable): Unit = schedule(0, task): Unit

    def stop(): Unit =
      isStopped = true
      LockSupport.unpark(thread)

    private def start(): Unit =
      if isStarted.compareAndSet(false, true) then
        try thread.start()
        catch
          case cause: Throwable =>
            isStarted.set(false)
            throw cause

    /** Sends the clock a new or a cancelled task. */
    private[actor] def send(task: ClockTask): Unit =
      var before = sent.get
      link(task, before)
      while !sent.compareAndSet(before, task) do
        before = sent.get
        link(task, before)
      if task.sentCount % MaxUnseen == 0 || task.dueNanos < wakesAt then LockSupport.unpark(thread)

    private def link(task: ClockTask, before: ClockTask | Null): Unit =
      task.sentBefore = before
      task.sentCount = if before == null then 1 else before.sentCount + 1

    // ---- the clock's thread

    def run(): Unit =
      var isOver = false
      var fatal: Throwable | Null = null
      while !isOver do
        try
          if fatal != null then failure.begin(fatal, null, SystemFailure.Place.Clock)
          if !failure.isBegun then serve()
          if failure.isBegun then failure.complete()
          isOver = true
        catch case cause: Throwable => fatal = cause
      sent.set(null)

    private def serve(): Unit =
      while !isStopped && !failure.isBegun do
        takeSent()
        runDue()
        await()

    /** Wakes the thread to see that the system has failed. Thread-safe; allocates nothing. */
    def wake(): Unit = LockSupport.unpark(thread)

    /** Ends the asks whose timeouts wait, after a fatal error. Clock thread only. */
    def endAsks(): Unit =
      waiting.forEach(_.endAsk())
      endAsks(unsorted)
      endAsks(sent.get)

    private def endAsks(first: ClockTask | Null): Unit =
      var task = first
      while task != null do
        task.endAsk()
        task = task.sentBefore

    /** Sorts the sent tasks, oldest first. No task is lost if memory ends. */
    private def takeSent(): Unit =
      var latest = sent.getAndSet(null)
      while latest != null do
        val before = latest.sentBefore
        latest.sentBefore = unsorted
        unsorted = latest
        latest = before
      while unsorted != null do
        val task = unsorted.nn
        if task.get == ClockTask.Sent then
          sequence += 1
          task.sequence = sequence
          waiting.add(task): Unit
        unsorted = task.sentBefore // first: once it waits, it may be cancelled and sent again
        task.sentBefore = null
        if !task.compareAndSet(ClockTask.Sent, ClockTask.Waiting) then // it was cancelled
          waiting.remove(task): Unit
          task.set(ClockTask.Ended)

    private def runDue(): Unit =
      var task = first
      while task != null && !isStopped && task.dueNanos <= sinceOrigin do
        waiting.pollFirst: Unit
        task.run()
        task = first

    private def first: ClockTask | Null = if waiting.isEmpty then null else waiting.first

    private def await(): Unit =
      val first = this.first
      wakesAt = if first == null then Long.MaxValue else first.dueNanos
      if sent.get == null && !isStopped && !failure.isBegun then
        if first == null then LockSupport.park(this)
        else
          val left = first.dueNanos - sinceOrigin
          if left > 0 then LockSupport.parkNanos(this, left)
      wakesAt = Awake
      val _ = Thread.interrupted() // else it would never park again
  end Real

  object Real:
    /** No task is due before. */
    private val Awake = Long.MinValue

    /** The number of tasks after which the clock wakes to see them: cancelled ones hold memory. */
    private val MaxUnseen = 1024
end Clock

/** The thread of a clock: it wakes actors, and runs none. */
private[actor] final class ClockThread(task: Runnable, name: String) extends Thread(task, name)

private[actor] object ClockThread:
  def isCurrent: Boolean = Thread.currentThread.isInstanceOf[ClockThread]

  /** Wakes an actor on another thread: its handlers, or its executor, may block. */
  def wake(cell: ActorCell[?]): Unit =
    HelperThreads.execute: () =>
      try cell.runner.wake(cell)
      catch
        case cause: Throwable =>
          cell.system.failure.begin(cause, cell, SystemFailure.Place.Clock)
