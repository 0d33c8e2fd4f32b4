package undercroft.actor

import java.util.{ArrayDeque, ArrayList, IdentityHashMap}
import java.util.concurrent.atomic.AtomicLongArray

/** What most actors never have: made when it is first wanted, touched by the actor's thread. */
private[actor] final class Side:
  /** The name that it was given, or none. Set before the actor is anybody's. */
  var name = ""

  private var watchers: ArrayList[Cell[?]] | Null = null
  private var watching: IdentityHashMap[Cell[?], Any] | Null = null
  private var asks: ArrayList[Reply[?]] | Null = null
  private var timerTable: Timers | Null = null
  private var stashTable: Stash | Null = null

  @volatile var failed = 0L
  @volatile var restarts = 0L
  var stopCause: Throwable | Null = null
  var pauseNanos = 0L

  /** The actor that it waits for: for room in its mailbox or, until that has ended, for the answer
    * to an ask. Under [[Waiters.lock]].
    */
  var waitsFor: Cell[?] | Null = null
  var waitsUntil: Reply[?] | Null = null

  /** Who waits for room in the mailbox; from the beginning, where the policy is to wait. */
  var waiters: Waiters | Null = null

  /** Its children that begin anew together. */
  var regroup: Regroup | Null = null

  /** Whether it is halted, and the number of what its parent asks of it and has no answer to yet.
    */
  var isHalted = false
  var owed = 0

  /** What its turns took, while somebody wanted to know. For any thread. */
  @volatile var busyNanos = 0L

  private var causeTable: Causes | Null = null
  def causes: Causes | Null = causeTable
  def ownCauses(): Causes =
    val table = causeTable match
      case null => Causes()
      case some => some
    causeTable = table
    table

  private var links: ArrayList[Cell[?]] | Null = null

  @volatile private var dead: AtomicLongArray | Null = null

  /** Counts a message that was not handled. */
  def countDead(reason: Reason): Unit =
    val counts = dead match
      case null => AtomicLongArray(Reason.values.length)
      case some => some
    counts.setRelease(reason.ordinal, counts.getPlain(reason.ordinal) + 1)
    dead = counts

  /** Messages that were not handled. Any thread. */
  def deadByReason: Map[Reason, Long] = dead match
    case null   => Map.empty
    case counts => Totals.byReason(counts)

  // ---- watchers

  def addWatcher(watcher: Cell[?]): Unit =
    val list = watchers match
      case null => ArrayList[Cell[?]](2)
      case some => some
    watchers = list
    if !list.contains(watcher) then
      val _ = list.add(watcher)

  def removeWatcher(watcher: Cell[?]): Unit =
    val list = watchers
    if list != null then
      val _ = list.remove(watcher)

  def foreachWatcher(f: Cell[?] => Unit): Unit =
    val list = watchers
    if list != null then list.forEach(watcher => f(watcher))

  // ---- links

  /** Whether there was none yet. */
  def addLink(other: Cell[?]): Boolean =
    val list = links match
      case null => ArrayList[Cell[?]](2)
      case some => some
    links = list
    !list.contains(other) && list.add(other)

  /** Whether there was one. */
  def removeLink(other: Cell[?]): Boolean =
    val list = links
    list != null && list.remove(other)

  def foreachLink(f: Cell[?] => Unit): Unit =
    val list = links
    if list != null then list.forEach(other => f(other))

  // ---- whom it watches, and the message it wants then

  def watch(ref: Cell[?], instead: Any): Unit =
    val map = watching match
      case null => IdentityHashMap[Cell[?], Any](4)
      case some => some
    watching = map
    val _ = map.put(ref, instead)

  def isWatching(ref: Cell[?]): Boolean =
    val map = watching
    map != null && map.containsKey(ref)

  def stopWatching(ref: Cell[?]): Any =
    val map = watching
    if map == null then Side.BySignal else map.remove(ref)

  // ---- asks without an answer yet

  /** Keeps an ask, to fail it when the actor stops; forgets those that have ended. */
  def keepAsk(reply: Reply[?]): Unit =
    val list = asks match
      case null => ArrayList[Reply[?]](4)
      case some => some
    asks = list
    if list.size >= Side.AsksSwept && (list.size & (list.size - 1)) == 0 then
      val _ = list.removeIf(ask => !ask.isOpen)
    val _ = list.add(reply)

  def failAsks(name: String): Unit =
    val list = asks
    if list != null then list.forEach(ask => ask.fail(AskedStoppedException(s"$name has stopped")))

  // ---- timers and stash

  def timers: Timers | Null = timerTable
  def ownTimers(cell: Cell[?]): Timers =
    val table = timerTable match
      case null => Timers(cell)
      case some => some
    timerTable = table
    table

  def stash: Stash | Null = stashTable
  def ownStash(): Stash =
    val table = stashTable match
      case null => Stash()
      case some => some
    stashTable = table
    table
