package undercroft.actor
package internal.dispatch

import SystemFailure.Place
import internal.cell.ActorCell
import internal.mailbox.{MessageQueue, MessageSlot, Ring, SlotPool}
import java.lang.invoke.MethodHandles
import java.util.concurrent.locks.LockSupport
import scala.annotation.nowarn
import scala.concurrent.{BlockContext, CanAwait}

/** A thread that runs the actors it owns, in turns.
  *
  * {{{
  *   nextTurn   the next-turn slot: the actor to which one of its own actors sent last, with the
  *              message; runs next, within one time slice
  *   queue      scheduled actors, each once
  *   arrived    actors that other threads woke or migrated here: a stack, taken as a whole
  * }}}
  *
  * It accesses the actors it owns without atomic operations. Another worker may take an actor from
  * an idle worker (no scheduled actors), which is `Locked` meanwhile. A busy worker migrates actors
  * to an idle one if the waiting work is worth the transfer; then it does not take actors back from
  * the idle one. A worker whose handler declares that it blocks, by `scala.concurrent.blocking` or
  * `Await`, is `Blocked`: it has migrated its scheduled actors, and messages for its other actors
  * move these to other workers. See [[WorkerArrivals]].
  *
  * While the worker is blocked its queue is empty: an actor with work is either the one whose turn
  * is running, or has `notified` set and is in transit through the `arrived` stack of a worker, or
  * through the stranded actors of [[WorkerPool]] if every worker is blocked and none can be added.
  */
