package undercroft.actor
package internal.mailbox

import internal.cell.InternalMessage
import java.util.ArrayDeque

/** The messages of a mailbox that drops the oldest: at most `limit` user messages. Thread-safe, by
  * a lock, because a sender may remove the messages of other senders.
  */
private[actor] final class EvictingQueue(limit: Int):
  private var messages = ArrayDeque[AnyRef]()
  private var bounded = 0 // messages that count against the limit
  private var isClosed = false

  /** Adds a message. Returns null or the dropped message: the oldest message that counts against
    * the limit, or `message` itself if the queue is closed.
    */
  def add(message: AnyRef): AnyRef | Null = synchronized:
    if isClosed then message
    else
      val isBounded = InternalMessage.isBounded(message)
      val dropped = if isBounded && bounded == limit then dropOldest() else null
      if isBounded then bounded += 1
      messages.addLast(message)
      dropped

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

  /** Closes the queue and returns its messages. */
  def close(): ArrayDeque[AnyRef] = synchronized:
    isClosed = true
    val remaining = messages
    messages = ArrayDeque[AnyRef]()
    remaining
end EvictingQueue
