package undercroft.memory
package internal.alloc

import java.util.{TreeMap, TreeSet}

/** Free spans of pages: adjacent spans are coalesced, and allocation is best-fit.
  *
  * Not thread-safe: the pool's lock guards it. Every operation costs O(log n) in the number of
  * spans.
  */
private[memory] final class FreeSpans:
  private val byStart = TreeMap[Long, Long]()
  // Pages in the upper half, start in the lower: the first entry from a size upwards is the best
  // fit.
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

  /** Takes exactly `pages` pages from the beginning of the best fit; -1 if no span is large enough.
    */
  def take(pages: Long): Long =
    val from = bySize.tailSet(key(0, pages), true)
    if from.isEmpty then -1L
    else
      val span = from.first
      val start = span & ((1L << FreeSpans.PageNumberBits) - 1)
      val spanPages = span >>> FreeSpans.PageNumberBits
      remove(start, spanPages)
      if spanPages > pages then insert(start + pages, spanPages - pages)
      start

  /** Takes the page that `choose(start, pages)` returns for the first span for which that is not
    * negative, in ascending order of start, and the pages after it, `count` pages in total; -1 if
    * there is no such span.
    */
  def takePage(choose: (Long, Long) => Long, count: Long = 1): Long =
    val spans = byStart.entrySet.iterator
    var (start, pages, page) = (0L, 0L, -1L)
    while page < 0 && spans.hasNext do
      val span = spans.next
      start = span.getKey
      pages = span.getValue
      page = choose(start, pages)
    if page >= 0 then
      remove(start, pages)
      if page > start then insert(start, page - start)
      val rest = page + count
      if start + pages > rest then insert(rest, start + pages - rest)
    page

  /** Calls `visit(start, pages)` for each span, in ascending order of start. */
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
