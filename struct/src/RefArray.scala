package undercroft.struct

import internal.bytes.{RefBlocks, WholeStructs}
import internal.runtime.LazyViews
import scala.annotation.publicInBinary
import undercroft.memory.Address

/** An array of references on the heap, 8 bytes each; an `Array` would box every reference. Elements
  * are [[Ref.none]] until they are set. As thread-safe as an array.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Rows[Trade](10)
  *   val refs = RefArray[Trade](2)
  *   refs(0) = trades.ref(7)
  *   println(refs(0).price)
  *   refs(1) = trades.ref(3)
  *   println(refs.view.sumOf(_.amount)) // one loop over both structs
  * }}}
  */
opaque type RefArray[T] = Array[Long]

object RefArray:
  /** An array of `size` null references.
    *
    * {{{
    * val refs = RefArray[Bill](10)
    * println(Ref.isNone(refs(0))) // true
    * }}}
    */
  def apply[T](size: Int): RefArray[T] = new Array[Long](size)

  extension [T](refs: RefArray[T])
    def length: Int = refs.length
    def apply(index: Int): Ref[T] = Ref.at(Address.ofBits(refs(index)))

    /** Stores a reference.
      *
      * {{{
      * val refs = RefArray[Bill](10)
      * refs(3) = Ref(Bill(1, 250))
      * println(refs(3).price) // 250
      * }}}
      */
    def update(index: Int, ref: Ref[T]): Unit = refs(index) = Ref.address(ref).bits

    /** The structs that the references refer to, in order.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
      * val refs = RefArray[Bill](2)
      * refs(0) = bills.ref(3)
      * refs(1) = bills.ref(1)
      * println(refs.view.map(_.ticket).toVector) // Vector(3, 1)
      * }}}
      */
    def view(using struct: Struct[T]): RefView[T] = new RefView(refs, struct)
  end extension
end RefArray

/** The structs that the references of a [[RefArray]] refer to, in order. Its loops are fused, read
  * only the fields that their function literals mention, and allocate nothing.
  *
  * Each field is read and then checked, as through a single reference: a null reference or one to
  * freed memory throws when the loop comes to it; a loop that reads no field checks none. If
  * structs are more than 16 MiB apart, the loop first loads the cache lines of 256 of them, at the
  * first field that it mentions. At random places in DRAM it takes about half the time of a loop
  * over the references one by one. Any thread may read. An element that another thread stores
  * during a loop may or may not be seen by it.
  *
  * {{{
  * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
  * val refs = RefArray[Bill](2)
  * refs(0) = bills.ref(3)
  * try println(refs.view.sumOf(_.price))
  * catch case _: undercroft.memory.NullReferenceException => println("no bill") // no bill
  * }}}
  */
final class RefView[T] private[struct] (
    @publicInBinary private[struct] val references: Array[Long],
    @publicInBinary private[struct] val struct: Struct[T]
) extends View[T]:

  /** The number of references. */
  def size: Long = references.length
  def isEmpty: Boolean = references.length == 0
  def nonEmpty: Boolean = references.length != 0

  /** The structs in order; allocates each. */
  def iterator: Iterator[T] = LazyViews.Indices("struct", size, load)

  @publicInBinary private[struct] def load(index: Long): T =
    val position = java.util.Objects.checkIndex(index, size).toInt
    WholeStructs.load(struct, references(position), packed = false)

  @publicInBinary private[struct] override def run(step: T => Boolean): Unit =
    RefBlocks.each(references, struct, step)

  override def toString: String = s"RefView of $size references to ${struct.shape.name}"
end RefView
