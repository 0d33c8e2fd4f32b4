package undercroft.actor

/** How often something began anew of late. One thread. */
private[actor] final class Intensity:
  private val times = java.util.ArrayDeque[Long](4)

  /** Whether one more time at `now` is within the limit; if so, it is noted. */
  def may(limit: Int, withinNanos: Long, now: Long): Boolean =
    while !times.isEmpty && now - times.peekFirst > withinNanos do times.removeFirst(): Unit
    val is = times.size < limit
    if is then times.addLast(now)
    is
