package undercroft.actor
package internal.cell

import internal.dispatch.Timers
import internal.mailbox.Waiters
import java.util.{ArrayDeque, ArrayList, LinkedHashMap, LinkedHashSet}
import java.util.concurrent.atomic.AtomicLongArray

/** Cold state: fields that most actors never need, allocated on first use. Owner thread only,
  * unless stated otherwise.
  */
private[actor] final class ColdState:
  /** The given name, or empty. Set before the actor is published. */
  var name = ""

  // Both in insertion order, so that a simulation always notifies in the same order.
  private var watchers: LinkedHashSet[ActorCell[?]] | Null = null
  private var watching: LinkedHashMap[ActorCell[?], Any] | Null = null
  private var asks: ArrayList[Reply[?]] | Null = null
  private var timerTable: Timers | Null = null
  private var stashTable: Stash | Null = null

  @volatile var failed = 0L
  @volatile var restarts = 0L
  var stopCause: Throwable | Null = null
  var pauseNanos = 0L

  /** The actor that this one waits for: for room in its mailbox or, until `waitsUntil` has ended,
    * for the reply to an ask. Guarded by [[Waiters.lock]].
    */
  var waitsFor: ActorCell[?] | Null = null
  var waitsUntil: Reply[?] | Null = null

  /** The senders that wait for room; set from the start if the overflow strategy is to wait. */
  var waiters: Waiters | Null = null

  /** The group restart of its children. */
  var regroup: GroupRestart | Null = null

  /** Whether it is halted, and the number of the parent's request that is not answered yet. */
  var isHalted = false
  var owed = 0

  /** The total time of its turns, while measured. Thread-safe. */
  @volatile var busyNanos = 0L

  private var causeTable: MessageCauses | Null = null
  def causes: MessageCauses | Null = causeTable
  def ownCauses(): MessageCauses =
    val table = causeTable match
      case null  => MessageCauses()
      case table => table
    causeTable = table
    table

  private var links: ArrayList[ActorCell[?]] | Null = null

  @volatile private var dead: AtomicLongArray | Null = null

  /** Counts a dead letter. */
  def countDead(reason: DeadLetterReason): Unit =
    val counts = dead match
      case null   => AtomicLongArray(DeadLetterReason.values.length)
      case counts => counts
    counts.setRelease(reason.ordinal, counts.getPlain(reason.ordinal) + 1)
    dead = counts

  /** The number of dead letters by reason. Thread-safe. */
  def deadByReason: Map[DeadLetterReason, Long] = dead match
    case null   => Map.empty
    case counts => AuditTotals.byReason(counts)

  // ---- watchers

  def addWatcher(watcher: ActorCell[?]): Unit =
    val set = watchers match
      case null => LinkedHashSet[ActorCell[?]](4)
      case set  => set
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
    val list = links match
      case null => ArrayList[ActorCell[?]](2)
      case list => list
    links = list
    !list.contains(peer) && list.add(peer)

  /** Removes a link. Returns whether it existed. */
  def removeLink(peer: ActorCell[?]): Boolean =
    val list = links
    list != null && list.remove(peer)

  def foreachLink(f: ActorCell[?] => Unit): Unit =
    val list = links
    if list != null then list.forEach(peer => f(peer))

  // ---- watched actors, with the message wanted instead of `Terminated`

  def watch(ref: ActorCell[?], instead: Any): Unit =
    val map = watching match
      case null => LinkedHashMap[ActorCell[?], Any](4)
      case map  => map
    watching = map
    val _ = map.put(ref, instead)

  def isWatching(ref: ActorCell[?]): Boolean =
    val map = watching
    map != null && map.containsKey(ref)

  def stopWatching(ref: ActorCell[?]): Any =
    val map = watching
    if map == null then ColdState.BySignal else map.remove(ref)

  def foreachWatched(f: ActorCell[?] => Unit): Unit =
    val map = watching
    if map != null then map.keySet.forEach(watched => f(watched))

  // ---- unanswered asks

  /** Keeps an ask, to fail it when the actor stops; removes asks that have ended. */
  def keepAsk(reply: Reply[?]): Unit =
    val list = asks match
      case null => ArrayList[Reply[?]](4)
      case list => list
    asks = list
    if list.size >= ColdState.AsksSwept && (list.size & (list.size - 1)) == 0 then
      val _ = list.removeIf(ask => !ask.isOpen)
    val _ = list.add(reply)

  def failAsks(name: String): Unit =
    val list = asks
    if list != null then
      list.forEach(ask => ask.fail(AskTargetStoppedException(s"$name has stopped")))

  // ---- timers and stash

  def timers: Timers | Null = timerTable
  def ownTimers(cell: ActorCell[?]): Timers =
    val table = timerTable match
      case null  => Timers(cell)
      case table => table
    timerTable = table
    table

  /** Releases everything that only a live actor needs; counts, name and stop cause remain. Owner
    * thread only, after the actor has stopped.
    */
  def release(): Unit =
    watchers = null
    watching = null
    links = null
    asks = null
    timerTable = null
    stashTable = null
    regroup = null

  def stash: Stash | Null = stashTable
  def ownStash(): Stash =
    val table = stashTable match
      case null  => Stash()
      case table => table
    stashTable = table
    table
