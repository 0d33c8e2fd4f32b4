package undercroft.actor
package internal.dispatch

import internal.mailbox.Ring
import internal.cell.{ActorCell, ActorFields}
import internal.mailbox.SlotPool
import internal.observe.TurnTiming
import java.lang.invoke.MethodHandles
import java.util.concurrent.locks.LockSupport
import scala.annotation.nowarn
import scala.concurrent.{BlockContext, CanAwait}

/** A thread that runs the actors it owns, in turns.
  *
  * {{{
  *   desk       the next-turn slot: the actor to which one of its own actors sent last, with the
  *              message; runs next, within one time slice
  *   queue      scheduled actors, each once
  *   arrived    actors that other threads woke or migrated here: a stack, taken as a whole
  * }}}
  *
  * It accesses the actors it owns without atomic operations. Another worker may take an actor from
  * an idle worker (no scheduled actors), which is `Raided` meanwhile. A busy worker migrates actors
  * to an idle one if the waiting work is worth the transfer. A worker whose handler declares that
  * it blocks, by `scala.concurrent.blocking` or `Await`, is `Away`: it has migrated its scheduled
  * actors, and messages for its other actors move these to other workers.
  *
  * {{{
  *               rest                   blockOn
  *      Idle <---------> Busy <--------------------> Away <---- a compensating worker that ended
  *        ^                                           ^
  *        | a worker takes an actor                   | a worker takes an actor, or
  *        v                                           v any thread evicts arrived actors
  *      Raided                                    AwayRaided
  * }}}
  *
  * `Raided` and `AwayRaided` are try-locks. No thread waits for them except the worker itself, and
  * only for the duration of a few plain stores: code under these locks does not allocate, block or
  * start a thread, so a virtual thread is not unmounted there.
  *
  * No arrival is lost. A thread pushes an actor onto `arrived` (CAS), then reads the mode; the
  * holder of `AwayRaided` sets the mode back to `Away` (volatile), then reads `arrived` again. So
  * either the thread sees `Away` and evicts, or the holder sees the actor and evicts it.
  *
  * While the worker is away its queue is empty: an actor with work is either the one whose turn is
  * running, or has `notified` set and is in transit through the `arrived` stack of a worker, or
  * through the stranded actors of [[WorkerPool]] if every worker is away and none can be added.
  */
