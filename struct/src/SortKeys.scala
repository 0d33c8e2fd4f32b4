package undercroft.struct

import undercroft.struct.internal.{Mapping, SortKey, Swapped, Unaligned}

/** A field of a table's rows as words in whose unsigned order the rows are to be, most significant
  * byte first. A primitive is one word, a text one for each 8 bytes of it.
  */
private[struct] final class SortKeys(table: Table[?, ?], leaf: Leaf):
  private val memory = table.memory

  /** Added to an Int that becomes a Long: see [[Mapping]]. */
  private val zero = if table.source == null then 0 else Mapping.zero

  // Where the field of row i is: at `start + i * step`.
  private val columnar = table.kind == Table.Kind.Columnar
  private val step = if columnar then leaf.kind.size.toLong else table.stride
  private val start = table.kind match
    case Table.Kind.Aligned  => leaf.aligned.toLong
    case Table.Kind.Packed   => leaf.packed.toLong
    case Table.Kind.Columnar => table.capacity * leaf.column + table.first * leaf.kind.size

  /** Bytes that a key has. */
  val bytes: Int = leaf.kind.size

  /** Words that a key has. */
  val words: Int = Math.ceilDiv(bytes, 8)

  private val mode: Int = modeOf(leaf.kind, unsigned = false)

  /** Which words a kind has: see [[word]]. Those of other byte order come after the others. */
  private def modeOf(kind: Kind, unsigned: Boolean): Int = kind match
    case Kind.Boolean            => 1
    case Kind.Byte if unsigned   => 1
    case Kind.Byte               => 2
    case Kind.Short if !unsigned => 3
    case Kind.Short | Kind.Char  => 4
    case Kind.Int                => 5
    case Kind.Long               => 6
    case Kind.Float              => 7
    case Kind.Double             => 8
    case Kind.Ordinal(of)        => modeOf(of, unsigned = true)
    case Kind.BigEndian(of)      => modeOf(of, unsigned) + 16
    case _                       => 0

  /** A word of a row's key. */
  def word(row: Long, index: Int): Long =
    val at = start + row * step
    mode match
      case 5  => SortKey.of(memory.get(Unaligned.int, at) + zero)
      case 6  => SortKey.of(memory.get(Unaligned.long, at))
      case 1  => SortKey.of((memory.get(Unaligned.byte, at) & 0xff).toChar) << 8
      case 2  => SortKey.of(memory.get(Unaligned.byte, at))
      case 3  => SortKey.of(memory.get(Unaligned.short, at))
      case 4  => SortKey.of(memory.get(Unaligned.char, at))
      case 7  => SortKey.of(memory.get(Unaligned.float, at))
      case 8  => SortKey.of(memory.get(Unaligned.double, at))
      case 19 => SortKey.of(Swapped.short(memory.get(Unaligned.short, at)))
      case 20 => SortKey.of(Swapped.char(memory.get(Unaligned.char, at)))
      case 21 => SortKey.of(Swapped.int(memory.get(Unaligned.int, at)))
      case 22 => SortKey.of(Swapped.long(memory.get(Unaligned.long, at)))
      case 23 => SortKey.of(Swapped.float(memory.get(Unaligned.int, at)))
      case 24 => SortKey.of(Swapped.double(memory.get(Unaligned.long, at)))
      case _  => textWord(at + index * 8L, bytes - index * 8)

  private def textWord(at: Long, left: Int): Long =
    if left >= 8 then java.lang.Long.reverseBytes(memory.get(Unaligned.long, at))
    else
      var word = 0L
      var k = 0
      while k < left do
        word |= (memory.get(Unaligned.byte, at + k) & 0xffL) << (56 - 8 * k)
        k += 1
      word

  /** Eight bytes of a row's key from byte `digit` on; zeros where the key has ended. */
  def part(row: Long, digit: Int): Long =
    val index = digit >> 3
    val shift = 8 * (digit & 7)
    val first = word(row, index) << shift
    if shift == 0 || index + 1 >= words then first
    else first | (word(row, index + 1) >>> (64 - shift))

  /** How row `a` compares with row `b`, from a word of their keys on. */
  def compare(a: Long, b: Long, from: Int): Int =
    var index = from
    var order = 0
    while index < words && order == 0 do
      order = java.lang.Long.compareUnsigned(word(a, index), word(b, index))
      index += 1
    order
end SortKeys
