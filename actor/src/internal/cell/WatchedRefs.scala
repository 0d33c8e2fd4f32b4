package undercroft.actor
package internal.cell

import java.util.LinkedHashMap

/** The references by which an actor is watched: the actor itself, or an [[ExternalRef]] whose
  * lifetime it is. Each has the message that arrives when the actor has stopped, or null for a
  * [[Signal.Terminated]]. Owner thread only.
  */
private[actor] final class WatchedRefs:
  private var oldest: ActorRef[Nothing] | Null = null
  private var oldestMessage: Any = null
  private var others: LinkedHashMap[ActorRef[Nothing], Any] | Null = null

  def isEmpty: Boolean = oldest == null

  private def isOldest(ref: ActorRef[Nothing]): Boolean =
    val present = oldest
    present != null && present == ref

  /** Whether there is one besides the oldest. */
  def hasOthers: Boolean =
    val map = others
    map != null && !map.isEmpty

  /** The oldest reference, and its message. */
  def ref: ActorRef[Nothing] = oldest.nn
  def message: Any = oldestMessage

  /** Adds a reference, or replaces its message. */
  def put(ref: ActorRef[Nothing], message: Any): Unit =
    if isEmpty || isOldest(ref) then
      oldest = ref
      oldestMessage = message
    else
      val map = others.orCreate(LinkedHashMap[ActorRef[Nothing], Any](4))
      others = map
      val _ = map.put(ref, message)

  def remove(ref: ActorRef[Nothing]): Unit =
    val map = others
    if isOldest(ref) then removeOldest()
    else if map != null then
      val _ = map.remove(ref)

  def removeOldest(): Unit =
    val next = if hasOthers then others.nn.pollFirstEntry else null
    oldest = if next == null then null else next.getKey
    oldestMessage = if next == null then null else next.getValue
end WatchedRefs