@nowarn("msg=unset private variable") // set by VarHandles
private[actor] final class Worker(
    val pool: WorkerPool,
    index: Int,
    private[actor] val isSpare: Boolean,
    /** Allocates slots for messages between its own actors. */
    private[actor] val slots: SlotPool
) extends Thread(null, null, s"${pool.name}-worker-$index"),
      BlockContext:
  import Worker.*

  @volatile private var arrived: ActorFields[?] | Null = null
  @volatile private var mode: Int = Busy
  @volatile private var isParked = false

  /** Pending signals, as bits; 0 nearly always. */
  @volatile private var signals: Int = 0

  /** Actors that arrived during their own turn while it is away. Guarded by `AwayRaided`, else
    * owner thread only.
    */
  private var keptActors: ActorFields[?] | Null = null

  private val queue = Ring[ActorCell[?]](64)
  private var desk = NextTurn()
  private var isHanded = false
  private var handedSlot = 0L
  private var handRuns = 0
  private val slice = TimeSlice(SliceNanos)
  private var spinNanos = MaxSpinNanos

  private var turn = 0L

  /** Its task is a turn, unless it is idle or in declared blocking. */
  val watched: MonitoredThread = new MonitoredThread:
    def task: Long =
      val now = mode
      if now == Busy then Turn.getOpaque(Worker.this).asInstanceOf[Long] else -1L
    def actor: ActorCell[?] | Null = running
    def thread: Thread = Worker.this

  /** The actor whose turn is running. */
  private[actor] def running: ActorCell[?] | Null = desk.running
  private[actor] def setRunning(cell: ActorCell[?] | Null): Unit = desk.running = cell

  setDaemon(true)

  override def run(): Unit =
    pool.rescue()
    var isOver = false
    while !isOver do
      try runTurns()
      catch case cause: Throwable => Dispatcher.note("a worker failed between two turns", cause)
      try isOver = heed()
      catch case cause: Throwable => Dispatcher.note("a worker failed at a signal", cause)
    pool.ended(this)

  private def runTurns(): Unit =
    while signals == 0 do
      if arrived != null then drainInbound()
      if queue.isEmpty then
        if isHanded then runHanded() else rest()
      else
        share()
        if isHanded && handRuns < HandRuns then runHanded() else runQueued()

  /** Runs a turn of the actor in the next-turn slot. */
  private def runHanded(): Unit =
    handRuns += 1
    val cell = desk.cell.nn
    val message = desk.message
    isHanded = false
    beginTurn(cell)
    val from = TurnTiming.begin()
    try
      if handedSlot != 0 then cell.serveSlot(handedSlot, slots, slice)
      else if message != null then cell.serve(message, slice)
      else cell.turn(slice)
    catch case cause: Throwable => Dispatcher.failed(cell, cause)
    TurnTiming.end(cell, from)
    if !cell.isResting then endTurn(cell)

  /** Runs a turn of the actor that waited longest. */
  private def runQueued(): Unit =
    handRuns = 0
    slice.begin()
    emptyHand()
    val cell = queue.poll().nn
    beginTurn(cell)
    val from = TurnTiming.begin()
    try cell.turn(slice)
    catch case cause: Throwable => Dispatcher.failed(cell, cause)
    TurnTiming.end(cell, from)
    endTurn(cell)

  private def beginTurn(cell: ActorCell[?]): Unit =
    Turn.setOpaque(this, turn + 1)
    if (turn & (DeskTurns - 1)) == 0 then renewDesk()
    desk.running = cell

  private def renewDesk(): Unit =
    try desk = NextTurn()
    catch case _: OutOfMemoryError => () // keep the old one, if slower

  private def endTurn(cell: ActorCell[?]): Unit =
    if cell.hasWork then enqueue(cell) else cell.setIdle(rests = cell.hasNothing)

  private def enqueue(cell: ActorCell[?]): Unit = if !queue.offer(cell) then postpone(cell)

  /** Pushes a scheduled actor onto `arrived` instead of the queue. Does not allocate. If another
    * thread set its `notified` flag, that thread pushes it.
    */
  private def postpone(cell: ActorCell[?]): Unit =
    cell.setIdle(rests = false)
    if cell.notifyVolatile() then push(cell): Unit

  // ---- signals

  /** Interrupts the running handler; the interrupt status is cleared at the end of its turn. */
  override def interrupt(): Unit =
    super.interrupt()
    signal(Interrupted)

  private def signal(bit: Int): Unit = Signals.getAndBitwiseOr(this, bit): Unit

  /** Ends the thread after its current turn. Thread-safe. */
  def end(): Unit =
    signal(Over)
    LockSupport.unpark(this)

  /** Ends the thread of a compensating worker; its actors migrate to others. Thread-safe. */
  def stepDown(): Unit =
    signal(SteppedDown)
    LockSupport.unpark(this)

  /** Executes pending signals. Returns whether the thread must end. */
  private def heed(): Boolean =
    val now = Signals.getAndBitwiseAnd(this, Over).asInstanceOf[Int]
    if (now & Interrupted) != 0 then
      val _ = Thread.interrupted()
    if (now & Over) != 0 then true
    else if isSpare && (now & SteppedDown) != 0 then
      retire()
      true
    else false

  /** Migrates all actors permanently: it stays `Away`, so that its idle actors move when they get
    * messages.
    */
  private def retire(): Unit =
    emptyHand()
    pool.remove(this)
    leaveAll()
    desk.clear()

  // ---- sends between its own actors

  /** Hands a message directly to one of its resting actors. Owner thread only. */
  def hand(cell: ActorCell[?], message: AnyRef): Unit =
    emptyHand()
    isHanded = true
    desk.cell = cell
    desk.message = message
    handedSlot = 0

  /** As [[hand]], for a message in a slot, after [[emptyHand]]. The desk's message is ignored then.
    */
  def handSlot(cell: ActorCell[?], slot: Long): Unit =
    isHanded = true
    desk.cell = cell
    handedSlot = slot

  /** Schedules one of its actors. Owner thread only. */
  def ready(cell: ActorCell[?]): Unit =
    if isHandEmptied then
      isHanded = true
      desk.cell = cell
      desk.message = null
      handedSlot = 0
    else enqueue(cell)

  /** Moves the content of the next-turn slot to the queue. Throws OutOfMemoryError, and changes
    * nothing, if there is no memory.
    */
  def emptyHand(): Unit = if isHanded then queueHanded()

  private def isHandEmptied: Boolean =
    try
      emptyHand()
      true
    catch case _: OutOfMemoryError => false

  /** Queues the actor of the next-turn slot, and puts its message into its mailbox. */
  private def queueHanded(): Unit =
    val cell = desk.cell.nn
    val message = desk.message
    if handedSlot != 0 then cell.putBackSlot(handedSlot)
    else if message != null then cell.putBack(message)
    isHanded = false
    enqueue(cell)

  // ---- arrivals

  /** Pushes a woken or migrated actor. Thread-safe; only for the thread that set its `notified`
    * flag. If this worker is away, returns a linked list of actors that the caller must pass to
    * their new owners.
    */
  def leave(cell: ActorCell[?]): ActorFields[?] | Null =
    if push(cell) == null && isParked then LockSupport.unpark(this)
    if mode >= Away then evict() else null

  /** Pushes an actor. Returns the previous top of the stack. */
  private def push(cell: ActorCell[?]): ActorFields[?] | Null =
    var top = arrived
    cell.nextArrived = top
    while !Arrived.compareAndSet(this, top, cell) do
      top = arrived
      cell.nextArrived = top
    top

  private def drainInbound(): Unit =
    var arrival = Arrived.getAndSet(this, null).asInstanceOf[ActorFields[?] | Null]
    var oldest: ActorFields[?] | Null = null
    while arrival != null do
      val after = arrival.nextArrived
      arrival.nextArrived = oldest
      oldest = arrival
      arrival = after
    while oldest != null do
      val cell = oldest.asInstanceOf[ActorCell[?]]
      oldest = cell.nextArrived
      cell.nextArrived = null
      // Only an idle worker's actors can be taken from it, and this worker is busy.
      if cell.ownerVolatile eq this then
        cell.lowerNotifiedVolatile()
        if !cell.isScheduled then
          cell.setScheduled()
          enqueue(cell)
      else pool.wake(cell)

  // ---- rebalancing

  private def share(): Unit =
    val cost = slice.nanosPerMessage // first: a field of its own, and most messages are too short
    if cost >= WorthNanos && pool.hasIdle then
      val waiting = queue.size + (if isHanded then 1 else 0)
      if waiting >= 2 && cost * waiting >= WorthAllNanos then
        val target = pool.idleBut(this)
        if target != null then give(target, waiting / 2)

  private def give(target: Worker, count: Int): Unit =
    var left = count
    while left > 0 do
      left -= 1
      val cell = queue.poll()
      if cell != null then
        // An actor that is about to arrive here must not arrive at another worker as well.
        if cell.notifyVolatile() then
          cell.setIdle(rests = false)
          cell.setOwnerVolatile(target)
          pool.wake(cell)
        else enqueue(cell)

  /** Takes an actor from an idle or away worker, for this thread. */
  def takeFrom(source: Worker, cell: ActorCell[?]): Boolean =
    val before = source.mode
    if before == Idle && Mode.compareAndSet(source, Idle, Raided) then
      try isTaken(source, cell)
      finally source.mode = Idle
    else if before == Away && Mode.compareAndSet(source, Away, AwayRaided) then
      val isTakenNow =
        // An actor that is about to arrive there may be stranded: it would wake up late.
        try !cell.isNotifiedVolatile && isTaken(source, cell)
        finally source.mode = Away
      if source.arrived != null then pool.forward(source.evict())
      isTakenNow
    else false

  private def isTaken(source: Worker, cell: ActorCell[?]): Boolean =
    // A worker that is away runs the turn of one actor, which it must keep.
    val may = (cell.ownerVolatile eq source) && !cell.isScheduled
    if may then cell.setOwnerVolatile(this)
    may

  // ---- managed blocking

  /** Whether a handler blocks here. Owner thread only. */
  private[actor] var isAway = false

  def isAwayVolatile: Boolean = mode >= Away

  /** Blocks, as `scala.concurrent.blocking` and `Await` do, while other workers run its actors. */
  def blockOn[A](block: => A)(using CanAwait): A =
    if isAway then block
    else
      try
        emptyHand()
        leaveAll()
        block
      finally if isAway then comeBack()

  /** Enters `Away`; forwards arrived and queued actors. */
  private def leaveAll(): Unit =
    if arrived != null then drainInbound()
    while !queue.isEmpty do postpone(queue.poll().nn)
    isAway = true
    mode = Away
    pool.forward(evict())

  private def comeBack(): Unit =
    change(Away, Busy)
    isAway = false
    var remaining = keptActors
    keptActors = null
    while remaining != null do
      val cell = remaining.asInstanceOf[ActorCell[?]]
      remaining = cell.nextArrived
      push(cell): Unit
    pool.rescue()

  /** Changes the mode, spinning while another thread has it locked. Owner thread only. */
  private def change(from: Int, to: Int): Unit =
    var tries = 0
    while !Mode.compareAndSet(this, from, to) do
      tries += 1
      if tries < LockSpins then Thread.onSpinWait() else Thread.`yield`()

  /** Removes the actors that arrived while it is away, assigns them to other workers, and returns
    * them as a linked list; the caller must pass them on. Thread-safe.
    */
  def evict(): ActorFields[?] | Null =
    var out: ActorFields[?] | Null = null
    while arrived != null && mode == Away do
      val target = pool.compensate(this) // first: it may wait for a lock, and start a thread
      if Mode.compareAndSet(this, Away, AwayRaided) then
        try out = release(target, out)
        finally mode = Away
    out

  /** Releases all arrived actors except the one whose turn is running. Requires `AwayRaided`. */
  private def release(target: Worker | Null, before: ActorFields[?] | Null): ActorFields[?] | Null =
    var remaining = Arrived.getAndSet(this, null).asInstanceOf[ActorFields[?] | Null]
    var out = before
    while remaining != null do
      val cell = remaining.asInstanceOf[ActorCell[?]]
      remaining = cell.nextArrived
      val isOwn = cell.ownerVolatile eq this
      if isOwn && cell.isScheduled then
        cell.nextArrived = keptActors
        keptActors = cell
      else if isOwn && target == null then pool.strand(cell)
      else
        if isOwn && target != null then cell.setOwnerVolatile(target)
        cell.nextArrived = out
        out = cell
    out

  // ---- idle

  def isIdleVolatile: Boolean = mode == Idle

  def isBusyVolatile: Boolean = mode == Busy

  private def rest(): Unit =
    handRuns = 0
    slice.begin()
    desk.clear()
    mode = Idle
    pool.idleCount.incrementAndGet(): Unit
    val since = System.nanoTime
    var now = since
    while arrived == null && signals == 0 && now - since < spinNanos do
      var i = 0
      while arrived == null && i < SpinReads do
        Thread.onSpinWait()
        i += 1
      now = System.nanoTime
    // Spin longer if it succeeded, and hardly at all on a machine that is otherwise busy.
    spinNanos =
      if arrived != null then math.min(spinNanos * 2, MaxSpinNanos)
      else math.max(spinNanos / 2, MinSpinNanos)
    while arrived == null && signals == 0 do
      isParked = true
      if arrived == null && signals == 0 then
        if isSpare then LockSupport.parkNanos(this, KeepNanos) else LockSupport.park(this)
      isParked = false
      val _ = Thread.interrupted()
      if isSpare && arrived == null && System.nanoTime - since >= KeepNanos then
        signal(SteppedDown)
    change(Idle, Busy)
    pool.idleCount.decrementAndGet(): Unit
    slice.resume(System.nanoTime)
  end rest
