package undercroft.struct

/** Words of five bytes of a key above a number of 18 bits, sorted by a radix sort from the least
  * significant byte on (D. Knuth, The Art of Computer Programming 3, 5.2.5, algorithm R) that
  * leaves out bytes which all keys have in common. Their numbers are an order of rows.
  */
private[struct] final class SortWords(most: Int):
  private var words = new Array[Long](most)
  private var others = new Array[Long](most)
  private val counts = new Array[Int](SortWords.KeyBytes * 256)

  /** Stores the first bytes of a key, the first one highest, for a row. */
  def put(row: Int, key: Long): Unit =
    words(row) = (key >>> SortWords.KeyShift << SortWords.NumberBits) | row

  /** The row that is to be at a position. */
  def row(position: Int): Int = words(position).toInt & SortWords.NumberMask

  /** The row at a position is where it is to be. */
  def settle(position: Int): Unit = words(position) = position

  /** Room for as many words as there are. */
  def spare: Array[Long] = others

  /** Sorts the first words, whose keys have so many bytes left. */
  def sort(count: Int, keyBytes: Int): Unit =
    if count < SortWords.Few then java.util.Arrays.sort(words, 0, count)
    else
      val bytes = keyBytes.min(SortWords.KeyBytes)
      this.count(count, bytes)
      var byte = SortWords.KeyBytes - bytes
      while byte < SortWords.KeyBytes do
        if isTold(byte, count) then pass(byte, count)
        byte += 1

  private def count(count: Int, bytes: Int): Unit =
    val (words, counts) = (this.words, this.counts)
    java.util.Arrays.fill(counts, 0)
    var byte = SortWords.KeyBytes - bytes
    while byte < SortWords.KeyBytes do
      val shift = SortWords.NumberBits + byte * 8
      val first = byte * 256
      var k = 0
      while k < count do
        counts(first + ((words(k) >>> shift).toInt & 0xff)) += 1
        k += 1
      byte += 1

  private def isTold(byte: Int, count: Int): Boolean =
    var largest = 0
    var b = byte * 256
    while b < byte * 256 + 256 do
      largest = largest.max(counts(b))
      b += 1
    largest != count

  private def pass(byte: Int, count: Int): Unit =
    val (source, target, heads) = (words, others, counts)
    val first = byte * 256
    var at = 0
    var b = first
    while b < first + 256 do
      val size = heads(b)
      heads(b) = at
      at += size
      b += 1
    val shift = SortWords.NumberBits + byte * 8
    var k = 0
    while k < count do
      val word = source(k)
      val part = first + ((word >>> shift).toInt & 0xff)
      val head = heads(part)
      heads(part) = head + 1
      target(head) = word
      k += 1
    words = target
    others = source
  end pass
end SortWords

private[struct] object SortWords:
  /** The bytes of a key that a word has room for. */
  inline val KeyBytes = 5

  /** Where the first bytes of a key end that has 8. */
  inline val KeyShift = 24

  private inline val NumberBits = 18
  private inline val NumberMask = 0x3ffff

  /** Fewer words are sorted by comparing, which counts nothing. */
  private inline val Few = 1024
end SortWords
