package undercroft.actor
package internal.dispatch

import SystemFailure.Place
import internal.cell.ActorCell
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport

/** A virtual thread that runs a turn of an idle worker's actor while a virtual thread waits for the
  * reply. Both mostly share a carrier, so neither the message nor the reply wakes a thread of the
  * OS. The asker does not run the turn itself, because its timeout, interrupt and locks must not
  * depend on the handler.
  *
  * {{{
  *           take               the deputy wakes up        the turn has ended
  *   Free ---------> Given ----------------------> Running --------------------> Free
  *     ^               |
  *     +---------------+ tidy: no carrier was free for some time
  * }}}
  *
  * Each transition to `Given`, and from it by `tidy`, passes through `Locked`, a try-lock.
  *
  * From `Given` to the end of the turn the actor is in transit: the deputy is its owner, so no
  * worker accesses it or takes it over, and its `notified` flag stays set, so no thread wakes it.
  *
  * No wake-up is lost. A sender pushes its message (CAS), then reads `notified`; the deputy clears
  * `notified` (volatile), then reads the heads of the queues again. So either the sender sees the
  * flag cleared and wakes the actor, or the deputy sees the message and does.
  */
private[actor] final class Deputy(worker: Worker, pool: WorkerPool)
    extends MonitoredThread,
      Runnable:
  import Deputy.*

  private val state = AtomicInteger(Free)

  /** Written under `Locked`, and by the deputy at the end of a turn. */
  @volatile private var taken: ActorCell[?] | Null = null
  @volatile private var turn = 0L
  @volatile private var isEnded = false

  /** Started by the first [[take]]: most programs need no deputies. Written under `Locked`. */
  @volatile private var started: Thread | Null = null

  def task: Long = if state.get == Running then turn else -1L
  def actor: ActorCell[?] | Null = taken
  def thread: Thread | Null = started

  /** Takes an actor from the worker, if that is idle, to run its turn. Thread-safe; only for the
    * thread that set the actor's `notified` flag.
    */
  def take(cell: ActorCell[?]): Boolean =
    state.get == Free && state.compareAndSet(Free, Locked) && {
      val thread = started.orCreate(start())
      val isGiven = worker.arrivals.giveTo(thread, cell)
      if isGiven then
        taken = cell
        turn += 1
        state.set(Given)
        LockSupport.unpark(thread)
      else
        state.set(Free)
        if isEnded then LockSupport.unpark(thread)
      isGiven
    }

  private def start(): Thread =
    val thread = Thread.ofVirtual
      .inheritInheritableThreadLocals(false)
      .name(s"${worker.getName}-deputy")
      .start(this)
    started = thread
    thread

  def run(): Unit =
    val slice = TimeSlice.ofThread()
    try
      while !isEnded || state.get != Free do
        if state.get == Given && state.compareAndSet(Given, Running) then runTurn(taken.nn, slice)
        else
          val _ = Thread.interrupted() // it was meant for a handler that has returned
          LockSupport.park(this)
    catch case cause: Throwable => pool.failure.begin(cause, taken, Place.Runtime)

  private def runTurn(cell: ActorCell[?], slice: TimeSlice): Unit =
    slice.resume(System.nanoTime)
    cell.setScheduled()
    Dispatcher.turn(cell, slice)
    SystemFailure.guard(cell):
      val newest = cell.headVolatile
      val hasWork = cell.hasWork
      cell.setIdle()
      cell.setOwnerVolatile(worker) // the deputy no longer accesses the fields of the owner
      if !hasWork then cell.clearNotifiedVolatile()
      val isNew = (cell.headVolatile ne newest) || cell.hasSystemMessagesVolatile
      if hasWork || (isNew && cell.notifyVolatile()) then pool.wake(cell)
    taken = null
    state.set(Free)

  private var seenTurn = 0L

  /** Returns an actor to the worker if its turn has not begun since the last call: virtual threads
    * may occupy all carriers. Clock thread only.
    */
  def tidy(): Unit =
    val isLate = state.get == Given && turn == seenTurn
    if isLate && state.compareAndSet(Given, Locked) then
      val cell = taken.nn
      taken = null
      cell.setOwnerVolatile(worker)
      state.set(Free)
      pool.wake(cell)
    seenTurn = turn

  /** Ends the thread. Thread-safe. */
  def end(): Unit =
    isEnded = true
    LockSupport.unpark(started)
end Deputy

private[actor] object Deputy:
  // States.
  private inline val Free = 0
  private inline val Locked = 1
  private inline val Given = 2
  private inline val Running = 3
