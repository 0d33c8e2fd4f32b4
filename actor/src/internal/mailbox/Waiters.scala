package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, AskMessage, ColdState, State}
import internal.dispatch.{Engine, SystemFailure}
import java.util.{ArrayList, LinkedHashSet}

/** The senders that wait for room in one mailbox: parked threads and muted actors. Thread-safe, by
  * one lock for all mailboxes, which also guards the wait-for graph of actors: waits for room, and
  * waits for the reply to an ask. The lock is held for O(1) by a sender, and for O(n) by a release
  * of n of them.
  *
  * A thread is woken for a place in the mailbox, in the order of arrival:
  *
  * {{{
  *   Waiting --release--> Granted --> sends its message, or passes the place on
  *       \---room, stop, interrupt, timeout---> left
  * }}}
  */
private[actor] final class Waiters:
  import Waiters.Waiter

  private val threads = LinkedHashSet[Waiter](4)
  private val actors = ArrayList[ActorCell[?]](2)

  /** The number of granted threads that have not left [[waitFor]]. */
  private var granted = 0
  @volatile private var isEmpty = true

  def isEmptyVolatile: Boolean = isEmpty

  /** Waits until `target` has room or has stopped. If `sender` is an actor without its own thread,
    * it is muted, else the thread is parked; an ask waits until its timeout. Returns null, the
    * reason why it must not wait, or [[Waiters.TimedOut]].
    */
  def waitFor(
      target: ActorCell[?],
      sender: ActorCell[?] | Null,
      ask: AskMessage | Null
  ): String | Null =
    val isMuted = sender != null && !sender.runner.keepsThread
    val coldState = if sender == null then null else sender.coldState()
    // `target` may itself wait for the answer that this actor owes, or for the end of this actor.
    val isAwaited = sender != null && coldState != null &&
      (coldState.owed != 0 || sender.state >= State.Stopping)
    if !isMuted && isAwaited then null
    else waitOnThread(target, sender, coldState, isMuted, ask)

  private def waitOnThread(
      target: ActorCell[?],
      sender: ActorCell[?] | Null,
      coldState: ColdState | Null,
      isMuted: Boolean,
      ask: AskMessage | Null
  ): String | Null =
    val thread = Thread.currentThread
    val waiter = Waiter(thread)
    val (formerTarget, reply) =
      if coldState == null then (null, null) else (coldState.waitsFor, coldState.waitsUntil)
    val problem = enter(target, sender, if isMuted then null else waiter)
    if problem != null then problem
    else if isMuted then
      // Room may have appeared before the waiter was registered.
      if FullMailbox.hasRoom(target) then release(target)
      null
    else
      var usesPlace = false
      try
        // The actor that stops or halts this one may be `target`, or wait for it; and it wakes this
        // thread only if `notified` is clear. In that case the message exceeds the limit.
        def isToStop = sender != null && {
          sender.clearNotifiedVolatile()
          sender.isStopRequested
        }
        def remainingNanos = if ask == null then Engine.Forever else ask.leftNanos
        def hasRoom = FullMailbox.hasRoom(target)
        while !waiter.isGranted && !hasRoom && !thread.isInterrupted && !isToStop &&
          remainingNanos > 0
        do
          if target.system.failure.isOver then throw target.system.failure.error
          target.system.park(this, remainingNanos)
        if target.system.failure.isBegun then throw target.system.failure.error
        if thread.isInterrupted && !hasRoom then
          s"${thread.getName} was interrupted while it waited for room in the mailbox of ${target.name}"
        else if ask != null && remainingNanos <= 0 && !waiter.isGranted && !hasRoom then
          ask.timeOut()
          Waiters.TimedOut
        else
          usesPlace = true
          null
      finally
        exit(waiter, sender, formerTarget, reply)
        // Else the place would stay empty: no message lets the actor release another thread.
        if waiter.isGranted && !usesPlace && FullMailbox.hasRoom(target) then release(target)
      end try
    end if
  end waitOnThread

  private def enter(
      target: ActorCell[?],
      sender: ActorCell[?] | Null,
      waiter: Waiter | Null
  ): String | Null =
    Waiters.lock.synchronized:
      // By an earlier message of its turn, which may send many.
      val isMutedForTarget = waiter == null && sender != null && sender.isMuted &&
        (FullMailbox.targetOf(sender) eq target)
      val cycle =
        if sender == null || isMutedForTarget then null else Waiters.cycle(sender, target)
      if cycle == null && !isMutedForTarget then
        if waiter != null then threads.add(waiter): Unit
        else if sender != null then
          // The list may be long, so it is not searched: a sender may be in it twice, and then gets
          // two `Unmute` messages.
          if FullMailbox.targetOf(sender) ne target then actors.add(sender): Unit
          sender.isMuted = true // until `Unmute`; this is its turn
        if sender != null then
          sender.coldState().waitsFor = target
          sender.coldState().waitsUntil = null
        isEmpty = false
      cycle

  /** Removes a thread, and restores the ask that the sender was waiting for, if any. */
  private def exit(
      waiter: Waiter,
      sender: ActorCell[?] | Null,
      formerTarget: ActorCell[?] | Null,
      reply: Reply[?] | Null
  ): Unit = Waiters.lock.synchronized:
    if waiter.isGranted then granted -= 1 else threads.remove(waiter): Unit
    isEmpty = threads.isEmpty && actors.isEmpty
    if sender != null then
      Waiters.restore(sender, if reply == null then null else formerTarget, reply)

  /** Releases waiters if the mailbox still has room; it may have filled since the caller checked:
    * one thread for each place, because its message lets the actor release the next ones, and all
    * actors, because they may have no further message. A released sender may send one message
    * beyond the limit.
    */
  def release(target: ActorCell[?]): Unit = SystemFailure.guard(target):
    var parked = new Array[Waiter](0)
    var muted = new Array[ActorCell[?]](0)
    Waiters.lock.synchronized:
      if FullMailbox.hasRoom(target) then
        parked = new Array[Waiter](math.min(places(target), threads.size))
        val oldest = threads.iterator
        muted = actors.toArray(muted)
        for actor <- muted do
          val coldState = actor.coldState()
          if coldState.waitsFor eq target then coldState.waitsFor = null
        for i <- parked.indices do
          parked(i) = oldest.next
          oldest.remove()
          parked(i).isGranted = true
        granted += parked.length
        actors.clear()
        isEmpty = threads.isEmpty
    for waiter <- parked do target.system.engine.unpark(waiter.thread)
    for actor <- muted do actor.tellSystem(FullMailbox.Unmute()): Unit

  /** The number of threads that may send a message now. */
  private def places(target: ActorCell[?]): Int =
    if target.isStopped then Int.MaxValue
    else math.max(0L, target.mailbox.limit - target.waitingCount - granted).toInt
