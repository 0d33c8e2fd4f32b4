package undercroft.memory

import java.util.{TreeMap, TreeSet}

/** Free spans of pages: neighbours grow together, and the smallest that fits is taken first.
  *
  * Not thread-safe: the pool's lock guards it. Every operation costs O(log n) of the spans.
  */
private[memory] final class FreeSpans:
  private val byStart = TreeMap[Long, Long]()
  // Pages in the upper half, start in the lower: the first entry from a size upwards fits best.
  private val bySize = TreeSet[Long]()

  private def key(start: Long, pages: Long): Long = pages << FreeSpans.PageNumberBits | start

  def add(start: Long, pages: Long): Unit =
    var from = start
    var until = start + pages
    val before = byStart.floorEntry(start)
    if before != null && before.getKey + before.getValue == from then
      from = before.getKey
      remove(from, before.getValue)
    val after = byStart.getOrDefault(until, 0L)
    if after > 0 then
      remove(until, after)
      until += after
    insert(from, until - from)

  /** Takes exactly `pages` pages out of the best fit, from its beginning; -1 where nothing fits. */
  def take(pages: Long): Long =
    val from = bySize.tailSet(key(0, pages), true)
    if from.isEmpty then -1L
    else
      val found = from.first
      val start = found & ((1L << FreeSpans.PageNumberBits) - 1)
      val held = found >>> FreeSpans.PageNumberBits
      remove(start, held)
      if held > pages then insert(start + pages, held - pages)
      start

  /** Calls `visit(start, pages)` for each span, from the lowest. */
  def foreach(visit: (Long, Long) => Unit): Unit =
    byStart.forEach((start, pages) => visit(start, pages))

  private def insert(start: Long, pages: Long): Unit =
    val _ = byStart.put(start, pages)
    val _ = bySize.add(key(start, pages))

  private def remove(start: Long, pages: Long): Unit =
    val _ = byStart.remove(start)
    val _ = bySize.remove(key(start, pages))
end FreeSpans

private[memory] object FreeSpans:
  /** 2^28 pages of 64 KiB are 16 TiB. */
  private val PageNumberBits = 28