@nowarn("msg=unset private variable") // set by VarHandles
private[actor] final class Worker(
    val pool: WorkerPool,
    index: Int,
    private[actor] val isCompensating: Boolean,
    /** Allocates slots for messages between its own actors. */
    private[actor] val slots: SlotPool
) extends Thread(null, null, s"${pool.name}-worker-$index"),
      BlockContext:
  import Worker.*

  /** The actors that arrive from other threads, and its mode. */
  val arrivals: WorkerArrivals = WorkerArrivals(this, pool)

  /** Runs turns of its actors, while it is idle, for virtual threads that wait for a reply. */
  val deputy: Deputy = Deputy(this, pool)

  /** Pending signals, as bits; 0 nearly always. */
  @volatile private var signals: Int = 0

  private val queue = Ring[ActorCell[?]](64)
  private var nextTurn = NextTurn()
  private var hasNext = false
  private var nextSlot = 0L
  private var nextRuns = 0
  private val slice = TimeSlice(TimeSlice.LengthNanos, pool.idleCount)
  private var spinNanos = MaxSpinNanos

  private var turn = 0L

  /** Its task is a turn, unless it is idle or in declared blocking. */
  val watched: MonitoredThread = new MonitoredThread:
    def task: Long =
      if arrivals.isBusyVolatile then Turn.getOpaque(Worker.this).asInstanceOf[Long] else -1L
    def actor: ActorCell[?] | Null = running
    def thread: Thread = Worker.this

  /** The actor whose turn is running. */
  private[actor] def running: ActorCell[?] | Null = nextTurn.running
  private[actor] def setRunning(cell: ActorCell[?] | Null): Unit = nextTurn.running = cell

  setDaemon(true)

  override def run(): Unit =
    try
      pool.forwardStranded()
      while
        runTurns()
        !handleSignals()
      do ()
    catch
      case cause: Throwable =>
        noted(0) = cause // first: it needs no call
        pool.failure.begin(cause, nextTurn.running, Place.Worker)
    finally pool.ended(this)

  private def runTurns(): Unit =
    while signals == 0 do
      if !arrivals.isEmptyVolatile then drainInbound()
      if queue.isEmpty then
        if hasNext then runNext() else awaitArrivals()
      else
        rebalance()
        if hasNext && nextRuns < NextRuns then runNext() else runQueued()

  /** Runs a turn of the actor in the next-turn slot. */
  private def runNext(): Unit =
    nextRuns += 1
    val cell = nextTurn.cell.nn
    val message = nextTurn.message
    nextTurn.running = cell
    hasNext = false
    beginTurn()
    try
      if nextSlot != 0 then cell.serveSlot(nextSlot, slots, slice)
      else if message != null then cell.serve(message, slice)
      else cell.turn(slice)
    catch case cause: Throwable => Dispatcher.failed(cell, cause)
    if !cell.isResting then endTurn(cell)

  /** Runs a turn of the actor that waited longest. */
  private def runQueued(): Unit =
    nextRuns = 0
    slice.begin()
    if hasNext then moveNextToQueue()
    val cell = queue.poll().nn
    nextTurn.running = cell
    beginTurn()
    try cell.turn(slice)
    catch case cause: Throwable => Dispatcher.failed(cell, cause)
    endTurn(cell)

  private def beginTurn(): Unit =
    Turn.setOpaque(this, turn + 1)
    if (turn & (RenewalTurns - 1)) == 0 then renewNextTurn()

  private def renewNextTurn(): Unit =
    val fresh = NextTurn()
    fresh.running = nextTurn.running
    nextTurn = fresh

  private def endTurn(cell: ActorCell[?]): Unit =
    if cell.hasWork then queue.add(cell) else cell.endScheduled()

  // ---- signals

  /** Interrupts the running handler; the interrupt status is cleared at the end of its turn. */
  override def interrupt(): Unit =
    super.interrupt()
    signal(Interrupted)

  /** Lets the interrupt status be cleared at the end of the turn. Owner thread only. */
  def noteInterrupt(): Unit = signal(Interrupted)

  private def signal(bit: Int): Unit = Signals.getAndBitwiseOr(this, bit): Unit

  /** Ends the thread after its current turn; allocates nothing. Thread-safe. */
  def end(): Unit =
    signals = Over // other signals do not matter any more
    LockSupport.unpark(this)

  /** Ends the thread of a compensating worker; its actors migrate to others. Thread-safe. */
  def requestRetirement(): Unit =
    signal(Retiring)
    LockSupport.unpark(this)

  /** Executes pending signals. Returns whether the thread must end. */
  private def handleSignals(): Boolean =
    val now = Signals.getAndBitwiseAnd(this, Over).asInstanceOf[Int]
    if (now & Interrupted) != 0 then
      val _ = Thread.interrupted()
    if (now & Over) == 0 && isCompensating && (now & Retiring) != 0 then
      retire()
      true
    else (now & Over) != 0

  /** Migrates all actors permanently: it stays `Blocked`, so that its idle actors move when they
    * get messages.
    */
  private def retire(): Unit =
    if hasNext then moveNextToQueue()
    pool.remove(this)
    migrateAll()
    nextTurn.clear()

  // ---- sends between its own actors

  /** For [[SystemFailure.guard]], without the loads that lead there from an actor. */
  private val noted = pool.failure.noted

  /** Hands a message directly to one of its resting actors. Owner thread only. */
  def handOff(cell: ActorCell[?], message: AnyRef): Unit =
    SystemFailure.guard(cell, noted):
      if hasNext then moveNextToQueue()
      hasNext = true
      nextTurn.cell = cell
      nextTurn.message = message
      nextSlot = 0
      if ActorSettings.audits then cell.countSentRelease()
      cell.setScheduled()

  /** As [[handOff]], for a message in a slot, which the caller fills. Returns 0 if there is no
    * slot.
    */
  def handOffSlot(cell: ActorCell[?], header: Long): Long =
    SystemFailure.guard(cell, noted):
      if hasNext then moveNextToQueue()
      val slot = slots.take(MessageSlot.sizeIn(header))
      if slot != 0 then
        MessageSlot.setLong(slot, 0, header)
        hasNext = true
        nextTurn.cell = cell // its message is ignored
        nextSlot = slot
        if ActorSettings.audits then cell.countSentRelease()
        cell.setScheduled()
      slot

  /** Schedules one of its actors. Owner thread only. */
  def ready(cell: ActorCell[?]): Unit =
    if hasNext then moveNextToQueue()
    hasNext = true
    nextTurn.cell = cell
    nextTurn.message = null
    nextSlot = 0

  /** Queues the actor of the next-turn slot, and puts its message into its mailbox. */
  private def moveNextToQueue(): Unit =
    val cell = nextTurn.cell.nn
    val message = nextTurn.message
    if nextSlot != 0 then MessageQueue.requeueFirstSlot(cell, nextSlot)
    else if message != null then MessageQueue.requeueFirst(cell, message)
    hasNext = false
    queue.add(cell)

  // ---- arrivals

  private def drainInbound(): Unit =
    var oldest = arrivals.takeAll()
    while oldest != null do
      val cell = oldest
      oldest = cell.nextArrived
      cell.nextArrived = null
      // Only an idle worker's actors can be taken from it, and this worker is busy.
      if cell.ownerVolatile eq this then
        cell.clearNotifiedVolatile()
        if cell.isIdle then
          cell.setScheduled()
          queue.add(cell)
      else pool.wake(cell)

  // ---- rebalancing

  private def rebalance(): Unit =
    val cost = slice.nanosPerMessage // first: a field of its own, and most messages are too short
    if cost >= WorthNanos && pool.hasIdle then
      val waiting = queue.size + (if hasNext then 1 else 0)
      val messages = math.max(waiting.toLong, queue.peek.nn.waitingCount)
      if waiting >= 2 && cost * messages >= WorthAllNanos then
        val target = pool.idleExcept(this)
        if target != null then migrate(target, waiting / 2)

  private def migrate(target: Worker, count: Int): Unit =
    var remaining = count
    while remaining > 0 do
      remaining -= 1
      val cell = queue.poll()
      if cell != null then
        // An actor that is about to arrive here must not arrive at another worker as well.
        if cell.notifyVolatile() then
          cell.setIdle()
          cell.setOwnerVolatile(target)
          pool.wake(cell)
        else queue.add(cell)

  /** Whether an idle worker should run an actor that it owns, instead of losing it to this worker:
    * messages wait here, and they take longer than waking the other worker. Else all actors of a
    * ring or a pipeline would gather at one worker.
    */
  def hasWorkBeside(idle: Worker): Boolean =
    val cost = slice.nanosPerMessage
    cost >= TimeSlice.SharedNanos && {
      val actor = nextTurn.running
      val messages = queue.size + (if hasNext then 1 else 0) +
        (if actor == null then 0L else actor.waitingCount - 1)
      cost * messages >= (if idle.arrivals.isParkedVolatile then WorthWakeNanos else WorthAllNanos)
    }

  // ---- managed blocking

  /** Whether a handler blocks here. Owner thread only. */
  private[actor] var isBlocked = false

  /** Blocks, as `scala.concurrent.blocking` and `Await` do, while other workers run its actors. */
  def blockOn[A](block: => A)(using CanAwait): A =
    if isBlocked then block
    else
      try
        if hasNext then moveNextToQueue()
        migrateAll()
        block
      finally if isBlocked then endBlocking()

  /** Enters `Blocked`; forwards arrived and queued actors. */
  private def migrateAll(): Unit =
    if !arrivals.isEmptyVolatile then drainInbound()
    while !queue.isEmpty do
      val cell = queue.poll().nn
      cell.setIdle()
      if cell.notifyVolatile() then
        arrivals.push(cell): Unit // else the thread that set the flag pushes it
    isBlocked = true
    arrivals.enterBlocked()
    pool.forward(arrivals.evict())

  private def endBlocking(): Unit =
    arrivals.leaveBlocked()
    isBlocked = false
    pool.forwardStranded()

  // ---- idle

  private def awaitArrivals(): Unit =
    nextRuns = 0
    slice.begin()
    nextTurn.clear()
    arrivals.enterIdle()
    pool.idleCount.incrementAndGet(): Unit
    val since = System.nanoTime
    var now = since
    while arrivals.isEmptyVolatile && signals == 0 && now - since < spinNanos do
      var i = 0
      while arrivals.isEmptyVolatile && i < SpinReads do
        Thread.onSpinWait()
        i += 1
      now = System.nanoTime
    // Spin longer if it succeeded, and hardly at all on a machine that is otherwise busy.
    spinNanos =
      if !arrivals.isEmptyVolatile then math.min(spinNanos * 2, MaxSpinNanos)
      else math.max(spinNanos / 2, MinSpinNanos)
    while arrivals.isEmptyVolatile && signals == 0 do
      arrivals.setParkedVolatile(true)
      if arrivals.isEmptyVolatile && signals == 0 then
        if isCompensating then LockSupport.parkNanos(this, KeepAliveNanos)
        else LockSupport.park(this)
      arrivals.setParkedVolatile(false)
      val _ = Thread.interrupted()
      if isCompensating && arrivals.isEmptyVolatile && System.nanoTime - since >= KeepAliveNanos
      then
        signal(Retiring)
    arrivals.leaveIdle()
    pool.idleCount.decrementAndGet(): Unit
    slice.resume(System.nanoTime)
  end awaitArrivals
