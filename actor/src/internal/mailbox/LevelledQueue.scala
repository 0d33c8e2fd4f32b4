package undercroft.actor
package internal.mailbox

import internal.cell.{ActorCell, InboundNode}

/** The ordered messages of a priority mailbox: a FIFO queue for each level. Owner thread only.
  *
  * {{{
  *   message queue, inbound queue --> level 0: m3        handled first
  *   (FIFO)                           level 1:
  *                                    level 2: m1 m2
  *   waitingLevels = 101 (binary)
  * }}}
  */
private[actor] final class LevelledQueue(levels: MessageLevels):
  private val queues = new Array[Ring[AnyRef] | Null](levels.count)

  /** A bit for each level that has messages. */
  private var waitingLevels = 0L

  /** Whether a queue is too large to be kept when all queues are empty. */
  private var hasLargeQueue = false

  def isEmpty: Boolean = waitingLevels == 0

  /** Adds the messages of these nodes, oldest first. */
  def addAll(cell: ActorCell[?], nodes: InboundNode | Null): Unit =
    var node = nodes
    while node != null do
      val message = node.message
      val next = node.next
      node.message = null
      node.next = null
      if message != null then add(cell, message)
      node = next

  /** Adds a message behind all others of its level; one without a level at level 0, to fail soon.
    */
  def add(cell: ActorCell[?], message: AnyRef): Unit =
    var level = 0
    var ranked = message
    val hadNoMessage = cell.hasNoMessage
    cell.hasNoMessage = true // a conversion may call the context
    try level = levels.of(cell, message, isOwner = true)
    catch case failure: Throwable => ranked = UnrankedMessage(message, failure)
    finally cell.hasNoMessage = hadNoMessage
    addTo(level, ranked)

  private def addTo(level: Int, message: AnyRef): Unit =
    val queue = queues(level) match
      case null =>
        val ring = Ring[AnyRef](FirstCapacity)
        queues(level) = ring
        ring
      case ring => ring
    queue.add(message)
    if queue.capacity > MessageQueue.KeptCapacity then hasLargeQueue = true
    waitingLevels |= 1L << level

  /** The ordered message that [[poll]] would return. */
  def peek: AnyRef | Null = if waitingLevels == 0 then null else queues(firstLevel).nn.peek

  private def firstLevel: Int = java.lang.Long.numberOfTrailingZeros(waitingLevels)

  /** Removes and returns the oldest message of the first level that has any, or null. */
  def poll(): AnyRef | Null =
    if waitingLevels == 0 then null
    else
      val level = firstLevel
      val queue = queues(level).nn
      val message = queue.poll()
      if queue.isEmpty then
        waitingLevels &= ~(1L << level)
        if waitingLevels == 0 && hasLargeQueue then releaseLarge()
      message

  /** Releases the large queues: an idle actor is small. */
  private def releaseLarge(): Unit =
    hasLargeQueue = false
    var level = 0
    while level < queues.length do
      val queue = queues(level)
      if queue != null && queue.capacity > MessageQueue.KeptCapacity then queues(level) = null
      level += 1

  /** Releases the level function and all queues: for an actor that has stopped. */
  def release(): Unit =
    levels.release()
    java.util.Arrays.fill(queues.asInstanceOf[Array[AnyRef]], null)

  private inline val FirstCapacity = 4
end LevelledQueue
