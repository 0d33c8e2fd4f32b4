package undercroft.struct
package internal.sort

/** The fields by which rows are sorted, the most significant first, and which of them descend.
  *
  * @param commonBits
  *   the first bits of all keys, which are equal and no part of the sort keys
  */
private[struct] final class SortFields(
    leaves: Array[Shape.Leaf],
    descends: Array[Boolean],
    commonBits: Int = 0
):
  private val fieldBytes = leaves.map(_.kind.size).sum

  /** Bytes of a key. */
  val bytes: Int = Math.ceilDiv(8 * fieldBytes - commonBits, 8)

  /** The keys of a table's rows, for the current thread. */
  def keys(table: Table[?, ?]): SortKeys =
    val keys =
      if leaves.length == 1 && !descends(0) then FieldKeys(table, leaves(0))
      else if fieldBytes <= 8 then OneWordKeys(leaves.map(FieldKeys(table, _)), descends)
      else CompositeKeys(leaves.map(FieldKeys(table, _)), descends)
    if commonBits == 0 then keys else ShiftedKeys(keys, commonBits, bytes)

  /** The same fields without the first bits that the keys of a table's rows have in common; this if
    * there are none, or keys have several words. The first byte then tells most rows apart. Cost: a
    * thousand keys, or all of them if these have common bits.
    */
  def withoutCommonBits(table: Table[?, ?]): SortFields =
    val keys = this.keys(table)
    if keys.words > 1 || SortFields.commonBits(keys, table.size, SortFields.SampledRows) == 0 then
      this
    else
      val common = SortFields.commonBits(keys, table.size, table.size).min(8 * fieldBytes)
      SortFields(leaves, descends, common)
end SortFields

private[struct] object SortFields:
  /** The fields of a table's rows by their codes: the index of a leaf, or its complement if the
    * field descends.
    */
  def of(table: Table[?, ?], codes: Array[Int]): SortFields =
    SortFields(
      codes.map(code => table.struct.leaves(if code < 0 then ~code else code)),
      codes.map(_ < 0)
    )

  /** How many rows show whether keys may have common bits. */
  private inline val SampledRows = 1024L

  /** The first bits that the keys of `count` rows have in common; the rows have equal distances. */
  private def commonBits(keys: SortKeys, rows: Long, count: Long): Int =
    var differing = 0L
    if rows > 0 then
      val step = Math.max(1, rows / count)
      val first = keys.word(0, 0)
      var row = 0L
      while row < rows do
        differing |= keys.word(row, 0) ^ first
        row += step
    java.lang.Long.numberOfLeadingZeros(differing)
end SortFields

/** Keys of one word without their first bits. */
private final class ShiftedKeys(keys: SortKeys, skipped: Int, bytes: Int) extends SortKeys(bytes):
  def isEnd(word: Long): Boolean = true
  def word(row: Long, index: Int): Long = keys.word(row, index) << skipped

/** As [[CompositeKeys]], for fields that have at most 8 bytes together: each is one word, whose
  * bytes are moved to their place.
  */
private final class OneWordKeys(fields: Array[FieldKeys], descends: Array[Boolean])
    extends SortKeys(fields.map(_.bytes).sum):
  private val shifts = fields.scanLeft(0)(_ + 8 * _.bytes)

  /** The bytes of the descending fields. */
  private val inverted = fields.indices
    .filter(descends(_))
    .map(k => -1L << (64 - 8 * fields(k).bytes) >>> shifts(k))
    .fold(0L)(_ | _)

  // The first two fields are read without a loop: most keys have no more.
  private val first = fields(0)
  private val second = fields(fields.length.min(2) - 1)
  private val secondShift = shifts(fields.length.min(2) - 1)

  def isEnd(word: Long): Boolean = false

  def word(row: Long, index: Int): Long =
    var word = first.word(row, 0) | (second.word(row, 0) >>> secondShift)
    var k = 2
    while k < fields.length do
      word |= fields(k).word(row, 0) >>> shifts(k)
      k += 1
    word ^ inverted
end OneWordKeys

/** Keys of several fields, whose bytes follow each other; those of a descending field are inverted.
  */
private final class CompositeKeys(fields: Array[FieldKeys], descends: Array[Boolean])
    extends SortKeys(fields.map(_.bytes).sum):

  /** The first byte of each field. */
  private val starts = fields.scanLeft(0)(_ + _.bytes)

  def isEnd(word: Long): Boolean = false

  /** If a text has ended in a word, the word of the next field. */
  override def following(word: Long, index: Int): Int =
    val last = index * 8 + 7
    var k = 0
    while k < fields.length && starts(k + 1) <= last do k += 1
    if k == fields.length then words
    else
      val end = if descends(k) then 0xff else 0
      if fields(k).isText && (word & 0xff) == end then starts(k + 1) >> 3 else index + 1

  def word(row: Long, index: Int): Long =
    val from = index * 8
    var word = 0L
    var k = 0
    while k < fields.length do
      if starts(k) < from + 8 && starts(k + 1) > from then
        val skipped = Math.max(0, from - starts(k))
        word |= bytesOf(k, row, skipped) >>> (8 * Math.max(0, starts(k) - from))
      k += 1
    word

  /** Eight bytes of a field from byte `digit` on; zeros after its last byte. */
  private def bytesOf(k: Int, row: Long, digit: Int): Long =
    val bits = fields(k).part(row, 8 * digit)
    if !descends(k) then bits
    else
      val rest = fields(k).bytes - digit
      ~bits & (if rest >= 8 then -1L else -1L << (64 - 8 * rest))
end CompositeKeys
