package undercroft.actor
package internal.cell

import internal.dispatch.{ReceiveTimeoutTimer, Timers}
import internal.mailbox.Waiters
import java.util.{ArrayList, LinkedHashMap, LinkedHashSet}
import java.util.concurrent.atomic.AtomicLongArray

/** Cold state: fields that most actors never need, allocated on first use. Owner thread only,
  * unless stated otherwise.
  */
private[actor] final class ColdState:
  /** The given name, or empty. Set before the actor is published. */
  var name = ""

  // Both in insertion order, so that a simulation always notifies in the same order.
  private var watchers: LinkedHashSet[ActorCell[?]] | Null = null
  private var watching: LinkedHashMap[ActorCell[?], WatchedRefs] | Null = null
  private var asks: ArrayList[Reply[?]] | Null = null

  /** The number of kept asks from which on those that have ended are removed. */
  private var asksSweptAt = 1
  private var timerTable: Timers | Null = null
  private var stashTable: Stash | Null = null

  @volatile var failed = 0L
  @volatile var restarts = 0L
  var stopCause: Throwable | Null = null

  /** The context of the message that stops or restarts it: see [[SignalContext]]. */
  var signalContext: AnyRef | Null = null
  var pauseNanos = 0L

  /** The number of the present pause before a restart. */
  var pauseNumber = 0

  /** The actor that this one waits for: for room in its mailbox or, until `waitsUntil` has ended,
    * for the reply to an ask. Guarded by [[Waiters.lock]].
    */
  var waitsFor: ActorCell[?] | Null = null
  var waitsUntil: Reply[?] | Null = null

  /** The senders that wait for room; set from the start if the overflow strategy is to wait. */
  var waiters: Waiters | Null = null

  /** The group restart of its children. */
  var groupRestart: GroupRestart | Null = null

  /** Whether it reports the failure of a message that it will handle again. */
  var isRetrying = false

  /** Whether it is halted, and the number of the parent's request that is not answered yet. */
  var isHalted = false
  var owed = 0

  /** The total time of its handlers, while measured. Thread-safe. */
  @volatile var busyNanos = 0L

  private var links: ArrayList[ActorCell[?]] | Null = null

  /** The failure of a linked actor while this one restarted, which it fails with afterwards. */
  var linkFailure: Throwable | Null = null

  @volatile private var dead: AtomicLongArray | Null = null

  /** Counts a dead letter. */
  def countDead(reason: DeadLetterReason): Unit =
    val counts = dead.orCreate(AtomicLongArray(DeadLetterReason.values.length))
    counts.setRelease(reason.ordinal, counts.getPlain(reason.ordinal) + 1)
    dead = counts

  /** The number of dead letters by reason. Thread-safe. */
  def deadByReason: Map[DeadLetterReason, Long] = dead match
    case null   => Map.empty
    case counts => AuditTotals.byReason(counts)

  // ---- watchers

  def addWatcher(watcher: ActorCell[?]): Unit =
    val set = watchers.orCreate(LinkedHashSet[ActorCell[?]](4))
    watchers = set
    val _ = set.add(watcher)

  def removeWatcher(watcher: ActorCell[?]): Unit =
    val set = watchers
    if set != null then
      val _ = set.remove(watcher)
      if set.isEmpty then watchers = null

  def foreachWatcher(f: ActorCell[?] => Unit): Unit =
    val set = watchers
    if set != null then set.forEach(watcher => f(watcher))

  // ---- links

  /** Adds a link. Returns whether it was new. */
  def addLink(peer: ActorCell[?]): Boolean =
    val list = links.orCreate(ArrayList[ActorCell[?]](2))
    links = list
    !list.contains(peer) && list.add(peer)

  /** Removes a link. Returns whether it existed. */
  def removeLink(peer: ActorCell[?]): Boolean =
    val list = links
    list != null && list.remove(peer)

  def foreachLink(f: ActorCell[?] => Unit): Unit =
    val list = links
    if list != null then list.forEach(peer => f(peer))

  // ---- watched actors, with the references by which each is watched

  /** Watches the actor `cell` by its reference `ref`: the actor itself, or an [[ExternalRef]] whose
    * lifetime it is. `message` arrives when it has stopped, or if that is null a
    * [[Signal.Terminated]].
    */
  def watch(cell: ActorCell[?], ref: ActorRef[Nothing], message: Any): Unit =
    val map = watching.orCreate(LinkedHashMap[ActorCell[?], WatchedRefs](4))
    watching = map
    val refs = map.get(cell).orCreate(LinkedHashMap[ActorRef[Nothing], Any](4))
    map.put(cell, refs): Unit
    refs.put(ref, message): Unit

  def isWatching(cell: ActorCell[?]): Boolean = watched(cell) != null

  def isWatchingAny: Boolean =
    val map = watching
    map != null && !map.isEmpty

  /** The references by which the actor `cell` is watched, oldest first; null if there are none. */
  def watched(cell: ActorCell[?]): WatchedRefs | Null =
    val map = watching
    if map == null then null else map.get(cell)

  /** Ends all watches of the actor `cell`. */
  def stopWatching(cell: ActorCell[?]): Unit =
    val map = watching
    if map != null then
      val _ = map.remove(cell)

  /** Ends the watch of the actor `cell` by its reference `ref`. Returns whether it was the last. */
  def stopWatching(cell: ActorCell[?], ref: ActorRef[Nothing]): Boolean =
    val refs = watched(cell)
    if refs != null then
      refs.remove(ref): Unit
      if refs.isEmpty then stopWatching(cell)
    refs != null && refs.isEmpty

  def foreachWatched(f: ActorCell[?] => Unit): Unit =
    val map = watching
    if map != null then map.keySet.forEach(watched => f(watched))

  // ---- unanswered asks

  /** Keeps an ask, to fail it when the actor stops; removes asks that have ended. */
  def keepAsk(reply: Reply[?]): Unit =
    val list = asks.orCreate(ArrayList[Reply[?]](4))
    asks = list
    // Each open ask pays for one that ended: an ended ask keeps its result alive.
    if list.size >= asksSweptAt then
      val _ = list.removeIf(ask => !ask.isOpen)
      asksSweptAt = 2 * list.size + 1
    val _ = list.add(reply)

  def failAsks(name: String): Unit =
    val list = asks
    if list != null then
      list.forEach(ask => ask.fail(AskTargetStoppedException(s"$name has stopped")))

  // ---- timers and stash

  def timers: Timers | Null = timerTable
  def ownTimers(cell: ActorCell[?]): Timers =
    val table = timerTable.orCreate(Timers(cell))
    timerTable = table
    table

  /** Releases everything that only a live actor needs; counts, name and stop cause remain. Owner
    * thread only, after the actor has stopped.
    */
  def release(): Unit =
    watchers = null
    watching = null
    links = null
    linkFailure = null
    asks = null
    timerTable = null
    stashTable = null
    groupRestart = null
    signalContext = null

  def stash: Stash | Null = stashTable
  def ownStash(): Stash =
    val table = stashTable.orCreate(Stash())
    stashTable = table
    table

  // ---- the requests of a message handler, applied after it has returned

  /** Returns whether the handler stashed the message. */
  def settle(message: AnyRef): Boolean =
    touch(message)
    stashTable != null && stashTable.nn.settle(InternalMessage.aside(message))

  /** As [[settle]], for a message in a slot, which is loaded only if it is needed as an object. */
  def settleSlot(slot: Long, reader: Behavior.Slotted[?]): Boolean =
    if stashTable != null && stashTable.nn.isAsked then
      settle(reader.load(slot).asInstanceOf[AnyRef])
    else
      if timerTable != null then timerTable.nn.touch()
      false

  /** Defers the receive timeout, unless the message is one. */
  def touch(message: AnyRef): Unit =
    if timerTable != null && !InternalMessage.source(message).isInstanceOf[ReceiveTimeoutTimer]
    then timerTable.nn.touch()
end ColdState

/** The references by which an actor is watched, each with its message or null. */
private[actor] type WatchedRefs = LinkedHashMap[ActorRef[Nothing], Any]
