package undercroft.buffer
package internal.segment

/** Searches and comparisons over all segments of a buffer, with JVM intrinsics where available. */
private[buffer] object SegmentSearch:
  def find(buffer: Buffer, byte: Byte, from: Long, until: Long): Long =
    val head = buffer.head
    val headBytes = head.size
    if from < headBytes && (head.owner eq buffer) then
      val end = Math.min(until, headBytes).toInt
      val index = head.find(head.pos + from.toInt, head.pos + end, byte)
      if index >= 0 then index - head.pos else findBehind(buffer, byte, headBytes, until)
    else findBehind(buffer, byte, from, until)

  private def findBehind(buffer: Buffer, byte: Byte, from: Long, until: Long): Long =
    scan(buffer, from, Math.min(until, buffer.size))(_.find(_, _, byte))

  def find(buffer: Buffer, bytes: ByteString, from: Long, until: Long): Long =
    val last = Math.min(buffer.size - bytes.size, until - 1)
    if bytes.isEmpty then if from <= last then from else -1
    else if bytes.size == 1 then find(buffer, bytes(0), from, last + 1)
    else findAll(buffer, bytes.data, from, last + 1)

  /** Searches the places of each segment that has all bytes of a match; then, one by one, the last
    * places of the segment, where a match continues in the next one.
    */
  private def findAll(buffer: Buffer, bytes: Array[Byte], from: Long, last: Long): Long =
    var at = from
    var i = if from < last then buffer.indexAt(from) else 0
    var index = -1L
    while index < 0 && at < last do
      val segment = buffer.segment(i)
      val begin = buffer.placeIn(segment, at)
      val step = buffer.progress(Math.min(last - at, segment.limit - begin).toInt)
      val inside = Math.max(begin, Math.min(begin + step, segment.limit - bytes.length + 1))
      val place = segment.find(begin, inside, bytes)
      if place >= 0 then index = at + (place - begin)
      else
        val end = at + step
        at += inside - begin
        while index < 0 && at < end do
          if holds(buffer, at, bytes, 0, bytes.length) then index = at
          at += 1
        at = end
      i += 1
    index
  end findAll

  /** The first offset, from `from` on, at which the bytes may begin although the buffer does not
    * have all of them: they begin with its last bytes, or behind it. At least `until` if further
    * bytes change nothing.
    */
  def firstPrefix(buffer: Buffer, bytes: ByteString, from: Long, until: Long): Long =
    var at = Math.max(from, buffer.size - bytes.size + 1)
    val end = Math.min(buffer.size, until)
    while at < end && !holds(buffer, at, bytes.data, 0, (buffer.size - at).toInt) do at += 1
    at

  def findElement(buffer: Buffer, bytes: ByteString, from: Long): Long =
    val elements = bytes.data
    scan(buffer, from, buffer.size)(_.findElement(_, _, elements))

  /** The first result of `find` over the bytes of `[from, last)`, segment by segment, or -1. */
  private inline def scan(buffer: Buffer, from: Long, last: Long)(
      inline find: (Segment, Int, Int) => Int
  ): Long =
    var at = from
    var i = if from < last then buffer.indexAt(from) else 0
    var index = -1
    while index < 0 && at < last do
      val segment = buffer.segment(i)
      val begin = buffer.placeIn(segment, at)
      val step = buffer.progress(Math.min(last - at, segment.limit - begin).toInt)
      index = find(segment, begin, begin + step)
      if index >= 0 then at += index - begin else at += step
      i += 1
    if index >= 0 then at else -1

  /** Whether the buffer has at `offset` the `count` bytes of `bytes` from `begin` on; it must be
    * long enough.
    */
  def holds(buffer: Buffer, offset: Long, bytes: Array[Byte], begin: Int, count: Int): Boolean =
    val head = buffer.head
    if offset + count <= head.size then
      val from = head.pos + offset.toInt
      head.same(from, bytes, begin, count)
    else holdsSplit(buffer, offset, bytes, begin, count)

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
