package undercroft.actor

import java.lang.invoke.MethodHandles
import java.util.concurrent.locks.LockSupport
import scala.annotation.nowarn
import scala.concurrent.{BlockContext, CanAwait}

/** A thread that gives turns to the actors it owns.
  *
  * {{{
  *   desk       the actor that was sent to last by one of its own, with its message: runs next,
  *              within one slice
  *   queue      actors with something to do, each once
  *   arrived    actors that other threads woke, or gave to it: a stack, taken whole
  * }}}
  *
  * All it owns it touches without atomic operations. An idle worker (one that has none with
  * anything to do) can have an actor taken from it by another, which makes it `Raided` meanwhile. A
  * busy worker gives actors away, when another is idle and what waits is worth the hand-over. One
  * whose handler announces that it blocks, by `scala.concurrent.blocking` or `Await`, is `Away`: it
  * has given away what waits, and what comes for its other actors takes them elsewhere.
  */
@nowarn("msg=unset private variable") // set by VarHandles
private[actor] final class Worker(val pool: Workers, index: Int)
    extends Thread(null, null, s"${pool.name}-worker-$index"),
      BlockContext:
  import Worker.*

  @volatile private var arrived: Lane[?] | Null = null
  @volatile private var mode: Int = Busy
  @volatile private var isParked = false
  @volatile private var isOver = false

  private val queue = Ring[Cell[?]](64)
  private var desk = Desk()
  private var isHanded = false
  private var handedSlot = 0L
  private var handRuns = 0
  private val slice = Slice(SliceNanos)
  private var spinNanos = MaxSpinNanos

  /** Where messages of structs go that its actors send each other. */
  private[actor] val slots: Slots = Slots(pool.slotMemory)

  private var turn = 0L

  /** It is at a turn, unless it is idle or blocks with a word. */
  val watched: Watched = new Watched:
    def task: Long =
      val now = mode
      if now == Busy then Turn.getOpaque(Worker.this).asInstanceOf[Long] else -1L
    def actor: Cell[?] | Null = running
    def thread: Thread = Worker.this

  /** The actor whose turn it is. */
  private[actor] def running: Cell[?] | Null = desk.running
  private[actor] def setRunning(cell: Cell[?] | Null): Unit = desk.running = cell

  setDaemon(true)

  override def run(): Unit =
    while !isOver do
      try runTurns()
      catch
        case cause: Throwable =>
          val cell = desk.running
          if cell == null then Event.error(s"$getName failed, and goes on", cause)
          else
            Runner.failed(cell, cause)
            endTurn(cell)
    pool.ended()

  private def runTurns(): Unit =
    while !isOver do
      if arrived != null then welcome()
      if queue.isEmpty then
        if isHanded then runHanded() else rest()
      else
        share()
        if isHanded && handRuns < HandRuns then runHanded() else runQueued()

  /** A turn for the actor on the desk. */
  private def runHanded(): Unit =
    handRuns += 1
    isHanded = false
    val cell = desk.cell.nn
    val message = desk.message
    beginTurn(cell)
    val from = Timing.begin()
    if handedSlot != 0 then cell.serveSlot(handedSlot, slots, slice)
    else if message != null then cell.serve(message, slice)
    else cell.turn(slice)
    Timing.end(cell, from)
    if !cell.isResting then endTurn(cell)

  /** A turn for the actor that waited longest. */
  private def runQueued(): Unit =
    handRuns = 0
    slice.begin()
    if isHanded then
      isHanded = false
      queueHanded()
    val cell = queue.poll().nn
    beginTurn(cell)
    val from = Timing.begin()
    cell.turn(slice)
    Timing.end(cell, from)
    endTurn(cell)

  private def beginTurn(cell: Cell[?]): Unit =
    Turn.setOpaque(this, turn + 1)
    if (turn & (DeskTurns - 1)) == 0 then desk = Desk()
    desk.running = cell

  private def endTurn(cell: Cell[?]): Unit =
    if cell.hasWork then queue.add(cell) else cell.setIdle(rests = cell.hasNothing)

  // ---- what its own actors send

  /** Gives an actor of its own that rests a message. This thread. */
  def hand(cell: Cell[?], message: AnyRef): Unit =
    clearHand()
    desk.cell = cell
    desk.message = message
    handedSlot = 0

  /** As [[hand]], for a message in a slot; what the desk holds of another one is of no matter. */
  def handSlot(cell: Cell[?], slot: Long): Unit =
    clearHand()
    desk.cell = cell
    handedSlot = slot

  /** An actor of its own has something to do. This thread. */
  def ready(cell: Cell[?]): Unit =
    clearHand()
    desk.cell = cell
    desk.message = null
    handedSlot = 0

  private def clearHand(): Unit = if isHanded then queueHanded() else isHanded = true

  /** The actor on the desk waits in the queue, and its message in its mailbox. */
  private def queueHanded(): Unit =
    val cell = desk.cell.nn
    val message = desk.message
    if handedSlot != 0 then cell.putBackSlot(handedSlot)
    else if message != null then cell.putBack(message)
    queue.add(cell)

  // ---- arrivals

  /** Leaves an actor here, woken or given. Any thread; only who raised its `notified`. */
  def arrive(cell: Cell[?]): Unit =
    if push(cell) == null && isParked then LockSupport.unpark(this)
    forward()

  /** What was on top of the stack before. */
  private def push(cell: Cell[?]): Lane[?] | Null =
    var top = arrived
    cell.nextArrived = top
    while !Arrived.compareAndSet(this, top, cell) do
      top = arrived
      cell.nextArrived = top
    top

  private def welcome(): Unit =
    var each = Arrived.getAndSet(this, null).asInstanceOf[Lane[?] | Null]
    var oldest: Lane[?] | Null = null
    while each != null do
      val after = each.nextArrived
      each.nextArrived = oldest
      oldest = each
      each = after
    while oldest != null do
      val cell = oldest.asInstanceOf[Cell[?]]
      oldest = cell.nextArrived
      cell.nextArrived = null
      // Only an idle worker's actors are taken from it, and this one is not.
      if cell.ownerVolatile eq this then
        cell.lowerNotifiedVolatile()
        if !cell.isScheduled then
          cell.setScheduled()
          queue.add(cell)
      else pool.wake(cell)

  // ---- work for two

  private def share(): Unit =
    val each = slice.nanosPerMessage // its own, so first: most messages are too short
    if each >= WorthNanos && pool.hasIdle then
      val waiting = queue.size + (if isHanded then 1 else 0)
      if waiting >= 2 && each * waiting >= WorthAllNanos then
        val other = pool.idleBut(this)
        if other != null then give(other, waiting / 2)

  private def give(other: Worker, count: Int): Unit =
    var left = count
    while left > 0 do
      left -= 1
      val cell = queue.poll()
      if cell != null then
        // One that is about to arrive here cannot arrive elsewhere as well.
        if cell.notifyVolatile() then
          cell.setIdle(rests = false)
          cell.setOwnerVolatile(other)
          other.arrive(cell)
        else queue.add(cell)

  /** Takes an actor from a worker that is idle, for this thread. */
  def takeFrom(other: Worker, cell: Cell[?]): Boolean =
    val before = other.mode
    val meanwhile = if before == Away then AwayRaided else Raided
    if (before == Idle || before == Away) && Mode.compareAndSet(other, before, meanwhile) then
      // Who is away is in the turn of one actor, which stays his.
      val may = (cell.ownerVolatile eq other) && !cell.isScheduled
      if may then cell.setOwnerVolatile(this)
      other.mode = before
      may
    else false

  // ---- away

  /** Whether a handler blocks here. For this thread. */
  private[actor] var isAway = false

  def isAwayVolatile: Boolean = mode == Away

  /** Blocks, as `scala.concurrent.blocking` and `Await` do, while others have its actors. */
  def blockOn[A](block: => A)(using CanAwait): A =
    val other = if isAway then null else pool.standIn(this)
    if other == null then block
    else
      goAway(other)
      try block
      finally comeBack()

  private def goAway(other: Worker): Unit =
    if isHanded then
      isHanded = false
      queueHanded()
    if arrived != null then welcome()
    give(other, queue.size)
    while !queue.isEmpty do // somebody sent to one of them, and it arrives here first
      Thread.onSpinWait()
      if arrived != null then welcome()
      give(other, queue.size)
    isAway = true
    mode = Away
    forward()

  private def comeBack(): Unit =
    while !Mode.compareAndSet(this, Away, Busy) do Thread.onSpinWait()
    isAway = false

  /** Sends on what arrives while it is away. Any thread: who left something here, or this one. */
  private def forward(): Unit =
    var left: Lane[?] | Null = null
    var now = mode
    while now >= Away do
      if now == Away && Mode.compareAndSet(this, Away, AwayRaided) then
        left = release()
        mode = Away
        now = Busy
      else
        Thread.onSpinWait()
        now = mode
    // Not while it is locked: those who get them may be about to go away as well.
    while left != null do
      val cell = left.asInstanceOf[Cell[?]]
      left = cell.nextArrived
      cell.nextArrived = null
      pool.wake(cell)

  /** Gives up all actors that arrived but the one in its turn, and those in the queue still. */
  private def release(): Lane[?] | Null =
    var each = Arrived.getAndSet(this, null).asInstanceOf[Lane[?] | Null]
    var others: Lane[?] | Null = null
    val other = if each == null then null else pool.standIn(this)
    while each != null do
      val cell = each.asInstanceOf[Cell[?]]
      each = cell.nextArrived
      val isOwn = cell.ownerVolatile eq this
      if isOwn && (other == null || cell.isScheduled) then push(cell): Unit
      else
        if isOwn && other != null then cell.setOwnerVolatile(other)
        cell.nextArrived = others
        others = cell
    others

  // ---- idleness

  def isIdleVolatile: Boolean = mode == Idle

  private def rest(): Unit =
    handRuns = 0
    slice.begin()
    desk.clear()
    mode = Idle
    pool.idleCount.incrementAndGet(): Unit
    val since = System.nanoTime
    var now = since
    while arrived == null && !isOver && now - since < spinNanos do
      var i = 0
      while arrived == null && i < SpinReads do
        Thread.onSpinWait()
        i += 1
      now = System.nanoTime
    // Spin longer where it was worth it, and hardly at all on a machine that is busy otherwise.
    spinNanos =
      if arrived != null then math.min(spinNanos * 2, MaxSpinNanos)
      else math.max(spinNanos / 2, MinSpinNanos)
    while arrived == null && !isOver do
      isParked = true
      if arrived == null && !isOver then LockSupport.park(this)
      isParked = false
      val _ = Thread.interrupted()
    while !Mode.compareAndSet(this, Idle, Busy) do Thread.onSpinWait()
    pool.idleCount.decrementAndGet(): Unit
    slice.resume(System.nanoTime)
  end rest

  /** Ends the thread, after the turn it is in. Any thread. */
  def end(): Unit =
    isOver = true
    LockSupport.unpark(this)
