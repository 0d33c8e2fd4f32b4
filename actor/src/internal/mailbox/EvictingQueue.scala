package undercroft.actor
package internal.mailbox

import internal.cell.InternalMessage
import java.util.ArrayDeque

/** The messages of a mailbox that drops the oldest: at most `limit` user messages. Thread-safe, by
  * a lock, because a sender may remove the messages of other senders.
  */
private[actor] final class EvictingQueue(limit: Int):
  private val messages = ArrayDeque[AnyRef]()
  private var bounded = 0 // messages that count against the limit
  private var isClosed = false

  /** Adds a message. Returns null, [[EvictingQueue.Closed]] if the queue is closed, or the dropped
    * message: the oldest one that counts against the limit.
    */
  def add(message: AnyRef): AnyRef | Null = synchronized:
    if isClosed then EvictingQueue.Closed
    else
      messages.addLast(message)
      if InternalMessage.isBounded(message) then bounded += 1
      if bounded > limit then dropOldest() else null

  private def dropOldest(): AnyRef | Null =
    val iterator = messages.iterator
    var dropped: AnyRef | Null = null
    while (dropped eq null) && iterator.hasNext do
      val message = iterator.next
      if InternalMessage.isBounded(message) then
        dropped = message
        iterator.remove()
        bounded -= 1
    dropped

  def peek: AnyRef | Null = synchronized(messages.peek)

  def poll(): AnyRef | Null = synchronized:
    val message = messages.poll
    if (message ne null) && InternalMessage.isBounded(message) then bounded -= 1
    message

  def size: Int = synchronized(messages.size)

  /** Closes the queue for new messages; the waiting ones can still be polled. */
  def close(): Unit = synchronized:
    isClosed = true
end EvictingQueue

private[actor] object EvictingQueue:
  /** The result of adding to a closed queue. */
  object Closed
