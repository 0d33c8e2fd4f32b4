package undercroft.buffer

/** Shows bytes of segments as arrays, to what takes nothing else: as they are where they are in an
  * array, and else as a copy of at most [[Scratch.Bytes]] at a time.
  *
  * For one operation of one thread, which closes it. The array for copies is a segment of the
  * default pool, taken when it is first needed.
  */
private[buffer] final class Scratch:
  private var taken: Segment | Null = null
  private var wipe = false

  private def own: Array[Byte] =
    val known = taken
    val segment = if known != null then known else SegmentPool.default.take()
    taken = segment
    segment.data.nn

  /** How many of `count` bytes are shown at a time. */
  def most(it: Segment, count: Long): Int =
    Math.min(count, if it.data != null then Int.MaxValue else Scratch.Bytes).toInt

  /** The array that has bytes of a segment, from [[index]] on; no more than [[most]] tells. */
  def array(it: Segment, at: Int, count: Int): Array[Byte] =
    val bytes = it.data
    if bytes != null then bytes
    else
      wipe |= it.pool.wipe
      it.get(at, own, 0, count)
      own

  def index(it: Segment, at: Int): Int = if it.data != null then at else 0

  def close(): Unit =
    val segment = taken
    if segment != null then
      taken = null
      Scratch.giveBack(segment, wipe)
end Scratch

private[buffer] object Scratch:
  /** Bytes that are copied at a time: what a segment of the default pool has. */
  inline val Bytes = SegmentPool.SegmentBytes

  /** Uses an array of [[Bytes]] bytes, of any content, for bytes of a pool. */
  inline def use[A](pool: SegmentPool)(inline body: Array[Byte] => A): A =
    val segment = SegmentPool.default.take()
    try body(segment.data.nn)
    finally giveBack(segment, pool.wipe)

  /** What a pool wipes is wiped here too. */
  def giveBack(segment: Segment, wipe: Boolean): Unit =
    if wipe then segment.fill(0, segment.capacity, 0)
    SegmentPool.default.recycle(segment)
end Scratch
