package undercroft.buffer

/** Searches and comparisons over all segments of a buffer, by the JVM's own loops where it has
  * them.
  */
private[buffer] object Bulk:
  def find(buffer: Buffer, byte: Byte, from: Long, until: Long): Long =
    val last = Math.min(until, buffer.size)
    var at = from
    var i = if from < last then buffer.indexAt(from) else 0
    var found = -1
    while found < 0 && at < last do
      val it = buffer.segment(i)
      val begin = buffer.placeIn(it, at)
      val some = Math.min(last - at, it.limit - begin).toInt
      found = it.find(begin, begin + some, byte)
      if found >= 0 then at += found - begin else at += some
      i += 1
    if found >= 0 then at else -1

  def find(buffer: Buffer, bytes: ByteString, from: Long, until: Long): Long =
    val last = Math.min(buffer.size - bytes.size, until - 1)
    if bytes.isEmpty then if from <= last then from else -1
    else
      var at = if from <= last then find(buffer, bytes(0), from, last + 1) else -1L
      while at >= 0 && !holds(buffer, at, bytes, 0, bytes.size) do
        at = find(buffer, bytes(0), at + 1, last + 1)
      at

  def findElement(buffer: Buffer, bytes: ByteString, from: Long): Long =
    var found = -1L
    var at = from
    while found < 0 && at < buffer.size do
      val it = buffer.segment(buffer.indexAt(at))
      var i = buffer.placeIn(it, at)
      val begin = i
      while i < it.limit && !contains(bytes, it.byte(i)) do i += 1
      if i < it.limit then found = at + i - begin else at += i - begin
    found

  private def contains(bytes: ByteString, byte: Byte): Boolean =
    var i = 0
    while i < bytes.size && bytes(i) != byte do i += 1
    i < bytes.size

  /** Whether `count` of these bytes, from `begin` on, are at an offset, where as many are. */
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
    var same = true
    while same && done < count do
      val it = buffer.segment(i)
      val from = buffer.placeIn(it, offset + done)
      val some = Math.min(count - done, it.limit - from)
      same = it.same(from, bytes, begin + done, some)
      done += some
      i += 1
    same

  def mismatch(one: Buffer, other: Buffer): Long =
    val both = Math.min(one.size, other.size)
    var at = 0L
    var (i, j) = (0, 0)
    var differ = -1
    while differ < 0 && at < both do
      val (a, b) = (one.segment(i), other.segment(j))
      val (from, begin) = (one.placeIn(a, at), other.placeIn(b, at))
      val some = Math.min(both - at, Math.min(a.limit - from, b.limit - begin)).toInt
      differ = a.mismatch(from, b, begin, some)
      if differ >= 0 then at += differ
      else
        at += some
        if from + some == a.limit then i += 1
        if begin + some == b.limit then j += 1
    if differ >= 0 || one.size != other.size then at else -1

  /** A hash of words of eight bytes, wherever the edges of segments are: each word is mixed in as
    * MurmurHash64A does (Austin Appleby, 2008, public domain).
    */
  def hash(buffer: Buffer): Int =
    var hash = buffer.size * Mix
    var word = 0L
    var bits = 0
    var i = 0
    while i < buffer.segmentCount do
      val it = buffer.segment(i)
      var at = it.pos
      while at < it.limit do
        if at + 8 <= it.limit then
          val next = it.long(at)
          hash = mixed(hash, word | next << bits)
          // A shift by 64 would be one by 0.
          word = if bits == 0 then 0 else next >>> (64 - bits)
          at += 8
        else
          word |= (it.byte(at) & 0xffL) << bits
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
end Bulk