end ColdState

private[actor] object ColdState:
  /** The value that requests `Terminated` instead of a message. */
  object BySignal

  /** Whether `instead` is a user message. */
  def isMessage(instead: Any): Boolean = instead match
    case message: AnyRef => message ne BySignal
    case _               => true

  /** From this number of asks on, ended asks are removed whenever their number is a power of two.
    */
  private val AsksSwept = 16

/** Stashed messages, and unstashed messages that are due again. Owner thread only. */
private[actor] final class Stash:
  private val stashQueue = ArrayDeque[AnyRef]()
  private val dueQueue = ArrayDeque[AnyRef]()
  private val urgentQueue = ArrayDeque[AnyRef]()

  /** The number of messages in it; other threads may read it, racily. */
  @volatile var size = 0

  /** The number of messages that are due again, including the current one; other threads may read
    * it.
    */
  @volatile var dueCount = 0

  /** The number of messages that precede all others; other threads may read it. */
  @volatile var urgentCount = 0

  var wantsThis = false
  var wantsAll = false

  /** Whether the message handler made a request. */
  def isAsked: Boolean = wantsThis || wantsAll

  def nextDue(): AnyRef | Null =
    val message = if urgentQueue.isEmpty then dueQueue.poll else urgentQueue.poll
    if message != null then size -= 1
    urgentCount = urgentQueue.size
    message

  /** Returns the message that [[nextDue]] would return. */
  def peekDue: AnyRef | Null = if urgentQueue.isEmpty then dueQueue.peek else urgentQueue.peek

  def hasDue: Boolean = !dueQueue.isEmpty || !urgentQueue.isEmpty

  /** Adds a priority message: due before all others except earlier priority messages. */
  def putFirst(message: AnyRef): Unit =
    urgentQueue.addLast(message)
    urgentCount = urgentQueue.size
    size += 1
    dueCount += 1

  /** Adds a message that is due before all others. */
  def putNext(message: AnyRef): Unit =
    urgentQueue.addFirst(message)
    urgentCount = urgentQueue.size
    size += 1
    dueCount += 1

  /** Executes the handler's requests. Returns whether it stashed the message. */
  def settle(message: AnyRef): Boolean =
    val isStashed = wantsThis
    if isStashed then
      wantsThis = false
      stashQueue.addLast(message)
      size += 1
    if wantsAll then bringBack()
    isStashed

  /** Makes all stashed messages due again. */
  def bringBack(): Unit =
    wantsAll = false
    // Messages stashed again are older than the messages already due, so they go first.
    dueCount += stashQueue.size
    while !stashQueue.isEmpty do dueQueue.addFirst(stashQueue.pollLast)

  /** Stashes a message. */
  def put(message: AnyRef): Unit =
    stashQueue.addLast(message)
    size += 1

  /** Removes and returns the first wanted message, or null. For a process that has seen all
    * messages due so far.
    */
  def takeFirst(isWanted: AnyRef => Boolean): AnyRef | Null =
    val first = takeFrom(urgentQueue, isWanted)
    val message = if first ne null then first else takeFrom(stashQueue, isWanted)
    urgentCount = urgentQueue.size
    dueCount = 0
    message

  private def takeFrom(queue: ArrayDeque[AnyRef], isWanted: AnyRef => Boolean): AnyRef | Null =
    var result: AnyRef | Null = null
    val iterator = queue.iterator
    while (result eq null) && iterator.hasNext do
      val message = iterator.next
      if isWanted(message) then
        result = message
        iterator.remove()
        size -= 1
    result

  /** Discards the requests of a handler that failed. */
  def forget(): Unit =
    wantsThis = false
    wantsAll = false

  /** Passes all messages to `f`, for the dead letters. */
  def empty(f: AnyRef => Unit): Unit =
    while !urgentQueue.isEmpty do f(urgentQueue.poll)
    while !dueQueue.isEmpty do f(dueQueue.poll)
    while !stashQueue.isEmpty do f(stashQueue.poll)
    size = 0
    dueCount = 0
    urgentCount = 0
end Stash
