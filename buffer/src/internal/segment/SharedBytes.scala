package undercroft.buffer
package internal.segment

import java.lang.ref.Cleaner.Cleanable
import java.util.Arrays
import java.util.concurrent.atomic.AtomicInteger

/** The bytes of a large [[ByteString]], in segments shared with buffers. Thread-safe.
  *
  * {{{
  *   segments   [ ....bytes ] [ bytes ] [ bytes... ]
  *   ends              |          |        |           the string's index after each
  * }}}
  *
  * The string and each read in progress hold the segments; the last that releases them recycles
  * them. The string releases them when it is closed, or when the garbage collector finds it
  * unreachable, so readers must keep the string reachable.
  */
private[buffer] final class SharedBytes(segments: Array[Segment], ends: Array[Int])
    extends Runnable:
  @volatile private var copied: Array[Byte] | Null = null

  /** The string, until it is closed, and the reads in progress; it stays 0 once it is 0. */
  private val holds = AtomicInteger(1)
  @volatile private var closed = false
  private var cleanable: Cleanable | Null = null

  /** Sets the cleaner's record of the string, before the string is used. */
  def closedBy(cleanable: Cleanable): Unit = this.cleanable = cleanable

  /** Closes the string, once. */
  def close(): Unit = cleanable.nn.clean()

  def isClosed: Boolean = closed

  /** Begins a read, during which no segment is recycled. */
  def acquire(): Unit =
    var isHeld = false
    while !isHeld do
      val count = holds.get
      if closed || count == 0 then throw SharedBytes.closed
      isHeld = holds.compareAndSet(count, count + 1)

  /** Ends a read. */
  def release(): Unit =
    if holds.decrementAndGet() == 0 then
      copied = null
      segments.foreach(segment => segment.pool.recycle(segment))

  def size: Int = ends(ends.length - 1)

  /** The size of a string that is not closed. */
  def openSize: Int = if closed then throw SharedBytes.closed else size

  /** The same bytes for another string. The caller holds the segments. */
  def share(): SharedBytes = SharedBytes(segments.map(_.share(null)), ends)

  /** All bytes as one array, created on first use. */
  def flat: Array[Byte] =
    val bytes = copied
    if bytes != null then bytes
    else
      val newBytes = copy(0, size)
      copied = newBytes
      newBytes

  def apply(index: Int): Byte =
    java.util.Objects.checkIndex(index, size): Unit
    val i = at(index)
    segments(i).byte(place(i, index))

  def copy(from: Int, until: Int): Array[Byte] =
    val target = new Array[Byte](until - from)
    copyInto(from, target, 0, until - from)
    target

  def copyInto(from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    val _ = pieces(from, from + count): (segment, begin, step, done) =>
      segment.get(begin, target, at + done, step)
      true

  /** Whether the bytes from `from` on equal the `count` bytes of `other` from `begin` on. */
  def same(from: Int, other: Array[Byte], begin: Int, count: Int): Boolean =
    pieces(from, from + count): (segment, at, step, done) =>
      segment.same(at, other, begin + done, step)

  def hash: Int =
    var hash = 1
    val _ = pieces(0, size): (segment, from, count, _) =>
      var i = from
      while i < from + count do
        hash = 31 * hash + segment.byte(i)
        i += 1
      true
    hash

  /** Calls `visit` with the array, the first index and the count of each piece. */
  def arrays(visit: (Array[Byte], Int, Int) => Unit): Unit =
    val scratch = Scratch()
    try
      val _ = pieces(0, size): (segment, from, count, _) =>
        var done = 0
        while done < count do
          val step = scratch.most(segment, count - done)
          val at = from + done
          visit(scratch.array(segment, at, step), scratch.index(segment, at), step)
          done += step
        true
    finally scratch.close()

  /** Appends all bytes, or none. */
  def appendTo(buffer: Buffer): Unit = buffer.whole:
    segments.foreach(segment => buffer.piece(null, segment, segment.pos, segment.size))

  /** Called once, by the string's close or its cleaner. */
  def run(): Unit =
    closed = true
    release()

  /** Calls `visit` with the segment, index and count of each piece and the number of bytes before
    * it, until it returns false.
    */
  inline def pieces(from: Int, until: Int)(
      inline visit: (Segment, Int, Int, Int) => Boolean
  ): Boolean =
    var at = from
    var i = if from < until then this.at(from) else 0
    var isUnfinished = true
    while isUnfinished && at < until do
      val begin = place(i, at)
      val step = Math.min(until, ends(i)) - at
      isUnfinished = visit(segments(i), begin, step, at - from)
      at += step
      i += 1
    isUnfinished

  private def at(index: Int): Int =
    val position = Arrays.binarySearch(ends, index)
    if position >= 0 then position + 1 else -position - 1

  private def place(i: Int, index: Int): Int = segments(i).limit - (ends(i) - index)
end SharedBytes

private[buffer] object SharedBytes:
  def closed: ClosedException = ClosedException("the byte string")

  /** Smallest size that is shared. A copy of a smaller string is cheaper than a cleaner
    * registration and keeps no segment from its pool.
    */
  inline val LeastBytes = 65536

  /** Shares the first bytes of a buffer. */
  def of(buffer: Buffer, byteCount: Int): SharedBytes =
    val count = buffer.indexAt(byteCount - 1) + 1
    val segments = new Array[Segment](count)
    val ends = new Array[Int](count)
    var done = 0
    var i = 0
    while i < count do
      val part = buffer.segment(i).share(buffer)
      part.limit = part.pos + Math.min(part.size, byteCount - done)
      part.until = part.limit
      done += part.size
      segments(i) = part
      ends(i) = done
      i += 1
    SharedBytes(segments, ends)
end SharedBytes