end Worker

private[actor] object Worker:
  private inline val Busy = 0
  private inline val Idle = 1
  private inline val Raided = 2
  private inline val Away = 3
  private inline val AwayRaided = 4

  // Signals, as bits.
  private inline val Over = 1
  private inline val Interrupted = 2
  private inline val SteppedDown = 4

  /** How long an idle compensating worker is kept. */
  private inline val KeepNanos = 2_000_000_000L

  /** Attempts to change a locked mode before yielding the processor. */
  private inline val LockSpins = 64

  /** Whether this thread is a worker that is away: then it must not access its actors. */
  def isAway(thread: Thread): Boolean = thread match
    case worker: Worker => worker.isAway
    case _              => false

  /** The time slice of an actor while others wait: the time of 50 000 messages at best. */
  private inline val SliceNanos = 500_000L

  /** The largest number of consecutive turns from the next-turn slot while other actors wait. */
  private inline val HandRuns = 256

  /** The number of turns for which a desk is used: see [[NextTurn]]. A power of two. */
  private inline val DeskTurns = 65_536

  /** About the time to wake a parked thread, and slightly less than a scheduling interval of the
    * OS.
    */
  private inline val MaxSpinNanos = 20_000L
  private inline val MinSpinNanos = 500L

  /** Polls between two clock readings. */
  private inline val SpinReads = 16

  /** The shortest message time that exceeds the cost of sending it to another core. */
  private inline val WorthNanos = 150L

  /** The shortest total work that exceeds the cost of waking a thread. */
  private inline val WorthAllNanos = 2_000L

  private val lookup = MethodHandles.privateLookupIn(classOf[Worker], MethodHandles.lookup())
  private val Arrived = lookup.findVarHandle(classOf[Worker], "arrived", classOf[ActorFields[?]])
  private val Turn = lookup.findVarHandle(classOf[Worker], "turn", classOf[Long])
  private val Signals = lookup.findVarHandle(classOf[Worker], "signals", classOf[Int])
  private val Mode = lookup.findVarHandle(classOf[Worker], "mode", classOf[Int])

  /** The current thread as a worker. */
  def here(cell: ActorCell[?]): Worker = Thread.currentThread match
    case worker: Worker => worker
    case thread =>
      throw IllegalStateException(
        s"${cell.name} has a message in a slot, but $thread is not a worker"
      )
end Worker
