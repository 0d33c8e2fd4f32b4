package undercroft.buffer

import internal.codec.NumberCodec

/** Byte strings for `select`, which finds the first prefix of the input among them.
  *
  * Immutable; `select` does not depend on whether the byte strings are closed later. The first byte
  * of the input selects the candidates with one table lookup; they are tried in order, eight bytes
  * per comparison.
  *
  * {{{
  * val methods = Options(ByteString.utf8("GET "), ByteString.utf8("PUT "))
  * println(Buffer().writeUtf8("PUT /orders").select(methods)) // 1
  * }}}
  */
final class Options private (val all: Vector[ByteString]):
  private val options = all.map(_.data).toArray

  // The same bytes in strings that no other code closes.
  private val strings = options.map(bytes => ByteString.wrap(bytes))

  // The first eight bytes of each option as a word, and a mask of the bits in use.
  private val words = options.map(option => NumberCodec.long(java.util.Arrays.copyOf(option, 8), 0))
  private val masks =
    options.map(option => if option.length < 8 then (1L << 8 * option.length) - 1 else -1L)

  // For each first byte, the options that begin with it or are empty, in order.
  private val byFirst: Array[Array[Int]] = Array.tabulate(256): first =>
    options.indices.filter(i => options(i).isEmpty || (options(i)(0) & 0xff) == first).toArray
  private val empties = options.indices.filter(i => options(i).isEmpty).toArray

  def apply(index: Int): ByteString = all(index)
  def size: Int = options.length

  private[buffer] def sizeOf(index: Int): Int = options(index).length

  private[buffer] def find(source: BufferedSource): Int =
    val head = source.buffer.head
    val candidates =
      if head.size > 0 then byFirst(head.byte(head.pos) & 0xff)
      else if source.request(1) then byFirst(source.buffer(0) & 0xff)
      else empties
    var i = 0
    while i < candidates.length && !begins(source, candidates(i)) do i += 1
    if i < candidates.length then candidates(i) else -1

  private def begins(source: BufferedSource, i: Int): Boolean =
    val head = source.buffer.head
    val bytes = options(i).length
    if bytes <= head.size && head.pos + 8 <= head.capacity then
      ((head.long(head.pos) ^ words(i)) & masks(i)) == 0 &&
      (bytes <= 8 || source.buffer.holds(8, strings(i), 8, bytes - 8))
    else beginsSlowly(source, strings(i))

  /** Requests no more bytes than needed to decide. */
  private def beginsSlowly(source: BufferedSource, option: ByteString): Boolean =
    val buffer = source.buffer
    var count = Math.min(buffer.size, option.size).toInt
    var isEqual = buffer.holds(0, option, 0, count)
    while isEqual && count < option.size && source.request(count + 1) do
      count = Math.min(buffer.size, option.size).toInt
      isEqual = buffer.holds(0, option, 0, count)
    isEqual && count == option.size
end Options

/** Options with a value each: `TypedOptions(commands)(command => command.bytes)`.
  *
  * {{{
  * val units = TypedOptions(List("km" -> 1000, "m" -> 1))((name, _) => ByteString.utf8(name))
  * println(Buffer().writeUtf8("km").select(units)) // Some((km,1000))
  * }}}
  */
final class TypedOptions[A] private (val all: Vector[A], val options: Options):
  def apply(index: Int): A = all(index)
  def size: Int = all.size

  /** The value of an index that [[Options.find]] returned. */
  private[buffer] def found(index: Int): Option[A] = if index >= 0 then Some(all(index)) else None

object TypedOptions:
  def apply[A](all: Iterable[A])(bytes: A => ByteString): TypedOptions[A] =
    new TypedOptions(all.toVector, Options(all.toSeq.map(bytes)*))

/** Creates options from byte strings; of several matches, `select` returns the first.
  *
  * {{{
  * val commands = Options(ByteString.utf8("SET"), ByteString.utf8("SETEX"))
  * println(Buffer().writeUtf8("SETEX key").select(commands)) // 0
  * }}}
  */
object Options:
  def apply(options: ByteString*): Options = new Options(options.toVector)
