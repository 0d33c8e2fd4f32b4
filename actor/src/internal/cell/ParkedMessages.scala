package undercroft.actor
package internal.cell

/** The parked messages of a system. Thread-safe, by a lock. */
private[actor] final class ParkedMessages(limit: Int):
  private val parked = java.util.ArrayDeque[ParkedMessage]()

  /** Adds a message. Returns the oldest one if there is no room for both, else null. */
  def add(message: ParkedMessage): ParkedMessage | Null = synchronized:
    parked.addLast(message)
    if parked.size > limit then parked.pollFirst else null

  /** Removes and returns all messages, in their order. */
  def takeAll(): Vector[ParkedMessage] = synchronized:
    val messages = Vector.newBuilder[ParkedMessage]
    while !parked.isEmpty do messages += parked.pollFirst.nn
    messages.result()
end ParkedMessages
