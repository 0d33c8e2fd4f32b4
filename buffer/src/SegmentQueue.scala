package undercroft.buffer

import java.util.ConcurrentModificationException

/** The segments of a buffer, in a ring: bytes are appended behind and dropped in front.
  *
  * {{{
  *   ring        .  .  head  ·  ·  ·  tail  .
  *   positions        begin  ..  end
  * }}}
  *
  * No segment in it is empty. A position is found by halving, because each segment knows its own.
  */
private[buffer] abstract class SegmentQueue(private[undercroft] val pool: SegmentPool):
  private var ring = new Array[Segment | Null](4)
  private var first = 0
  private var count = 0

  /** The first and the last segment; of an empty queue one without bytes and without room. */
  private[buffer] var head: Segment = Segment.Nothing
  private[buffer] var tail: Segment = Segment.Nothing

  // The position where an empty queue goes on. While there are segments, the first and the last of
  // them tell where the bytes begin and end, so that a read or a write changes one field only.
  private var resume = 0L

  /** The position of the next byte to be read. */
  private[buffer] final def begin: Long = if count == 0 then resume else head.base + head.pos

  /** The position of the next byte to be appended. */
  private[buffer] final def end: Long = if count == 0 then resume else tail.base + tail.limit

  /** Bytes that are there. */
  private[buffer] final def used: Long =
    val bytes = tail.base + tail.limit - head.base - head.pos
    if bytes < 0 then checkFree()
    bytes

  /** How often bytes at the end were dropped, whose positions others may have since. */
  private[buffer] var cuts = 0

  // How many bytes native code has, or -1. Meanwhile what stands for the first and the last segment
  // has no room and makes the bytes in use less than none, so that every use comes to a check.
  private var lent = -1L

  /** Nobody uses it from now on, until [[free]]. */
  private[buffer] final def reserve(): Unit =
    lent = used
    val from = begin
    head = Segment.empty(from)
    tail = Segment.empty(from - 1)
    cuts = ~cuts

  private[buffer] final def free(): Unit =
    lent = -1
    head = if count == 0 then Segment.Nothing else segment(0)
    tail = if count == 0 then Segment.Nothing else segment(count - 1)
    cuts = ~cuts

  private[buffer] final def checkFree(): Unit =
    if lent >= 0 then throw IllegalStateException(s"native code reads the buffer, its $lent bytes")

  private[buffer] final def isLent: Boolean = lent >= 0

  private[buffer] final def segmentCount: Int = count
  private[buffer] final def segment(i: Int): Segment = ring((first + i) & (ring.length - 1)).nn

  /** A segment with room for a byte at least, which the caller appends now. */
  private[buffer] final def writable(): Segment =
    if tail.limit < tail.until then tail
    else
      checkFree()
      val fresh = pool.take()
      link(fresh)
      fresh

  /** A segment with room for `least` bytes, which are no more than a segment of the pool has. */
  private[buffer] final def writable(least: Int): Segment =
    if tail.until - tail.limit < least then
      checkFree()
      link(pool.take())
    tail

  /** Tells that the last segment has `bytes` more. */
  private[buffer] final def grown(bytes: Int): Unit =
    val last = tail
    val end = last.limit + bytes
    if end > last.until then throw changed("bytes were appended")
    last.limit = end

  /** Appends all of something, or nothing. */
  private[buffer] inline def whole(inline append: Unit): Unit =
    checkFree()
    val before = end
    try append
    catch
      case e: Throwable =>
        cutTo(before)
        throw e

  private[buffer] final def cutTo(before: Long): Unit =
    withdrawEmpty()
    if end > before then cut(end - before)

  // The segment whose bytes somebody else's code has in its hands: it must not go home then.
  private var held: Segment | Null = null

  /** Runs somebody else's code, which is given bytes of this, the last in a segment, or room there.
    * If that code empties the buffer itself it gets an error, and the buffer is as it was.
    */
  private[buffer] inline def holding[A](segment: Segment)(inline body: A): A =
    hold(segment)
    try body
    finally letGo()

  private[buffer] final def hold(segment: Segment): Unit =
    if held != null then throw changed("it was used again")
    held = segment

  private[buffer] final def letGo(): Unit = held = null

  private[buffer] final def changed(what: String): ConcurrentModificationException =
    ConcurrentModificationException(
      s"$what while the buffer was filled or emptied, at positions [$begin, $end)"
    )

  /** Takes over a segment and its bytes; copies them where the last segment has room for all. */
  private[buffer] final def push(segment: Segment): Unit =
    val bytes = segment.size
    if bytes <= tail.until - tail.limit then
      segment.get(segment.pos, tail, tail.limit, bytes)
      grown(bytes)
      segment.pool.recycle(segment)
    else link(segment)

  /** Hands the first segment over to the caller. */
  private[buffer] final def pop(): Segment =
    val segment = head
    unlink()
    segment

  /** Drops bytes at the end, which are there. */
  private[buffer] final def cut(bytes: Long): Unit =
    cuts += 1
    var rest = bytes
    while rest > 0 do
      val it = tail
      val some = Math.min(rest, it.size).toInt
      // Others may show what is above the limit then: this one must not append over it.
      if !it.isAlone then it.until = it.limit - some
      it.limit -= some
      rest -= some
      withdrawEmpty()

  /** Drops bytes that are there. */
  private[buffer] final def drop(bytes: Long): Unit =
    var rest = bytes
    while rest > 0 do
      val some = Math.min(rest, head.size)
      consumed(some.toInt)
      rest -= some

  /** Tells that the first segment has `bytes` fewer. */
  private[buffer] final def consumed(bytes: Int): Unit =
    val segment = head
    val at = segment.pos + bytes
    if at < segment.limit then segment.pos = at else spent(segment, at)

  private def spent(segment: Segment, at: Int): Unit =
    if at > segment.limit || count == 0 then throw changed("bytes were consumed")
    unlink()
    segment.pool.recycle(segment)

  /** Which segment holds a byte that is there, counted from the next one to be read. */
  private[buffer] final def indexAt(offset: Long): Int =
    val position = begin + offset
    // Where all segments are full, a shift tells which one it is.
    val guess = Math.min((position - head.base) >>> pool.segmentShift, count - 1).toInt
    val likely = segment(guess)
    if position >= likely.base + likely.pos && position < likely.base + likely.limit then guess
    else
      var low = 0
      var high = count - 1
      while low < high do
        val middle = (low + high + 1) >>> 1
        val it = segment(middle)
        if position < it.base + it.pos then high = middle - 1 else low = middle
      low

  /** Where in its segment that byte is. */
  private[buffer] final def placeIn(segment: Segment, offset: Long): Int =
    (begin + offset - segment.base).toInt

  private def link(segment: Segment): Unit =
    segment.base = end - segment.pos
    if count == ring.length then
      val longer = new Array[Segment | Null](count * 2)
      System.arraycopy(ring, first, longer, 0, count - first)
      System.arraycopy(ring, 0, longer, count - first, first)
      ring = longer
      first = 0
    ring((first + count) & (ring.length - 1)) = segment
    count += 1
    tail = segment
    if count == 1 then head = segment

  /** Gives the last segment back if it stayed empty. */
  private[buffer] final def withdrawEmpty(): Unit = if count > 0 && tail.size == 0 then withdraw()

  private def withdraw(): Unit =
    val empty = tail
    if empty eq held then throw changed("the last segment was dropped")
    resume = empty.base + empty.limit
    count -= 1
    ring((first + count) & (ring.length - 1)) = null
    if count == 0 then
      head = Segment.Nothing
      tail = Segment.Nothing
    else tail = segment(count - 1)
    empty.pool.recycle(empty)

  private def unlink(): Unit =
    if held != null then throw changed("the first segment was consumed")
    resume = head.base + head.limit
    ring(first) = null
    first = (first + 1) & (ring.length - 1)
    count -= 1
    if count == 0 then
      head = Segment.Nothing
      tail = Segment.Nothing
    else head = segment(0)
end SegmentQueue
