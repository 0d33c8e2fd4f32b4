package undercroft.struct

import internal.bytes.{OutOfLine, RunBytes}
import internal.macros.access.RunAccess
import internal.runtime.LazyViews
import scala.annotation.publicInBinary
import scala.compiletime.summonInline
import undercroft.memory.{Address, Allocator}

/** An immutable run of off-heap structs of any number. In a struct it is a checked address and a
  * number of bytes, two Longs, as a [[BytesRef]]. The structs are stored without padding where they
  * were allocated, usually in the region of the struct that refers to them, and are freed with it;
  * copies share them. An empty run has no memory, and is the value of zeroed memory.
  *
  * A run is a [[View]]: its loops are fused, read only the fields that their function literals
  * mention, and allocate nothing. Any thread may read. Each field is read and then checked, so once
  * its memory is freed, also during a loop, a read throws StaleReferenceException and never returns
  * a value of another owner. That check costs about as much as the read; for many passes over one
  * run copy it to Rows. A run also stores a hash of the layout of `T`: code that was compiled for
  * another layout gets a [[LayoutMismatchException]].
  *
  * Two runs are equal if their bytes are, as defined at [[Ref.contentEquals]]; structs with such
  * fields are compared and hashed by these bytes. A run as a key of a map, or in a file, is a
  * compile error, and so are elements that contain references, or texts, bytes or runs out of line.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Line(article: Int, amount: Int) derives Struct
  * final case class Order(id: Long, lines: RowsRef[Line]) derives Struct
  * Region.scoped:
  *   val orders = Rows[Order](10)
  *   orders(3) = Order(3, RowsRef(Line(7, 2), Line(8, 5)))
  *   println(orders(3).lines.sumOf(_.amount)) // 7
  *   println(orders(3).lines(1)) // Line(8,5)
  *   println(orders.ref(3).lines.size) // 2
  * }}}
  */
final class RowsRef[T] @publicInBinary private[struct] (
    @publicInBinary private[struct] val address: Long,
    @publicInBinary private[struct] val byteLength: Long,
    @publicInBinary private[struct] val structOf: () => Struct[T]
) extends View[T]:

  def isEmpty: Boolean = byteLength == 0
  def nonEmpty: Boolean = byteLength != 0

  /** The number of structs. Reads the layout's hash in the memory of the run: throws
    * LayoutMismatchException for another layout, and StaleReferenceException if the memory was
    * freed.
    */
  inline def size: Long = ${ RunAccess.size('this) }

  /** The struct at an index in `[0, size)`; outside, throws IndexOutOfBoundsException.
    *
    * {{{
    * println(RowsRef(Bill(1, 250), Bill(2, 251))(1)) // Bill(2,251)
    * }}}
    */
  inline def apply(index: Long): T = ${ RunAccess.load('this, 'index) }

  /** The structs in order; allocates each. */
  def iterator: Iterator[T] =
    val count = RunBytes.count(byteLength, structOf().packedSize)
    LazyViews.Indices("struct", count, RunBytes.load(this, _))

  @publicInBinary private[struct] override def run(step: T => Boolean): Unit =
    RunBytes.each(this, structOf(), step)

  override def equals(other: Any): Boolean = other match
    case that: RowsRef[?] => OutOfLine.same(address, byteLength, that.address, that.byteLength)
    case _                => false
  override def hashCode: Int = OutOfLine.hashBytes(address, byteLength)

  /** The number of structs and the name of their type. */
  override def toString: String =
    val struct = structOf()
    s"RowsRef(${RunBytes.count(byteLength, struct.packedSize)} ${struct.shape.name})"
end RowsRef

object RowsRef:
  given [T]: CanEqual[RowsRef[T], RowsRef[T]] = CanEqual.derived

  /** The empty run; it has no memory.
    *
    * {{{
    * println(RowsRef.empty[Bill].size) // 0
    * }}}
    */
  inline def empty[T]: RowsRef[T] = new RowsRef(0, 0, () => summonInline[Struct[T]])

  /** A run of these values in memory of the allocator.
    *
    * {{{
    * println(RowsRef(Bill(1, 250), Bill(2, 251)).sumOf(_.price)) // 501
    * }}}
    */
  inline def apply[T](values: T*)(using allocator: Allocator)(using struct: Struct[T]): RowsRef[T] =
    ${ RunAccess.from('values, 'allocator, 'struct) }

  /** A run of the values of a collection, an Array, an IArray or an Iterator, in memory of the
    * allocator. The values are written to memory of the thread first, and then copied: if one
    * throws, nothing has been allocated. More memory than the allocator's budget has throws
    * MemoryLimitException.
    *
    * {{{
    * println(RowsRef.from(List(Bill(1, 250), Bill(2, 251)))(0)) // Bill(1,250)
    * }}}
    */
  inline def from[T](
      values: IterableOnce[T]
  )(using allocator: Allocator)(using struct: Struct[T]): RowsRef[T] =
    ${ RunAccess.from('values, 'allocator, 'struct) }

  /** A run of the values of a view, such as the rows of a table.
    *
    * {{{
    * val run = RowsRef.from(trades.filter(_.buy))
    * println(run.size) // 500
    * }}}
    */
  inline def from[T](
      values: View[T]
  )(using allocator: Allocator)(using struct: Struct[T]): RowsRef[T] =
    ${ RunAccess.fromView('values, 'allocator, 'struct) }

  /** The address of the run, for `Malloc.free` and similar calls.
    *
    * {{{
    * import undercroft.memory.*
    * val run = RowsRef(Bill(1, 250))(using Malloc)
    * Malloc.free(RowsRef.address(run))
    * }}}
    */
  def address(run: RowsRef[?]): Address = Address.ofBits(run.address)

  /** A run is stored as its bytes. */
  inline given stored[T]: Struct.StoredAs[RowsRef[T], BytesRef] =
    new Stored[T](() => summonInline[Struct[T]])

  /** Converts a run to its bytes and back, without a copy. */
  final class Stored[T] @publicInBinary private[struct] (
      private[struct] val structOf: () => Struct[T]
  ) extends Struct.StoredAs[RowsRef[T], BytesRef]:
    def encode(value: RowsRef[T]): BytesRef = new BytesRef(value.address, value.byteLength)
    def decode(stored: BytesRef): RowsRef[T] = new RowsRef(stored.address, stored.length, structOf)
end RowsRef