end Worker

private[actor] object Worker:
  // Signals, as bits.
  private inline val Over = 1
  private inline val Interrupted = 2
  private inline val Retiring = 4

  /** How long an idle compensating worker is kept. */
  private inline val KeepAliveNanos = 2_000_000_000L

  /** Whether this thread is a blocked worker: then it must not access its actors. */
  def isBlocked(thread: Thread): Boolean = thread match
    case worker: Worker => worker.isBlocked
    case _              => false

  /** The largest number of consecutive turns from the next-turn slot while other actors wait. */
  private inline val NextRuns = 256

  /** The number of turns for which a nextTurn is used: see [[NextTurn]]. A power of two. */
  private inline val RenewalTurns = 65_536

  /** About the time to wake a parked thread, and slightly less than a scheduling interval of the
    * OS.
    */
  private inline val MaxSpinNanos = 20_000L
  private inline val MinSpinNanos = 500L

  /** Polls between two clock readings. */
  private inline val SpinReads = 16

  /** The shortest message time that exceeds the cost of sending it to another core. */
  private inline val WorthNanos = 150L

  /** The shortest total work that exceeds the cost of sending it to a thread that spins. */
  private inline val WorthAllNanos = 2_000L

  /** The shortest total work that exceeds the cost of waking a parked thread. */
  private inline val WorthWakeNanos = 20_000L

  private val lookup = MethodHandles.privateLookupIn(classOf[Worker], MethodHandles.lookup())
  private val Turn = lookup.findVarHandle(classOf[Worker], "turn", classOf[Long])
  private val Signals = lookup.findVarHandle(classOf[Worker], "signals", classOf[Int])

  /** The current thread as a worker. */
  def here(cell: ActorCell[?]): Worker = Thread.currentThread match
    case worker: Worker => worker
    case thread =>
      throw IllegalStateException(
        s"${cell.name} has a message in a slot, but $thread is not a worker"
      )
end Worker
