package undercroft.actor
package internal.dispatch

import internal.cell.ActorCell
import internal.mailbox.{SlotMemory, SlotPool}
import java.util.ArrayList
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

/** A worker pool of a system, with compensating workers that replace blocked ones. */
private[actor] final class WorkerPool(
    val name: String,
    count: Int,
    val run: Run,
    val failure: SystemFailure
) extends Dispatcher:
  val idleCount: AtomicInteger = AtomicInteger()
  val slotMemory: SlotMemory = SlotMemory(name)
  private val workers = new Array[Worker](count)
  private var index = 0
  while index < count do
    workers(index) = Worker(this, index, isCompensating = false, SlotPool(slotMemory))
    index += 1

  // Compensating workers, started while all others are blocked. Written under this object's lock.
  @volatile private var compensating = new Array[Worker](0)
  private val freeSlots = java.util.ArrayDeque[SlotPool]()
  private var madeCount = 0
  private var failedNanos = 0L
  private var isWithoutThreads = false
  @volatile private var isEnded = false
  private val liveCount = AtomicInteger(count)

  /** Actors with work whose worker is blocked while no other worker is available, linked by
    * `nextArrived`. Each still has `notified` set.
    */
  private val stranded = AtomicReference[ActorCell[?] | Null](null)

  /** A worker has ended; the last one frees the memory of the message slots. */
  def ended(worker: Worker): Unit =
    worker.deputy.end()
    if worker.isCompensating then synchronized(freeSlots.add(worker.slots): Unit)
    if liveCount.decrementAndGet() == 0 then slotMemory.close()

  /** Starts the threads. If one cannot be started, ends the started ones and rethrows. */
  def start(): Unit =
    var started = 0
    try
      while started < workers.length do
        workers(started).start()
        started += 1
    catch
      case cause: Throwable =>
        for worker <- workers.take(started) do worker.end()
        liveCount.addAndGet(started - workers.length): Unit
        throw cause

  /** Adds its threads, for a [[StallDetector]]. */
  def addWatched(threads: ArrayList[MonitoredThread]): Unit =
    val _ = all(worker => threads.add(worker.watched) && threads.add(worker.deputy))

  /** Whether all workers are idle at this moment. */
  def areWorkersIdle: Boolean = all(_.arrivals.isIdleVolatile)

  /** Whether `isSo` holds for all regular and compensating workers. */
  private inline def all(inline isSo: Worker => Boolean): Boolean =
    val extra = compensating
    var i = 0
    def at(i: Int) = if i < workers.length then workers(i) else extra(i - workers.length)
    while i < workers.length + extra.length && isSo(at(i)) do i += 1
    i == workers.length + extra.length

  def hasIdle: Boolean = idleCount.get > 0

  def idleExcept(busy: Worker): Worker | Null = firstOf(workers, busy)(_.isIdleVolatile)

  private def availableAmong(candidates: Array[Worker], blocked: Worker | Null): Worker | Null =
    firstOf(candidates, blocked)(!_.isBlockedVolatile)

  private inline def firstOf(candidates: Array[Worker], except: Worker | Null)(
      inline isSought: WorkerArrivals => Boolean
  ): Worker | Null =
    var result: Worker | Null = null
    var i = 0
    while result == null && i < candidates.length do
      val worker = candidates(i)
      if (worker ne except) && isSought(worker.arrivals) then result = worker
      i += 1
    result

  /** The worker that takes over the actors of a blocked one: an available worker or, if all are
    * blocked, a new one. Null if there are [[ActorSystem.CompensatingLimit]] of those, or no thread
    * can be started.
    */
  def compensate(blocked: Worker): Worker | Null =
    var worker = idleExcept(blocked)
    if worker == null then worker = availableAmong(workers, blocked)
    if worker == null then worker = availableAmong(compensating, blocked)
    if worker == null then compensatingWorker(blocked) else worker

  private def compensatingWorker(blocked: Worker): Worker | Null = synchronized:
    availableAmong(compensating, blocked) match
      case null if mayStart => startCompensating()
      case worker           => worker

  private def mayStart: Boolean =
    !isEnded && compensating.length < ActorSystem.CompensatingLimit &&
      (!isWithoutThreads || System.nanoTime - failedNanos >= WorkerPool.RetryNanos)

  private def startCompensating(): Worker | Null =
    val slots = if freeSlots.isEmpty then SlotPool(slotMemory) else freeSlots.peek.nn
    val worker = Worker(this, workers.length + madeCount, isCompensating = true, slots)
    val newSpares =
      java.util.Arrays.copyOf(compensating, compensating.length + 1).asInstanceOf[Array[Worker]]
    newSpares(compensating.length) = worker
    liveCount.incrementAndGet(): Unit // first: the last worker to end frees the slot memory
    isWithoutThreads = !isStarted(worker)
    if isWithoutThreads then
      liveCount.decrementAndGet(): Unit
      failedNanos = System.nanoTime
      null
    else
      compensating = newSpares
      if isEnded then worker.end() // `end` has not seen it, perhaps
      madeCount += 1
      freeSlots.poll: Unit
      worker

  private def isStarted(worker: Worker): Boolean =
    try
      worker.start()
      true
    catch case _: OutOfMemoryError => false // no thread

  /** Removes a compensating worker that migrates its actors and ends. */
  def remove(worker: Worker): Unit = synchronized:
    compensating = compensating.filter(_ ne worker)

  // ---- stranded actors

  /** Keeps a woken actor whose worker is blocked while no other worker is available. Thread-safe.
    */
  def strand(cell: ActorCell[?]): Unit =
    var top = stranded.get
    cell.nextArrived = top
    while !stranded.compareAndSet(top, cell) do
      top = stranded.get
      cell.nextArrived = top

  /** Passes stranded actors to their owners again, after a worker has returned or was added. */
  def forwardStranded(): Unit = if stranded.get != null then forward(stranded.getAndSet(null))

  private def isAnyAvailable: Boolean =
    availableAmong(workers, null) != null || availableAmong(compensating, null) != null

  // ---- periodic maintenance

  private var surplusBefore = 0

  /** Returns actors whose turns did not begin; ends busy compensating workers if, at two
    * consecutive checks, more workers were busy than the system has regular workers; finds workers
    * for stranded actors. Clock thread only.
    */
  def tidy(): Unit =
    val extra = compensating
    var surplus = 0
    if extra.length > 0 then
      for worker <- workers do if worker.arrivals.isBusyVolatile then surplus += 1
      for worker <- extra do if worker.arrivals.isBusyVolatile then surplus += 1
      surplus = math.max(0, surplus - workers.length)
      var toEnd = math.min(surplus, surplusBefore)
      for worker <- extra do
        if toEnd > 0 && worker.arrivals.isBusyVolatile then
          toEnd -= 1
          worker.requestRetirement()
    val _ = all: worker =>
      worker.deputy.tidy()
      true
    surplusBefore = surplus
    forwardStranded()

  override def adopt(cell: ActorCell[?]): Unit = Thread.currentThread match
    case worker: Worker if (worker.pool eq this) && !worker.isBlocked =>
      cell.setOwnerVolatile(worker)
    case _ =>
      val idle = idleExcept(workers(0))
      val home = if workers(0).arrivals.isIdleVolatile || idle == null then workers(0) else idle
      cell.setOwnerVolatile(home)

  def wake(cell: ActorCell[?]): Unit = cell.ownerVolatile match
    case worker: Worker => forward(worker.arrivals.arrive(cell))
    case owner => throw IllegalStateException(s"${cell.name} is owned by $owner, not a worker")

  override def wakeForReply(cell: ActorCell[?]): Unit = cell.ownerVolatile match
    case worker: Worker if run == Run.Workers && worker.deputy.take(cell) => ()
    case _                                                                => wake(cell)

  /** Passes linked actors to their owners until none remains at a blocked worker; if no worker is
    * available they become [[stranded]]. Thread-safe; an iterative loop that waits for nothing
    * except the lock under which threads are started.
    */
  def forward(first: ActorCell[?] | Null): Unit =
    var remaining = first
    var isDone = false
    while !isDone do
      while remaining != null do
        val cell = remaining
        remaining = cell.nextArrived
        cell.nextArrived = null
        cell.ownerVolatile match
          case worker: Worker =>
            remaining = WorkerPool.concatenated(worker.arrivals.arrive(cell), remaining)
          case owner =>
            throw IllegalStateException(s"${cell.name} is owned by $owner, not a worker")
      // A worker may have returned before it could see the actors stranded meanwhile.
      if stranded.get != null && isAnyAvailable then remaining = stranded.getAndSet(null)
      isDone = remaining == null

  override def ready(cell: ActorCell[?]): Unit = Thread.currentThread match
    case worker: Worker => worker.ready(cell)
    case thread =>
      throw IllegalStateException(s"${cell.name} is ready on $thread, which is not a worker")

  override def takeOver(cell: ActorCell[?], thread: Thread): Boolean = thread match
    case worker: Worker if (worker.pool eq this) && !worker.isBlocked =>
      cell.ownerVolatile match
        case owner: Worker =>
          val isBetterThere = owner.arrivals.isIdleVolatile && worker.hasWorkBeside(owner)
          !isBetterThere && owner.arrivals.giveTo(worker, cell)
        case _ => false
    case _ => false

  /** Ends the threads after their current turns; allocates nothing. Thread-safe; may be called
    * again.
    */
  def end(): Unit =
    isEnded = true
    endAll(workers)
    endAll(compensating)

  private def endAll(all: Array[Worker]): Unit =
    var i = 0
    while i < all.length do
      all(i).end()
      i += 1

  def haveEnded: Boolean = all(!_.isAlive)
end WorkerPool

private[actor] object WorkerPool:
  /** How long to wait after a failed thread start before the next attempt. */
  private inline val RetryNanos = 100_000_000L

  private def concatenated(
      first: ActorCell[?] | Null,
      second: ActorCell[?] | Null
  ): ActorCell[?] | Null =
    if first == null then second
    else
      var last: ActorCell[?] = first
      while last.nextArrived != null do last = last.nextArrived.nn
      last.nextArrived = second
      first
end WorkerPool
