package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import java.lang.invoke.MethodHandles
import java.util.concurrent.locks.LockSupport
import scala.annotation.nowarn

/** The actors that arrive at a worker from other threads, and its mode, which decides who may take
  * them.
  *
  * {{{
  *           awaitArrivals               blockOn
  *      Idle <---------> Busy <-----------------> Blocked <---- a compensating worker that ended
  *        ^                                          ^
  *        | a worker takes an actor                  | a worker takes an actor, or
  *        v                                          v any thread evicts arrived actors
  *      Locked                                  BlockedLocked
  * }}}
  *
  * `Locked` and `BlockedLocked` are try-locks. No thread waits for them except the worker itself,
  * and only for the duration of a few plain stores: code under these locks does not allocate, block
  * or start a thread, so a virtual thread is not unmounted there.
  *
  * No arrival is lost. A thread pushes an actor onto `arrived` (CAS), then reads the mode; the
  * holder of `BlockedLocked` sets the mode back to `Blocked` (volatile), then reads `arrived`
  * again. So either the thread sees `Blocked` and evicts, or the holder sees the actor and evicts
  * it.
  */
@nowarn("msg=unset private variable") // set by VarHandles
private[actor] final class WorkerArrivals(worker: Worker, pool: WorkerPool):
  import WorkerArrivals.*

  @volatile private var arrived: ActorCell[?] | Null = null
  @volatile private var mode: Int = Busy
  @volatile private var isParked = false

  /** Actors that arrived during their own turn while it is blocked. Guarded by `BlockedLocked`,
    * else owner thread only.
    */
  private var keptActors: ActorCell[?] | Null = null

  // ---- any thread

  def isIdleVolatile: Boolean = mode == Idle
  def isBusyVolatile: Boolean = mode == Busy
  def isBlockedVolatile: Boolean = mode >= Blocked
  def isParkedVolatile: Boolean = isParked
  def isEmptyVolatile: Boolean = arrived == null

  /** Pushes a woken or migrated actor. Thread-safe; only for the thread that set its `notified`
    * flag. If this worker is blocked, returns a linked list of actors that the caller must pass to
    * their new owners.
    */
  def arrive(cell: ActorCell[?]): ActorCell[?] | Null =
    if push(cell) == null && isParked then LockSupport.unpark(worker)
    if mode >= Blocked then evict() else null

  /** Pushes an actor. Returns the previous top of the stack. */
  def push(cell: ActorCell[?]): ActorCell[?] | Null =
    var top = arrived
    cell.nextArrived = top
    while !Arrived.compareAndSet(this, top, cell) do
      top = arrived
      cell.nextArrived = top
    top

  /** Passes an actor to `thief`, a worker or a [[Deputy]], if this worker is idle or blocked. */
  def giveTo(thief: Thread, cell: ActorCell[?]): Boolean =
    val before = mode
    if before == Idle && Mode.compareAndSet(this, Idle, Locked) then
      try isGiven(thief, cell)
      finally mode = Idle
    else if before == Blocked && Mode.compareAndSet(this, Blocked, BlockedLocked) then
      val isGivenNow =
        // An actor that is about to arrive here may be stranded: it would wake up late.
        try !cell.isNotifiedVolatile && isGiven(thief, cell)
        finally mode = Blocked
      if arrived != null then pool.forward(evict())
      isGivenNow
    else false

  private def isGiven(thief: Thread, cell: ActorCell[?]): Boolean =
    // A blocked worker runs the turn of one actor, which it must keep.
    val may = (cell.ownerVolatile eq worker) && !cell.isScheduled
    if may then cell.setOwnerVolatile(thief)
    may

  /** Removes the actors that arrived while it is blocked, assigns them to other workers, and
    * returns them as a linked list; the caller must pass them on. Thread-safe.
    */
  def evict(): ActorCell[?] | Null =
    var out: ActorCell[?] | Null = null
    while arrived != null && mode == Blocked do
      val target = pool.compensate(worker) // first: it may wait for a lock, and start a thread
      if Mode.compareAndSet(this, Blocked, BlockedLocked) then
        try out = release(target, out)
        finally mode = Blocked
    out

  /** Releases all arrived actors except the one whose turn is running. Requires `BlockedLocked`. */
  private def release(target: Worker | Null, before: ActorCell[?] | Null): ActorCell[?] | Null =
    var remaining = Arrived.getAndSet(this, null).asInstanceOf[ActorCell[?] | Null]
    var out = before
    while remaining != null do
      val cell = remaining
      remaining = cell.nextArrived
      val isOwn = cell.ownerVolatile eq worker
      if isOwn && cell.isScheduled then
        cell.nextArrived = keptActors
        keptActors = cell
      else if isOwn && target == null then pool.strand(cell)
      else
        if isOwn && target != null then cell.setOwnerVolatile(target)
        cell.nextArrived = out
        out = cell
    out

  // ---- the worker itself

  def enterIdle(): Unit = mode = Idle
  def leaveIdle(): Unit = change(Idle)

  /** Sets whether it parks, before it looks for arrivals once more. */
  def setParkedVolatile(value: Boolean): Unit = isParked = value

  /** Enters `Blocked`. The caller then evicts the arrivals. */
  def enterBlocked(): Unit = mode = Blocked

  /** Leaves `Blocked`: the kept actors arrive again. */
  def leaveBlocked(): Unit =
    change(Blocked)
    var remaining = keptActors
    keptActors = null
    while remaining != null do
      val cell = remaining
      remaining = cell.nextArrived
      push(cell): Unit

  /** Changes the mode to `Busy`, spinning while another thread has it locked. */
  private def change(from: Int): Unit =
    var tries = 0
    while !Mode.compareAndSet(this, from, Busy) do
      tries += 1
      if tries < LockSpins then Thread.onSpinWait() else Thread.`yield`()

  /** Takes all arrived actors, as a linked list, oldest first. */
  def takeAll(): ActorCell[?] | Null =
    var arrival = Arrived.getAndSet(this, null).asInstanceOf[ActorCell[?] | Null]
    var oldest: ActorCell[?] | Null = null
    while arrival != null do
      val after = arrival.nextArrived
      arrival.nextArrived = oldest
      oldest = arrival
      arrival = after
    oldest
end WorkerArrivals

private[actor] object WorkerArrivals:
  private inline val Busy = 0
  private inline val Idle = 1
  private inline val Locked = 2
  private inline val Blocked = 3
  private inline val BlockedLocked = 4

  /** Attempts to change a locked mode before yielding the processor. */
  private inline val LockSpins = 64

  private val lookup =
    MethodHandles.privateLookupIn(classOf[WorkerArrivals], MethodHandles.lookup())
  private val Arrived =
    lookup.findVarHandle(classOf[WorkerArrivals], "arrived", classOf[ActorCell[?]])
  private val Mode = lookup.findVarHandle(classOf[WorkerArrivals], "mode", classOf[Int])
end WorkerArrivals
