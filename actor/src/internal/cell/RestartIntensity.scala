package undercroft.actor
package internal.cell

/** Restart intensity: counts recent restarts. Not thread-safe. */
private[actor] final class RestartIntensity:
  private val times = java.util.ArrayDeque[Long](4)

  /** Whether one more restart at `now` is within the limit; if so, records it. */
  def may(limit: Int, withinNanos: Long, now: Long): Boolean =
    while !times.isEmpty && now - times.peekFirst > withinNanos do times.removeFirst(): Unit
    val isWithinLimit = times.size < limit
    if isWithinLimit then times.addLast(now)
    isWithinLimit