end Waiters

private[actor] object Waiters:
  val lock: Object = Object()

  /** A parked thread. Granted, under the lock, at most once. */
  final class Waiter(val thread: Thread):
    @volatile var isGranted = false

  /** The result of a wait for room that took until the timeout of the ask. */
  val TimedOut = "the ask has timed out"

  /** Describes the cycle of actors that would result if `sender` waited for `target`; null if none.
    * A cycle without `sender` ends the walk too, because it would hold the lock for ever: R. P.
    * Brent, "An improved Monte Carlo factorization algorithm", 1980.
    */
  private def cycleNames(sender: ActorCell[?], target: ActorCell[?]): String | Null =
    val names = StringBuilder(sender.name)
    var cell: ActorCell[?] | Null = target
    var mark: ActorCell[?] | Null = null
    var steps = 0
    var nextMark = 1
    while cell != null && (cell ne sender) && (cell ne mark) do
      val _ = names.append(" waits for ").append(cell.name)
      steps += 1
      if steps == nextMark then
        mark = cell
        nextMark *= 2
      cell = FullMailbox.targetOf(cell)
    if cell eq sender then s"$names waits for ${sender.name}" else null

  /** Records that `sender` waits for `target` as before another wait. A wait that closes a cycle
    * meanwhile is not recorded: if it is an ask, its timeout ends it. Under the lock.
    */
  private def restore(
      sender: ActorCell[?],
      target: ActorCell[?] | Null,
      reply: Reply[?] | Null
  ): Unit =
    val coldState = sender.coldState()
    coldState.waitsFor = null
    coldState.waitsUntil = null
    if target != null && cycleNames(sender, target) == null then
      coldState.waitsFor = target
      coldState.waitsUntil = reply

  private def cycle(sender: ActorCell[?], target: ActorCell[?]): String | Null =
    val names = cycleNames(sender, target)
    if names == null then null
    else s"the mailbox of ${target.name} is full, and to wait would be a deadlock: $names"

  /** Runs `body`, which asks `target` and waits for the reply, and records that `asker` waits. If
    * this would close a cycle of waits, does not run `body`. `body` runs no code of the asker,
    * which could ask another actor meanwhile.
    *
    * @throws AskDeadlockException
    *   with the names of the actors in the cycle
    */
  def asking[A](asker: ActorCell[?], target: ActorCell[?], reply: Reply[?])(body: => A): A =
    val coldState = asker.coldState()
    val (before, until) = lock.synchronized:
      val names = cycleNames(asker, target)
      if names != null then
        throw AskDeadlockException(s"an ask of ${target.name} would be a deadlock: $names")
      val was = (coldState.waitsFor, coldState.waitsUntil)
      coldState.waitsFor = target
      coldState.waitsUntil = reply
      was
    try body
    finally lock.synchronized(restore(asker, before, until))
  end asking
end Waiters
