package undercroft.memory
package internal.alloc

import java.util.TreeMap

/** The parts of reservations that are not committed yet, by their ends, which stay where they are
  * while a reservation grows.
  *
  * Not thread-safe: the pool's lock guards it.
  */
private[memory] final class ReservedSpans:
  private val starts = TreeMap[Long, Long]()

  def add(start: Long, end: Long): Unit =
    val _ = starts.put(end, start)

  /** Moves the beginning of the part that ends at `end`. */
  def setStart(start: Long, end: Long): Unit = add(start, end)

  /** Removes the part that ends at `end` and returns its beginning. */
  def remove(end: Long): Long = starts.remove(end)

  /** Calls `visit(start, pages)` for each part, in ascending order. */
  def foreach(visit: (Long, Long) => Unit): Unit =
    starts.forEach((end, start) => visit(start, end - start))