end Side

private[actor] object Side:
  /** Stands for `Terminated` where no other message is wanted. */
  object BySignal

  /** Whether that is another message. */
  def isMessage(instead: Any): Boolean = instead match
    case other: AnyRef => other ne BySignal
    case _             => true

  /** Asks from which on those that have ended are forgotten, whenever their number is a power of 2.
    */
  private val AsksSwept = 16

/** Messages put aside, and those of them that are due again. The actor's thread. */
private[actor] final class Stash:
  private val aside = ArrayDeque[AnyRef]()
  private val due = ArrayDeque[AnyRef]()
  private val urgent = ArrayDeque[AnyRef]()

  /** Messages in it, for any thread that bears a race. */
  @volatile var size = 0

  /** Messages that are due again, the one in hand among them. For any thread, too. */
  @volatile var dueCount = 0

  /** Messages that go before all others. For any thread, too. */
  @volatile var urgentCount = 0

  var wantsThis = false
  var wantsAll = false

  /** Whether the handler of a message asked for anything. */
  def isAsked: Boolean = wantsThis || wantsAll

  def nextDue(): AnyRef | Null =
    val message = if urgent.isEmpty then due.poll else urgent.poll
    if message != null then size -= 1
    urgentCount = urgent.size
    message

  /** What [[nextDue]] would answer. */
  def peekDue: AnyRef | Null = if urgent.isEmpty then due.peek else urgent.peek

  def hasDue: Boolean = !due.isEmpty || !urgent.isEmpty

  /** Puts in a message that is due before all others, but those put in so. */
  def putFirst(message: AnyRef): Unit =
    urgent.addLast(message)
    urgentCount = urgent.size
    size += 1
    dueCount += 1

  /** Puts in a message that is due before all others. */
  def putNext(message: AnyRef): Unit =
    urgent.addFirst(message)
    urgentCount = urgent.size
    size += 1
    dueCount += 1

  /** Does what the handler of a message asked for; whether it stashed the message. */
  def settle(message: AnyRef): Boolean =
    val isStashed = wantsThis
    if isStashed then
      wantsThis = false
      aside.addLast(message)
      size += 1
    if wantsAll then bringBack()
    isStashed

  /** Has all that is aside handled again. */
  def bringBack(): Unit =
    wantsAll = false
    // What is stashed again goes before what was due already: it is older.
    dueCount += aside.size
    while !aside.isEmpty do due.addFirst(aside.pollLast)

  /** Puts a message aside. */
  def put(message: AnyRef): Unit =
    aside.addLast(message)
    size += 1

  /** Takes the first message out that is wanted, or null: a process does, which has been shown all
    * that was due then.
    */
  def takeFirst(isWanted: AnyRef => Boolean): AnyRef | Null =
    val first = takeFrom(urgent, isWanted)
    val found = if first ne null then first else takeFrom(aside, isWanted)
    urgentCount = urgent.size
    dueCount = 0
    found

  private def takeFrom(queue: ArrayDeque[AnyRef], isWanted: AnyRef => Boolean): AnyRef | Null =
    var found: AnyRef | Null = null
    val each = queue.iterator
    while (found eq null) && each.hasNext do
      val message = each.next
      if isWanted(message) then
        found = message
        each.remove()
        size -= 1
    found

  /** Forgets what a handler asked for that failed. */
  def forget(): Unit =
    wantsThis = false
    wantsAll = false

  /** All of it, for the dead letters. */
  def empty(f: AnyRef => Unit): Unit =
    while !urgent.isEmpty do f(urgent.poll)
    while !due.isEmpty do f(due.poll)
    while !aside.isEmpty do f(aside.poll)
    size = 0
    dueCount = 0
    urgentCount = 0
end Stash
