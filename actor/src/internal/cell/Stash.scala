package undercroft.actor
package internal.cell

import java.util.ArrayDeque

/** Stashed messages, and unstashed messages that are due again. Owner thread only.
  *
  * A message gets a number when it is stashed, and keeps it if it is stashed again after it was
  * due.
  */
private[actor] final class Stash:
  private val stashQueue = StashQueue()
  private val dueQueue = StashQueue()
  private val urgentQueue = ArrayDeque[AnyRef]()

  /** The messages that the user of a [[Stash.Keeper]] has stashed: they are not due with those of
    * the keeper.
    */
  private var asideQueue: StashQueue | Null = null

  /** The highest number given so far. */
  private var lastNumber = Stash.NumbersFrom

  /** The number of the current message; 0 if it was not due again, or is stashed again. */
  private var currentNumber = 0L

  /** The number of the message that [[putNext]] put before all others, until it is taken. */
  private var nextNumber = 0L

  /** The number of messages in it; other threads may read it, racily. */
  @volatile var size = 0

  /** The number of messages that are due again, including the current one; other threads may read
    * it.
    */
  @volatile var dueCount = 0

  /** The number of messages that precede all others; other threads may read it. */
  @volatile var urgentCount = 0

  /** The behavior that stashes messages by itself, or null. Set before the first message; other
    * threads may read it.
    */
  @volatile var keeper: Stash.Keeper | Null = null

  /** The size at which a sender that has a choice waits: see `ActorRef.hasRoom`. */
  def limit: Int =
    val behavior = keeper
    if behavior == null then ActorContext.StashLimit else behavior.stashLimit

  var wantsThis = false

  /** Whether the user of a keeper wants the current message stashed. */
  var wantsAside = false

  /** The number of stashed messages that the message handler wants to be due again. */
  private var wantedCount = 0

  /** Whether the message handler made a request. */
  def isAsked: Boolean = wantsThis || wantsBack

  /** Whether the message handler wants stashed messages to be due again. */
  def wantsBack: Boolean = wantedCount > 0

  /** Requests that `count` more stashed messages are due again. */
  def request(count: Int): Unit =
    wantedCount = (wantedCount.toLong + count).min(Int.MaxValue).toInt

  /** Removes and returns the message to handle next, or null if none is due again. */
  def nextDue(): AnyRef | Null =
    val isUrgent = !urgentQueue.isEmpty
    if isUrgent then currentNumber = nextNumber
    else if !dueQueue.isEmpty then currentNumber = dueQueue.firstNumber
    nextNumber = 0L
    val message = if isUrgent then urgentQueue.poll else dueQueue.pollFirst()
    if message != null then size -= 1
    urgentCount = urgentQueue.size
    message

  /** Whether the current message was stashed before. */
  def isDueAgain: Boolean = currentNumber != 0L

  /** The message of [[nextDue]] is not the current one any longer. */
  def endDue(): Unit =
    val isOver = isDueAgain
    currentNumber = 0L
    val behavior = keeper
    if isOver && behavior != null then behavior.dueEnded()
    dueCount -= 1 // last: at 0 the actor seems idle

  /** Returns the message that [[nextDue]] would return. */
  def peekDue: AnyRef | Null = if urgentQueue.isEmpty then dueQueue.peekFirst else urgentQueue.peek

  def hasDue: Boolean = !dueQueue.isEmpty || !urgentQueue.isEmpty

  /** Adds a priority message: due before all others except earlier priority messages. */
  def putFirst(message: AnyRef): Unit =
    urgentQueue.addLast(message)
    urgentCount = urgentQueue.size
    size += 1
    dueCount += 1

  /** Adds the current message again, due before all others. */
  def putNext(message: AnyRef): Unit =
    urgentQueue.addFirst(message)
    nextNumber = if isDueAgain || keeper == null then currentNumber else numberBeforeAll
    urgentCount = urgentQueue.size
    size += 1
    dueCount += 1

  /** Executes the handler's requests. Returns whether it stashed the message. */
  def settle(message: AnyRef): Boolean =
    val isStashed = wantsThis
    if isStashed then
      val number = if isDueAgain then currentNumber else newNumber()
      (if wantsAside then ownAside() else stashQueue).insert(message, number)
      currentNumber = 0L
      wantsThis = false
      wantsAside = false
      size += 1
    if wantsBack then bringBack()
    val behavior = keeper
    if behavior != null && !isStashed then behavior.settled(message)
    isStashed

  /** Whether messages that were stashed are due again. */
  def hasDueAgain: Boolean = !dueQueue.isEmpty

  /** The number of stashed messages that are not due, without those of the user of a keeper. */
  def stashedCount: Int = stashQueue.size

  /** The stashed message that is due after `index` others. */
  def stashed(index: Int): AnyRef = stashQueue(index)

  /** Puts a message in the place of [[stashed]]. */
  def replace(index: Int, message: AnyRef): Unit = stashQueue(index) = message

  /** The number of messages that the user of a keeper has stashed. */
  def asideCount: Int = asideQueue match
    case null  => 0
    case queue => queue.size

  private def ownAside(): StashQueue =
    val queue = asideQueue.orCreate(StashQueue())
    asideQueue = queue
    queue

  /** A number that is lower than those of all stashed messages. */
  private def numberBeforeAll: Long =
    var lowest = lastNumber + 1
    if !stashQueue.isEmpty then lowest = math.min(lowest, stashQueue.firstNumber)
    if !dueQueue.isEmpty then lowest = math.min(lowest, dueQueue.firstNumber)
    lowest - 1

  private def newNumber(): Long =
    lastNumber += 1
    lastNumber

  /** Returns the messages that are due again to the stash. */
  def takeBack(): Unit =
    dueCount -= dueQueue.size
    move(dueQueue, stashQueue, dueQueue.size)
    takeAsideBack()

  /** Returns the messages that the user of a keeper has stashed to the stash, in their order. */
  def takeAsideBack(): Unit =
    val queue = asideQueue
    if queue != null then move(queue, stashQueue, queue.size)

  /** Makes the requested number of stashed messages due again, the oldest ones. */
  def bringBack(): Unit =
    val count = wantedCount.min(stashQueue.size)
    wantedCount = 0
    dueCount += count
    move(stashQueue, dueQueue, count)

  private def move(source: StashQueue, target: StashQueue, count: Int): Unit =
    var remaining = count
    while remaining > 0 do
      remaining -= 1
      val number = source.firstNumber
      target.insert(source.pollFirst().nn, number)

  /** Stashes a message. */
  def put(message: AnyRef): Unit =
    stashQueue.insert(message, newNumber())
    size += 1

  /** Removes and returns the first wanted message, or null. For a process that has seen all
    * messages due so far.
    */
  def takeFirst(isWanted: AnyRef => Boolean): AnyRef | Null =
    val urgent = takeUrgent(isWanted)
    val message = if urgent ne null then urgent else stashQueue.takeFirst(isWanted)
    if message ne null then size -= 1
    urgentCount = urgentQueue.size
    dueCount = 0
    message

  private def takeUrgent(isWanted: AnyRef => Boolean): AnyRef | Null =
    var result: AnyRef | Null = null
    val iterator = urgentQueue.iterator
    while (result eq null) && iterator.hasNext do
      val message = iterator.next
      if isWanted(message) then
        result = message
        iterator.remove()
    result

  /** Discards the requests of a handler that failed. */
  def forget(): Unit =
    wantsThis = false
    wantsAside = false
    wantedCount = 0

  /** Removes the messages that are not due, and passes them to `f`, for the dead letters. */
  def clear(f: AnyRef => Unit): Unit =
    while !stashQueue.isEmpty do
      size -= 1
      f(stashQueue.pollFirst().nn)

  /** Passes all messages to `f`, for the dead letters. */
  def empty(f: AnyRef => Unit): Unit =
    while !urgentQueue.isEmpty do f(urgentQueue.poll)
    while !dueQueue.isEmpty do f(dueQueue.pollFirst().nn)
    takeAsideBack()
    while !stashQueue.isEmpty do f(stashQueue.pollFirst().nn)
    size = 0
    dueCount = 0
    urgentCount = 0
end Stash

private[actor] object Stash:
  /** Numbers are not 0, and a message that failed goes before those of the stash. */
  private val NumbersFrom = 1L << 32

  /** A behavior that stashes messages while it waits, and handles them later in their order. */
  trait Keeper:
    def stashLimit: Int

    /** The handler of a message has returned, and has not stashed it. */
    def settled(message: AnyRef): Unit

    /** A message that was due again was handled, or an interceptor kept it back; it is not stashed
      * again.
      */
    def dueEnded(): Unit

    /** Returns `Behavior.stopped`, or stashes the current message until nothing precedes it. */
    def stopInOrder(): Behavior[?]
