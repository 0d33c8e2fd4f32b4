package undercroft.buffer

/** Byte strings of which `select` finds the first that the input begins with.
  *
  * Immutable. Options that begin with different bytes are told apart by one look; those that begin
  * with the same are tried in their order.
  */
final class Options private (val all: Vector[ByteString]):
  // For each first byte the options that begin with it, or are empty, in their order.
  private val byFirst: Array[Array[Int]] = Array.tabulate(256): first =>
    all.indices
      .filter(i => all(i).isEmpty || (all(i)(0) & 0xff) == first)
      .toArray
  private val empties = all.indices.filter(i => all(i).isEmpty).toArray

  def apply(index: Int): ByteString = all(index)
  def size: Int = all.size

  private[buffer] def find(source: BufferedSource): Int =
    val candidates = if source.request(1) then byFirst(source.buffer(0) & 0xff) else empties
    var i = 0
    var found = -1
    while found < 0 && i < candidates.length do
      if begins(source, all(candidates(i))) then found = candidates(i)
      i += 1
    found

  /** Asks for no more bytes than it takes to tell. */
  private def begins(source: BufferedSource, option: ByteString): Boolean =
    val buffer = source.buffer
    var some = Math.min(buffer.size, option.size).toInt
    var same = buffer.holds(0, option, some)
    while same && some < option.size && source.request(some + 1) do
      some = Math.min(buffer.size, option.size).toInt
      same = buffer.holds(0, option, some)
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
