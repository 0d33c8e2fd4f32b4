package undercroft.buffer

import java.util.Arrays

/** The bytes of a large [[ByteString]], in segments that it shares with buffers. Any thread.
  *
  * {{{
  *   segments   [ ....bytes ] [ bytes ] [ bytes... ]
  *   ends              |          |        |           the string's index after each
  * }}}
  *
  * The string keeps them until the garbage collector finds it dropped; then they go home. Whoever
  * reads them keeps the string reachable.
  */
private[buffer] final class SharedBytes(segments: Array[Segment], ends: Array[Int])
    extends Runnable:
  @volatile private var copied: Array[Byte] | Null = null

  def size: Int = ends(ends.length - 1)

  /** All of them as one array, which is made once. */
  def flat: Array[Byte] =
    val known = copied
    if known != null then known
    else
      val made = copy(0, size)
      copied = made
      made

  def apply(index: Int): Byte =
    java.util.Objects.checkIndex(index, size): Unit
    val i = at(index)
    segments(i).byte(place(i, index))

  def copy(from: Int, until: Int): Array[Byte] =
    val target = new Array[Byte](until - from)
    copyInto(from, target, 0, until - from)
    target

  def copyInto(from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    val _ = pieces(from, from + count): (it, begin, some, done) =>
      it.get(begin, target, at + done, some)
      true

  /** Whether these bytes are in `other` from an index on. */
  def same(from: Int, other: Array[Byte], begin: Int, count: Int): Boolean =
    pieces(from, from + count): (it, at, some, done) =>
      it.same(at, other, begin + done, some)

  def hash: Int =
    var hash = 1
    val _ = pieces(0, size): (it, from, count, _) =>
      var i = from
      while i < from + count do
        hash = 31 * hash + it.byte(i)
        i += 1
      true
    hash

  /** Calls `visit` with the array, the first index and the count of each piece. */
  def arrays(visit: (Array[Byte], Int, Int) => Unit): Unit =
    val scratch = Scratch()
    try
      val _ = pieces(0, size): (it, from, count, _) =>
        var done = 0
        while done < count do
          val some = scratch.most(it, count - done)
          visit(scratch.array(it, from + done, some), scratch.index(it, from + done), some)
          done += some
        true
    finally scratch.close()

  /** All of them, or none. */
  def appendTo(buffer: Buffer): Unit = buffer.whole:
    segments.foreach(it => buffer.piece(it, it.pos, it.size))

  /** The segments go home. */
  def run(): Unit = segments.foreach(it => it.pool.recycle(it))

  /** Calls `visit` with segment, index, count and the bytes before, until it answers false. */
  inline def pieces(from: Int, until: Int)(
      inline visit: (Segment, Int, Int, Int) => Boolean
  ): Boolean =
    var at = from
    var i = if from < until then this.at(from) else 0
    var more = true
    while more && at < until do
      val begin = place(i, at)
      val some = Math.min(until, ends(i)) - at
      more = visit(segments(i), begin, some, at - from)
      at += some
      i += 1
    more

  private def at(index: Int): Int =
    val found = Arrays.binarySearch(ends, index)
    if found >= 0 then found + 1 else -found - 1

  private def place(i: Int, index: Int): Int = segments(i).limit - (ends(i) - index)
end SharedBytes

private[buffer] object SharedBytes:
  /** Smaller strings are copies: cheaper than the cleaner's record, and they keep no segment from
    * its pool.
    */
  inline val LeastBytes = 65536

  /** The first bytes of a buffer. */
  def of(buffer: Buffer, byteCount: Int): SharedBytes =
    val count = buffer.indexAt(byteCount - 1) + 1
    val segments = new Array[Segment](count)
    val ends = new Array[Int](count)
    var done = 0
    var i = 0
    while i < count do
      val part = buffer.segment(i).share()
      part.limit = Math.min(part.limit, part.pos + byteCount - done)
      part.until = part.limit
      done += part.size
      segments(i) = part
      ends(i) = done
      i += 1
    SharedBytes(segments, ends)
end SharedBytes
