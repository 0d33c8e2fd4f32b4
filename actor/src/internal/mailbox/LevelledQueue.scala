package undercroft.actor
package internal.mailbox

import internal.cell.ActorCell

/** The ordered messages of a prioritized mailbox: a FIFO queue for each level. Owner thread only.
  *
  * {{{
  *   message queue --sort--> level 0: m3        handled first
  *   (FIFO)                  level 1:
  *                           level 2: m1 m2
  *   waitingLevels = 101 (binary)
  * }}}
  */
private[actor] final class LevelledQueue(levels: MessageLevels):
  private val queues = new Array[Ring[AnyRef] | Null](levels.count)

  /** A bit for each level that has messages. */
  private var waitingLevels = 0L

  def isEmpty: Boolean = waitingLevels == 0

  /** Queues a message behind all others of its level; one without a level at level 0, to fail soon.
    * Returns false, and changes nothing, if there is no memory for it.
    */
  def add(cell: ActorCell[?], message: AnyRef): Boolean =
    try
      var level = 0
      var ranked = message
      try level = levels.of(cell, message, isOwner = true)
      catch case failure: Throwable => ranked = UnrankedMessage(message, failure)
      addTo(level, ranked)
      true
    catch case _: OutOfMemoryError => false

  private def addTo(level: Int, message: AnyRef): Unit =
    val queue = queues(level) match
      case null =>
        val ring = Ring[AnyRef](FirstCapacity)
        queues(level) = ring
        ring
      case ring => ring
    queue.add(message)
    waitingLevels |= 1L << level

  /** Returns the message that [[poll]] would return. */
  def peek: AnyRef | Null =
    if isEmpty then null else queues(java.lang.Long.numberOfTrailingZeros(waitingLevels)).nn.peek

  /** Removes and returns the oldest message of the most urgent level, or null. */
  def poll(): AnyRef | Null =
    if isEmpty then null
    else
      val level = java.lang.Long.numberOfTrailingZeros(waitingLevels)
      val queue = queues(level).nn
      val message = queue.poll()
      if queue.isEmpty then
        waitingLevels &= ~(1L << level)
        if queue.capacity > MessageQueue.KeptCapacity then queues(level) = null
      message

  private inline val FirstCapacity = 4
end LevelledQueue
