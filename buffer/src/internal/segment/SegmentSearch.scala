package undercroft.buffer
package internal.segment

/** Searches and comparisons over all segments of a buffer, with JVM intrinsics where available. */
private[buffer] object SegmentSearch:
  def find(buffer: Buffer, byte: Byte, from: Long, until: Long): Long =
    val last = Math.min(until, buffer.size)
    var at = from
    var i = if from < last then buffer.indexAt(from) else 0
    var index = -1
    while index < 0 && at < last do
      val segment = buffer.segment(i)
      val begin = buffer.placeIn(segment, at)
      val step = buffer.progress(Math.min(last - at, segment.limit - begin).toInt)
      index = segment.find(begin, begin + step, byte)
      if index >= 0 then at += index - begin else at += step
      i += 1
    if index >= 0 then at else -1

  def find(buffer: Buffer, bytes: ByteString, from: Long, until: Long): Long =
    val last = Math.min(buffer.size - bytes.size, until - 1)
    if bytes.isEmpty then if from <= last then from else -1
    else
      var at = if from <= last then find(buffer, bytes(0), from, last + 1) else -1L
      while at >= 0 && !holds(buffer, at, bytes, 0, bytes.size) do
        at = find(buffer, bytes(0), at + 1, last + 1)
      at

  def findElement(buffer: Buffer, bytes: ByteString, from: Long): Long =
    var index = -1L
    var at = from
    while index < 0 && at < buffer.size do
      val segment = buffer.segment(buffer.indexAt(at))
      var i = buffer.placeIn(segment, at)
      val begin = i
      buffer.progress(segment.limit - begin): Unit
      while i < segment.limit && !contains(bytes, segment.byte(i)) do i += 1
      if i < segment.limit then index = at + i - begin else at += i - begin
    index

  private def contains(bytes: ByteString, byte: Byte): Boolean =
    var i = 0
    while i < bytes.size && bytes(i) != byte do i += 1
    i < bytes.size

  /** Whether the buffer has at `offset` the `count` bytes of `bytes` from `begin` on; it must be
    * long enough.
    */
  def holds(buffer: Buffer, offset: Long, bytes: ByteString, begin: Int, count: Int): Boolean =
    val head = buffer.head
    if offset + count <= head.size then
      val from = head.pos + offset.toInt
      head.same(from, bytes.data, begin, count)
    else holdsSplit(buffer, offset, bytes.data, begin, count)

  private def holdsSplit(
      buffer: Buffer,
      offset: Long,
      bytes: Array[Byte],
      begin: Int,
      count: Int
  ): Boolean =
    var done = 0
    var i = buffer.indexAt(offset)
    var isEqual = true
    while isEqual && done < count do
      val segment = buffer.segment(i)
      val from = buffer.placeIn(segment, offset + done)
      val step = buffer.progress(Math.min(count - done, segment.limit - from))
      isEqual = segment.same(from, bytes, begin + done, step)
      done += step
      i += 1
    isEqual

  def mismatch(left: Buffer, right: Buffer): Long =
    val commonSize = Math.min(left.size, right.size)
    var at = 0L
    var (i, j) = (0, 0)
    var differ = -1
    while differ < 0 && at < commonSize do
      val (a, b) = (left.segment(i), right.segment(j))
      val (from, begin) = (left.placeIn(a, at), right.placeIn(b, at))
      val room = Math.min(a.limit - from, b.limit - begin)
      val step = left.progress(Math.min(commonSize - at, room).toInt)
      differ = a.mismatch(from, b, begin, step)
      if differ >= 0 then at += differ
      else
        at += step
        if from + step == a.limit then i += 1
        if begin + step == b.limit then j += 1
    if differ >= 0 || left.size != right.size then at else -1

  /** A hash over words of eight bytes, independent of segment boundaries; words are mixed as in
    * MurmurHash64A (Austin Appleby, 2008, public domain).
    */
  def hash(buffer: Buffer): Int =
    var hash = buffer.size * Mix
    var word = 0L
    var bits = 0
    var i = 0
    while i < buffer.segmentCount do
      val segment = buffer.segment(i)
      var at = segment.pos
      while at < segment.limit do
        if at + 8 <= segment.limit then
          val next = segment.long(at)
          hash = mixed(hash, word | next << bits)
          // The JVM takes shift distances modulo 64, so a shift by 64 would be a shift by 0.
          word = if bits == 0 then 0 else next >>> (64 - bits)
          at += 8
        else
          word |= (segment.byte(at) & 0xffL) << bits
          bits += 8
          at += 1
          if bits == 64 then
            hash = mixed(hash, word)
            word = 0
            bits = 0
      i += 1
    if bits > 0 then hash = mixed(hash, word)
    hash ^= hash >>> 47
    hash *= Mix
    (hash ^ (hash >>> 32)).toInt
  end hash

  private inline val Mix = 0xc6a4a7935bd1e995L

  private inline def mixed(hash: Long, word: Long): Long =
    val product = word * Mix
    (hash ^ ((product ^ (product >>> 47)) * Mix)) * Mix
end SegmentSearch
