package undercroft.buffer

/** Byte strings of which `select` finds the first that the input begins with.
  *
  * Immutable. Options that begin with different bytes are told apart by one look; those that begin
  * with the same are tried in their order, eight bytes with one comparison.
  */
final class Options private (val all: Vector[ByteString]):
  private val options = all.map(_.data).toArray

  // The first eight bytes of each option as a word, and which of its bits there are.
  private val words = options.map(option => Numbers.long(java.util.Arrays.copyOf(option, 8), 0))
  private val masks =
    options.map(option => if option.length < 8 then (1L << 8 * option.length) - 1 else -1L)

  // For each first byte the options that begin with it, or are empty, in their order.
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
      (bytes <= 8 || source.buffer.holds(8, all(i), 8, bytes - 8))
    else beginsSlowly(source, all(i))

  /** Asks for no more bytes than it takes to tell. */
  private def beginsSlowly(source: BufferedSource, option: ByteString): Boolean =
    val buffer = source.buffer
    var some = Math.min(buffer.size, option.size).toInt
    var same = buffer.holds(0, option, 0, some)
    while same && some < option.size && source.request(some + 1) do
      some = Math.min(buffer.size, option.size).toInt
      same = buffer.holds(0, option, 0, some)
    same && some == option.size
end Options

/** Options that each stand for something: `TypedOptions(commands)(command => command.bytes)`. */
final class TypedOptions[A] private (val all: Vector[A], val options: Options):
  def apply(index: Int): A = all(index)
  def size: Int = all.size

object TypedOptions:
  def apply[A](all: Iterable[A])(bytes: A => ByteString): TypedOptions[A] =
    new TypedOptions(all.toVector, Options(all.toSeq.map(bytes)*))

object Options:
  def apply(options: ByteString*): Options = new Options(options.toVector)
