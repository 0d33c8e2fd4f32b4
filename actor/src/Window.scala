package undercroft.actor

import java.util.ArrayDeque

/** The last so many messages: what a mailbox holds that drops the oldest. Any thread, by a lock,
  * because a sender has to take away what others put.
  */
private[actor] final class Window(limit: Int):
  private var messages = ArrayDeque[AnyRef]()
  private var ordinary = 0
  private var isClosed = false

  /** Adds a message. Returns null, or the message that had to go: the oldest one that is not a
    * notice of the runtime, or this one if the window is closed.
    */
  def add(message: AnyRef): AnyRef | Null = synchronized:
    if isClosed then message
    else
      val isNotice = Notice.isNotice(message)
      val dropped = if !isNotice && ordinary == limit then dropOldest() else null
      if !isNotice then ordinary += 1
      messages.addLast(message)
      dropped

  private def dropOldest(): AnyRef | Null =
    val each = messages.iterator
    var dropped: AnyRef | Null = null
    while (dropped eq null) && each.hasNext do
      val message = each.next
      if !Notice.isNotice(message) then
        dropped = message
        each.remove()
    ordinary -= 1
    dropped

  def peek: AnyRef | Null = synchronized(messages.peek)

  def poll(): AnyRef | Null = synchronized:
    val message = messages.poll
    if (message ne null) && !Notice.isNotice(message) then ordinary -= 1
    message

  def size: Int = synchronized(messages.size)

  /** Takes no more, and gives away what it has. */
  def close(): ArrayDeque[AnyRef] = synchronized:
    isClosed = true
    val left = messages
    messages = ArrayDeque[AnyRef]()
    left
end Window
