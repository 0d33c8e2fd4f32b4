package undercroft.buffer
package internal.segment

/** Gives access to bytes of segments as arrays, for APIs that accept nothing else: in place for
  * heap segments, otherwise as copies of at most [[Scratch.Bytes]] at a time.
  *
  * For one operation of one thread, which closes it. The array for copies is a segment of the
  * default pool, taken on first use.
  */
private[buffer] final class Scratch:
  private var storage: Segment | Null = null
  private var wipe = false

  private def ownArray: Array[Byte] =
    val current = storage
    val segment = if current != null then current else SegmentPool.default.take()
    storage = segment
    segment.data.nn

  /** Number of bytes, at most `count`, that one array can give access to. */
  def most(segment: Segment, count: Long): Int =
    Math.min(count, if segment.data != null then Int.MaxValue else Scratch.Bytes).toInt

  /** An array with bytes of a segment, from [[index]] on; `count` must not exceed the result of
    * [[most]].
    */
  def array(segment: Segment, at: Int, count: Int): Array[Byte] =
    val bytes = segment.data
    if bytes != null then bytes
    else
      wipe |= segment.pool.wipe
      segment.get(at, ownArray, 0, count)
      ownArray

  def index(segment: Segment, at: Int): Int = if segment.data != null then at else 0

  def close(): Unit =
    val segment = storage
    if segment != null then
      storage = null
      Scratch.giveBack(segment, wipe)
end Scratch

private[buffer] object Scratch:
  /** Bytes that are copied at a time: the size of a segment of the default pool. */
  inline val Bytes = SegmentPool.SegmentBytes

  /** Runs `body` with an array of [[Bytes]] bytes, not zeroed, for bytes of a pool. */
  inline def use[A](pool: SegmentPool)(inline body: Array[Byte] => A): A =
    val segment = SegmentPool.default.take()
    try body(segment.data.nn)
    finally giveBack(segment, pool.wipe)

  /** Recycles the array; wiped first if its bytes came from a pool that wipes. */
  def giveBack(segment: Segment, wipe: Boolean): Unit =
    if wipe then segment.fill(0, segment.capacity, 0)
    SegmentPool.default.recycle(segment)
end Scratch
