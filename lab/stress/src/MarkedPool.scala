package undercroft.buffer

import internal.segment.Segment

/** A pool with one idle segment, whose ends hold the same mark, for tests in Java. */
final class MarkedPool(pool: SegmentPool):
  pool.recycle(marked(pool.take(), 7))
  private val before = pool.metrics

  /** Takes a segment; [[isTorn]] checks whether its ends hold different marks. */
  def take(): Segment = pool.take()
  def isTorn(segment: Segment): Boolean = segment.byte(0) != segment.byte(segment.capacity - 1)

  /** Takes a segment, marks it and gives it back. */
  def pass(mark: Int): Unit = pool.recycle(marked(pool.take(), mark))

  /** Writes a mark to both ends. */
  def marked(segment: Segment, mark: Int): Segment =
    segment.setByte(0, mark.toByte)
    segment.setByte(segment.capacity - 1, mark.toByte)
    segment

  def holds(segment: Segment, mark: Int): Boolean =
    segment.byte(0) == mark && !isTorn(segment)

  /** Returns both segments, and checks the pool's counters: two outstanding segments before, none
    * after, and `taken` takes. Returns the result as text.
    */
  def settle(first: Segment, second: Segment, taken: Int): String =
    val out = pool.metrics
    pool.recycle(first)
    pool.recycle(second)
    val home = pool.metrics
    val counted = out.hits + out.misses - before.hits - before.misses
    if out.live == 2 && home.live == 0 && counted == taken then "exact"
    else s"live ${out.live}, then ${home.live}, taken $counted"
end MarkedPool

object MarkedPool:
  def synchronizedPool(): MarkedPool = MarkedPool(SegmentPool.synchronizedPool())
  def lockFree(): MarkedPool = MarkedPool(SegmentPool.lockFree())
  def striped(): MarkedPool = MarkedPool(SegmentPool.striped(stripes = 2))
  def perProcessor(): MarkedPool = MarkedPool(SegmentPool.perCpu(stripes = 2))
