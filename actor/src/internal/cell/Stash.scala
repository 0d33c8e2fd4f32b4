package undercroft.actor
package internal.cell

import java.util.ArrayDeque

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

  /** The behavior that stashes messages by itself, or null. Set before the first message; other
    * threads may read it.
    */
  @volatile var keeper: Stash.Keeper | Null = null

  /** The size at which a sender that has a choice waits: see `ActorRef.hasRoom`. */
  def limit: Int =
    val behavior = keeper
    if behavior == null then ActorContext.StashLimit else behavior.stashLimit

  var wantsThis = false

  /** Whether the message that the handler wants stashed goes before all stashed messages. */
  var wantsThisFirst = false

  /** The number of stashed messages that the message handler wants to be due again. */
  private var wantedCount = 0

  /** Whether the message handler made a request. */
  def isAsked: Boolean = wantsThis || wantsBack

  /** Whether the message handler wants stashed messages to be due again. */
  def wantsBack: Boolean = wantedCount > 0

  /** Requests that `count` more stashed messages are due again. */
  def request(count: Int): Unit =
    wantedCount = (wantedCount.toLong + count).min(Int.MaxValue).toInt

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
      if wantsThisFirst then stashQueue.addFirst(message) else stashQueue.addLast(message)
      wantsThis = false
      wantsThisFirst = false
      size += 1
    if wantsBack then bringBack()
    isStashed

  /** Whether messages that were stashed are due again. */
  def hasDueAgain: Boolean = !dueQueue.isEmpty

  /** The number of stashed messages that are not due. */
  def stashedCount: Int = stashQueue.size

  /** Returns the messages that are due again to the stash, before all others. */
  def takeBack(): Unit =
    dueCount -= dueQueue.size
    while !dueQueue.isEmpty do stashQueue.addFirst(dueQueue.pollLast)

  /** Makes the requested number of stashed messages due again, the oldest ones. */
  def bringBack(): Unit =
    val count = wantedCount.min(stashQueue.size)
    wantedCount = 0
    // Messages stashed again are older than the messages already due, so they go first.
    dueCount += count
    if count == stashQueue.size then
      while !stashQueue.isEmpty do dueQueue.addFirst(stashQueue.pollLast)
    else
      var due = dueQueue.size
      var i = 0
      while i < count do
        dueQueue.addLast(stashQueue.pollFirst)
        i += 1
      while due > 0 do
        dueQueue.addLast(dueQueue.pollFirst)
        due -= 1
  end bringBack

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
    wantsThisFirst = false
    wantedCount = 0

  /** Passes all messages to `f`, for the dead letters. */
  def empty(f: AnyRef => Unit): Unit =
    while !urgentQueue.isEmpty do f(urgentQueue.poll)
    while !dueQueue.isEmpty do f(dueQueue.poll)
    while !stashQueue.isEmpty do f(stashQueue.poll)
    size = 0
    dueCount = 0
    urgentCount = 0
end Stash

private[actor] object Stash:
  /** A behavior that stashes messages while it waits, and handles them later in their order. */
  trait Keeper:
    def stashLimit: Int

    /** Returns `Behavior.stopped`, or stashes the current message until nothing precedes it. */
    def stopInOrder(): Behavior[?]
