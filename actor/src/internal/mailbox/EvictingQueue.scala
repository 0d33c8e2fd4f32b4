package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, InternalMessage}
import java.util.ArrayDeque

/** The messages of a mailbox that drops the oldest: at most `limit` user messages. Thread-safe, by
  * a lock, because a sender may remove the messages of other senders.
  */
private[actor] final class EvictingQueue(limit: Int, levels: MessageLevels | Null):
  /** The messages of the last level: all, unless the mailbox is prioritized. */
  private val messages = ArrayDeque[AnyRef]()

  /** The messages of the more urgent levels; null if the mailbox is not prioritized. */
  private val urgent: Array[ArrayDeque[AnyRef]] | Null =
    if levels == null then null else Array.fill(levels.count - 1)(ArrayDeque[AnyRef](1))
  private var count = 0
  private var bounded = 0 // messages that count against the limit
  private var isClosed = false

  /** Adds a message. Returns null, [[EvictingQueue.Closed]] if the queue is closed, or the dropped
    * message: the oldest one of the last level that has messages that count against the limit. This
    * may be `message` itself.
    */
  def add(cell: ActorCell[?], message: AnyRef): AnyRef | Null =
    if levels == null then add(message, messages)
    else
      var level = 0
      var ranked = message
      try
        level = levels.of(cell, message, isOwner = false) // outside of the lock: a user's function
      catch case failure: Throwable => ranked = UnrankedMessage(message, failure)
      add(ranked, queueOf(level))

  private def add(message: AnyRef, queue: ArrayDeque[AnyRef]): AnyRef | Null = synchronized:
    if isClosed then EvictingQueue.Closed
    else
      queue.addLast(message)
      count += 1
      if InternalMessage.isBounded(message) then bounded += 1
      if bounded > limit then dropOldest() else null

  private def queueOf(level: Int): ArrayDeque[AnyRef] =
    val queues = urgent
    if queues == null || level == queues.length then messages else queues(level)

  private def dropOldest(): AnyRef | Null =
    var dropped = dropOldest(messages)
    var level = if urgent == null then 0 else urgent.length
    while (dropped eq null) && level > 0 do
      level -= 1
      dropped = dropOldest(queueOf(level))
    dropped

  private def dropOldest(queue: ArrayDeque[AnyRef]): AnyRef | Null =
    val iterator = queue.iterator
    var dropped: AnyRef | Null = null
    while (dropped eq null) && iterator.hasNext do
      val message = iterator.next
      if InternalMessage.isBounded(message) then
        dropped = message
        iterator.remove()
        count -= 1
        bounded -= 1
    dropped

  def peek: AnyRef | Null = synchronized(first.peek)

  def poll(): AnyRef | Null = synchronized:
    val message = first.poll
    if message ne null then
      count -= 1
      if InternalMessage.isBounded(message) then bounded -= 1
    message

  /** The queue of the most urgent level that has messages. */
  private def first: ArrayDeque[AnyRef] =
    val queues = urgent
    if queues == null then messages
    else
      var level = 0
      while level < queues.length && queues(level).isEmpty do level += 1
      queueOf(level)

  def size: Int = synchronized(count)

  /** Closes the queue for new messages; the waiting ones can still be polled. */
  def close(): Unit = synchronized:
    isClosed = true

  /** Releases the level function: for an actor that has stopped. */
  def release(): Unit = if levels != null then levels.release()
end EvictingQueue

private[actor] object EvictingQueue:
  /** The result of adding to a closed queue. */
  object Closed