end Worker

private[actor] object Worker:
  private inline val Busy = 0
  private inline val Idle = 1
  private inline val Raided = 2
  private inline val Away = 3
  private inline val AwayRaided = 4

  /** Whether this thread is a worker that is away: it may touch none of its actors then. */
  def isAway(thread: Thread): Boolean = thread match
    case worker: Worker => worker.isAway
    case _              => false

  /** How long an actor goes on while others wait: what 50 000 messages take at best. */
  private inline val SliceNanos = 500_000L

  /** Turns that actors take from the desk while others wait. */
  private inline val HandRuns = 256

  /** Turns for which a desk is used: see [[Desk]]. A power of two. */
  private inline val DeskTurns = 65_536

  /** About what it takes to wake a parked thread, and a little less than a turn of the system. */
  private inline val MaxSpinNanos = 20_000L
  private inline val MinSpinNanos = 500L

  /** Looks between two readings of the clock. */
  private inline val SpinReads = 16

  /** A message takes longer than to send it to another core. */
  private inline val WorthNanos = 150L

  /** What waits takes longer than to wake a thread for it. */
  private inline val WorthAllNanos = 2_000L

  private val lookup = MethodHandles.privateLookupIn(classOf[Worker], MethodHandles.lookup())
  private val Arrived = lookup.findVarHandle(classOf[Worker], "arrived", classOf[Lane[?]])
  private val Turn = lookup.findVarHandle(classOf[Worker], "turn", classOf[Long])
  private val Mode = lookup.findVarHandle(classOf[Worker], "mode", classOf[Int])

  /** The worker that this thread is. */
  def here(cell: Cell[?]): Worker = Thread.currentThread match
    case worker: Worker => worker
    case other =>
      throw IllegalStateException(s"${cell.name} has a message in a slot, and runs on $other")
end Worker
