package undercroft.buffer

import java.io.IOException
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer

/** Bytes into the segments of a buffer, and out of them; and segments that get bytes of their own.
  */
private[buffer] abstract class SegmentFlow(pool: SegmentPool) extends SegmentQueue(pool):
  private[buffer] final def append(bytes: Array[Byte], from: Int, count: Int): Unit =
    java.util.Objects.checkFromIndexSize(from, count, bytes.length): Unit
    val last = tail
    if count <= last.until - last.limit then
      last.put(last.limit, bytes, from, count)
      grown(count)
    else appendSplit(bytes, from, count)

  private def appendSplit(bytes: Array[Byte], from: Int, count: Int): Unit = whole:
    var at = from
    val until = from + count
    while at < until do
      val target = writable()
      val some = Math.min(until - at, target.until - target.limit)
      target.put(target.limit, bytes, at, some)
      grown(some)
      at += some

  /** Copies bytes of a segment of any kind. */
  private[buffer] final def appendFrom(it: Segment, from: Int, count: Int): Unit = whole:
    var at = from
    val until = from + count
    while at < until do
      val target = writable()
      val some = Math.min(until - at, target.until - target.limit)
      it.get(at, target, target.limit, some)
      grown(some)
      at += some

  private[buffer] final def append(bytes: MemorySegment): Unit = whole:
    var at = 0L
    while at < bytes.byteSize do
      val target = writable()
      val some = Math.min(bytes.byteSize - at, target.until - target.limit).toInt
      target.put(target.limit, bytes, at, some)
      grown(some)
      at += some

  /** Moves as many bytes as the target holds, which are there. */
  private[buffer] final def take(target: MemorySegment): Unit =
    var at = 0L
    while at < target.byteSize do
      val some = Math.min(target.byteSize - at, head.size).toInt
      head.get(head.pos, target, at, some)
      consumed(some)
      at += some

  /** Moves as many bytes as the array holds, which are there. */
  private[buffer] final def take(target: Array[Byte]): Unit =
    var at = 0
    while at < target.length do
      val some = Math.min(target.length - at, head.size)
      head.get(head.pos, target, at, some)
      consumed(some)
      at += some

  /** Appends what `fill` stores in an array from an index on, within as many bytes, at most `most`:
    * it answers how many, or -1, which is answered on.
    */
  private[buffer] final def filled(most: Long)(fill: (Array[Byte], Int, Int) => Int): Long =
    val target = writable()
    try
      val (at, from) = (target.limit, begin)
      val room = Math.min(target.until - at, most).toInt
      val array = target.data
      val some =
        if array != null then holding(target)(fill(array, at, room))
        else fillCopy(target, room, fill)
      filledBy(some, room, target, at, from)
    finally withdrawEmpty()

  /** Fills a copy, and then the target, unless that is not what it was. */
  private def fillCopy(target: Segment, room: Int, fill: (Array[Byte], Int, Int) => Int): Int =
    Scratch.use(target.pool): copy =>
      val at = target.limit
      val most = Math.min(room, Scratch.Bytes)
      val some = holding(target)(fill(copy, 0, most))
      if some > most then throw SegmentFlow.wrongAnswer(some, most)
      if some > 0 && target.limit == at then target.put(at, copy, 0, some)
      some

  /** Appends what a channel puts into a ByteBuffer of at most `most` bytes, as [[filled]] does. */
  private[buffer] final def filledInPlace(most: Long)(fill: ByteBuffer => Int): Long =
    val target = writable()
    try
      val (at, from) = (target.limit, begin)
      val room = Math.min(target.until - at, most).toInt
      val some = holding(target)(fill(target.view(at, room)))
      filledBy(some, room, target, at, from)
    finally withdrawEmpty()

  /** Ends filling: the buffer has to be as it was, and the answer one that can be. */
  private def filledBy(some: Int, room: Int, target: Segment, at: Int, from: Long): Long =
    if (tail ne target) || target.limit != at || begin != from then
      throw changed("bytes were read or written")
    if some < -1 || some > room then throw SegmentFlow.wrongAnswer(some, room)
    if some > 0 then grown(some)
    some

  /** Consumes bytes piece by piece, each after `visit` had it. */
  private[buffer] final def emptied(bytes: Long)(visit: (Array[Byte], Int, Int) => Unit): Unit =
    Search.checkCount(bytes)
    if bytes > used then throw EndOfInputException(s"$bytes bytes", begin, used)
    val scratch = Scratch()
    var rest = bytes
    try
      while rest > 0 do
        val it = head
        val at = it.pos
        val some = scratch.most(it, Math.min(rest, it.size))
        holding(it)(visit(scratch.array(it, at, some), scratch.index(it, at), some))
        if (head ne it) || it.pos != at then throw changed("bytes were read")
        consumed(some)
        rest -= some
    finally scratch.close()

  /** Makes a segment's bytes its own, to be changed: others go on showing the old ones. */
  private[buffer] final def own(segment: Segment): Unit =
    if !segment.isAlone then replace(segment, segment.pool.take())

  private var copied = 0L

  /** Bytes that were copied out of arrays since it was made, because native code was to have them.
    */
  final def copiedBytes: Long = copied

  /** All bytes in place, in as many pieces as they lie in, outside the heap: those in arrays are
    * copied there first.
    */
  private[buffer] final def outside(): Seq[MemorySegment] =
    checkFree()
    Vector.tabulate(segmentCount): i =>
      val it = segment(i)
      if it.data != null then
        replace(it, it.pool.native.take())
        copied += it.size
      it.memory.asSlice(it.pos, it.size)

  /** Gives a segment bytes of its own, in a fresh one of the same size; its old ones go home. */
  private def replace(segment: Segment, fresh: Segment): Unit =
    segment.get(segment.pos, fresh, segment.pos, segment.size)
    segment.exchange(fresh)
    fresh.pool.recycle(fresh)
end SegmentFlow

private[buffer] object SegmentFlow:
  /** Of a stream or a channel that says to have moved more bytes than it was given, or fewer than
    * none.
    */
  def wrongAnswer(bytes: Long, most: Long): IOException =
    IOException(s"a stream or channel that was given $most bytes answered $bytes")
