package undercroft.struct
package internal.sort

import internal.bytes.{ByteSwap, FixedText, MappedReads, ValueLayouts}

/** The sort keys of a table's rows: words whose unsigned order is the order of the rows, most
  * significant byte first. The bytes after the last one of a key are zeros.
  *
  * @param bytes
  *   bytes of a key
  */
private[struct] abstract class SortKeys(val bytes: Int):

  /** Words of a key. */
  val words: Int = Math.ceilDiv(bytes, 8)

  /** Bits of a key. */
  val bits: Int = 8 * bytes

  /** Word `index` of a row's key. */
  def word(row: Long, index: Int): Long

  /** Whether the words after this one are zeros. */
  def isEnd(word: Long): Boolean

  /** 64 bits of a row's key from bit `from` on, the most significant bit of a key being bit 0. */
  def part(row: Long, from: Int): Long =
    val index = from >> 6
    val shift = from & 63
    val first = word(row, index) << shift
    if shift == 0 || index + 1 >= words then first
    else first | (word(row, index + 1) >>> (64 - shift))

  /** The first word after word `index` in which keys may differ that are equal up to that word,
    * which is `word`.
    */
  def following(word: Long, index: Int): Int = if isEnd(word) then words else index + 1

  /** The first bit of the first word in which the keys of rows `[from, until)` differ, but at least
    * `bit`, before which they are equal; the bits of a key if all words are equal.
    */
  def differing(from: Long, until: Long, bit: Int): Int =
    var index = bit >> 6
    var isEqual = true
    while isEqual && index < words do
      val first = word(from, index)
      var row = from + 1
      while row < until && word(row, index) == first do row += 1
      if row < until then isEqual = false else index = following(first, index)
    if isEqual then bits else Math.max(bit, index << 6)

  /** Compares row `a` with row `b`, starting at a word of their keys. */
  def compare(a: Long, b: Long, from: Int): Int =
    var index = from
    var order = 0
    while index < words && order == 0 do
      order = java.lang.Long.compareUnsigned(word(a, index), word(b, index))
      index += 1
    order
end SortKeys

/** A field of a table's rows as sort keys. A primitive is one word, a text one word per 8 bytes. */
private[struct] final class FieldKeys(table: Table[?, ?], leaf: Shape.Leaf)
    extends SortKeys(leaf.kind.size):
  private val memory = table.memory

  /** Added to an Int before it is widened to a Long: see [[MappedReads]]. */
  private val zero = MappedReads.zeroOf(table.source != null)

  // The field of row i is at `start + i * step`.
  private val columnar = table.kind == Table.Kind.Columnar
  private val step = if columnar then leaf.kind.size.toLong else table.stride
  private val start = table.kind match
    case Table.Kind.Aligned  => leaf.aligned.toLong
    case Table.Kind.Packed   => leaf.packed.toLong
    case Table.Kind.Columnar => table.capacity * leaf.column + table.first * leaf.kind.size

  private val mode: Int = modeOf(leaf.kind, unsigned = false)

  /** How [[word]] reads a kind. Byte-swapped primitives have the mode of native ones plus 16. */
  private def modeOf(kind: Shape.Kind, unsigned: Boolean): Int = kind match
    case Shape.Kind.Boolean                 => 1
    case Shape.Kind.Byte if unsigned        => 1
    case Shape.Kind.Byte                    => 2
    case Shape.Kind.Short if !unsigned      => 3
    case Shape.Kind.Short | Shape.Kind.Char => 4
    case Shape.Kind.Int                     => 5
    case Shape.Kind.Long                    => 6
    case Shape.Kind.Float                   => 7
    case Shape.Kind.Double                  => 8
    case Shape.Kind.Ordinal(of)             => modeOf(of, unsigned = true)
    case Shape.Kind.BigEndian(of)           => modeOf(of, unsigned) + 16
    case _                                  => 0

  def isText: Boolean = mode == 0

  /** A text whose last byte is a zero has ended. */
  def isEnd(word: Long): Boolean = (word & 0xff) == 0

  // Small enough to be inlined in loops over keys, for the most frequent kinds.
  def word(row: Long, index: Int): Long =
    val at = start + row * step
    if mode == 5 then SortKey.of(memory.get(ValueLayouts.int, at) + zero)
    else if mode == 6 then SortKey.of(memory.get(ValueLayouts.long, at))
    else otherWord(at, index)

  private def otherWord(at: Long, index: Int): Long =
    mode match
      case 1  => SortKey.of((memory.get(ValueLayouts.byte, at) & 0xff).toChar) << 8
      case 2  => SortKey.of(memory.get(ValueLayouts.byte, at))
      case 3  => SortKey.of(memory.get(ValueLayouts.short, at))
      case 4  => SortKey.of(memory.get(ValueLayouts.char, at))
      case 7  => SortKey.of(memory.get(ValueLayouts.float, at))
      case 8  => SortKey.of(memory.get(ValueLayouts.double, at))
      case 19 => SortKey.of(ByteSwap.short(memory.get(ValueLayouts.short, at)))
      case 20 => SortKey.of(ByteSwap.char(memory.get(ValueLayouts.char, at)))
      case 21 => SortKey.of(ByteSwap.int(memory.get(ValueLayouts.int, at)))
      case 22 => SortKey.of(ByteSwap.long(memory.get(ValueLayouts.long, at)))
      case 23 => SortKey.of(ByteSwap.float(memory.get(ValueLayouts.int, at)))
      case 24 => SortKey.of(ByteSwap.double(memory.get(ValueLayouts.long, at)))
      case _  => FixedText.word(memory, at, bytes, index)
end FieldKeys
