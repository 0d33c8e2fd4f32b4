package undercroft.struct

import internal.bytes.WholeStructs
import internal.macros.access.{AtomicAccess, FieldAccess}
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.compiletime.erasedValue
import scala.language.dynamics
import undercroft.memory.{Address, Allocator}

/** A checked 64-bit reference to a struct in memory, used as [[Ref]] or [[PackedRef]].
  *
  * {{{
  * val trade = rows.ref(0)
  * trade.price                    // loads one field
  * trade.price = 251              // stores one field
  * trade.update(_.price)(_ + 1)   // loads and stores one field
  * trade(_.balance)               // the result of a function of the fields
  * trade()                        // loads all fields
  * trade() = Trade(1, 2, 3, true) // stores all fields
  * }}}
  *
  * Selecting a field that is not a primitive returns a reference to it: `line.from.x = 1`,
  * `line.from()`. (A field of an opaque type is read by a function: `trade(_.ticket)`.) A reference
  * is a value of 8 bytes that any thread may hold and use. Each access checks that the memory is
  * still the one that the reference was created for: after its region is closed, or its block
  * freed, an access throws StaleReferenceException and never reads a value of another owner. Only a
  * store that races with that close is detected late; it never leaves the library's memory.
  *
  * A field is read as a value of its own type, so there is no `trade.price += 1`: use `update`. In
  * the body of an inline method a field is read by a function, `trade(_.price)`, because the type
  * of the selection is not known there. An `Array` boxes references: use a [[RefArray]].
  */
final class Reference[
    T,
    L <: Layout
] private[struct] (@publicInBinary private[struct] val _address: Long)
    extends AnyVal, Selectable, Dynamic:

  type Fields = NamedTuple.Map[NamedTuple.From[T], [A] =>> Reference.Field[A, L]]

  transparent inline def applyDynamic(inline name: String)(inline arguments: Any*): Any =
    ${ FieldAccess.loadNested[T, L]('this, 'name, 'arguments) }

  inline def updateDynamic(inline name: String)(inline value: Any): Unit =
    ${ FieldAccess.assign[T, L]('this, 'name, 'value) }

  /** Loads all fields.
    *
    * {{{
    * println(Ref(Bill(1, 250))()) // Bill(1,250)
    * }}}
    */
  inline def apply(): T = ${ FieldAccess.load('this) }

  /** The result of `f` on the struct; loads only the fields that `f` names.
    *
    * {{{
    * val bill = Ref(Trade(1, 250, 10, true))
    * println(bill(trade => trade.price * trade.amount)) // 2500
    * }}}
    */
  inline def apply[A](inline f: T => A): A = ${ FieldAccess.read('this, 'f) }

  /** Stores all fields.
    *
    * {{{
    * val bill = Ref.zeroed[Bill]
    * bill() = Bill(1, 250)
    * println(bill.price) // 250
    * }}}
    */
  inline def update(inline value: T): Unit = ${ FieldAccess.store('this, 'value) }

  /** Atomic access to an Int or Long field, such as volatile, acquire and release access and
    * compare-and-set: an [[AtomicIntField]] or an [[AtomicLongField]].
    *
    * {{{
    * val bill = Ref(Bill(1, 250))
    * println(bill.atomic(_.price).compareAndSet(250, 251)) // true
    * println(bill.price) // 251
    * }}}
    */
  transparent inline def atomic[A](inline field: T => A): Any =
    ${ AtomicAccess.field[T, L, A]('this, 'field) }

  /** Replaces a part by the result of `f`, as [[Table.updateAt]] does for a row.
    *
    * {{{
    * val bill = Ref(Bill(1, 250))
    * bill.update(_.price)(_ + 1)
    * println(bill.price) // 251
    * }}}
    */
  inline def update[A](inline field: T => A)(inline f: A => A): Unit =
    ${ FieldAccess.change('this, 'field, 'f) }
end Reference

/** A checked reference to a struct in the C ABI layout.
  *
  * {{{
  * def raise(bill: Ref[Bill]): Unit = bill.update(_.price)(_ + 1)
  * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
  * raise(bills.ref(2))
  * println(bills(2)) // Bill(2,251)
  * }}}
  */
type Ref[T] = Reference[T, Aligned]

/** A checked reference to a struct without padding.
  *
  * {{{
  * val trades = PackedRows.tabulate[Trade](4)(i => Trade(i.toInt, 250, 10, true))
  * val trade: PackedRef[Trade] = trades.ref(2)
  * println(trade.ticket) // 2
  * }}}
  */
type PackedRef[T] = Reference[T, Packed]

object Reference:
  /** The type of a field selected through a reference: primitives and references, also to texts and
    * bytes, have their own type, and every other field is a reference to it.
    */
  type Field[A, L <: Layout] = A match
    case Boolean         => Boolean
    case Byte            => Byte
    case Short           => Short
    case Char            => Char
    case Int             => Int
    case Long            => Long
    case Float           => Float
    case Double          => Double
    case TextRef         => TextRef
    case BytesRef        => BytesRef
    case RowsRef[t]      => RowsRef[t]
    case Reference[t, l] => Reference[t, l]
    case _               => Reference[A, L]

  @publicInBinary private[struct] def at[T, L <: Layout](bits: Long): Reference[T, L] =
    new Reference(bits)

  /** Implements `trade.price`. As an extension it sees how the reference is written: see
    * [[FieldAccess.select]].
    */
  extension [T, L <: Layout](inline ref: Reference[T, L])
    transparent inline def selectDynamic(inline name: String): Any =
      ${ FieldAccess.select[T, L]('ref, 'name) }

  /** Replaces the struct by the result of `f`. For `_.copy(price = 251, amount = 2)` only these
    * fields are stored, after both values are known, and no other is loaded or stored, unless the
    * constructor of the class has effects.
    */
  extension [T, L <: Layout](ref: Reference[T, L])

    /** Replaces the struct by the result of `f`.
      *
      * {{{
      * val bill = Ref(Bill(1, 250))
      * bill.transform(_.copy(price = 251))
      * println(bill()) // Bill(1,251)
      * }}}
      */
    inline def transform(inline f: T => T): Unit = ${ FieldAccess.transform('ref, 'f) }

    /** The result of `f` on the struct's memory, a pointer for native code: a segment of exactly
      * the struct's bytes in the layout of the reference. [[Packed]] structs have no padding and
      * may be unaligned, and `@bigEndian` fields have their bytes in that order.
      *
      * Only the calling thread may use the segment, and only during the call. Until then the struct
      * cannot be freed, by any thread: `Malloc.free` of it, the close of its region, and the close
      * of its growing table throw IllegalStateException and change nothing. A stale reference
      * throws before the call. The struct of a scoped region has a pointer on the region's thread,
      * and a block of `Malloc` of up to 16 KiB on the thread that allocated it, as long as that
      * lives; another thread gets a WrongThreadException.
      *
      * Allocates about 200 bytes of heap objects, and takes tens of nanoseconds. For memory that
      * several threads may free, it also takes a lock that all such calls of the process share, for
      * a few nanoseconds at the start and at the end.
      *
      * {{{
      * import java.lang.foreign.ValueLayout.JAVA_INT
      * val bill = Ref(Bill(1, 250))
      * bill.withPointer(pointer => pointer.set(JAVA_INT, Struct.offsetOf[Bill](_.price), 251))
      * println(bill.price) // 251
      * }}}
      */
    inline def withPointer[A](f: MemorySegment => A)(using struct: Struct[T]): A =
      WholeStructs.withPointer(struct, ref._address, isPacked[L], f)
  end extension

  private[struct] inline def isPacked[L <: Layout]: Boolean = inline erasedValue[L] match
    case _: Packed  => true
    case _: Aligned => false

  given [T, L <: Layout]: CanEqual[Reference[T, L], Reference[T, L]] = CanEqual.derived
end Reference

object Ref:
  /** Stores a value in memory of the allocator. Does not allocate on the heap.
    *
    * {{{
    * import undercroft.memory.Region
    * final case class Trade(price: Int, amount: Long) derives Struct
    * Region.scoped:
    *   val trade = Ref(Trade(250, 10))
    *   trade.price = 251
    * }}}
    */
  inline def apply[T](inline value: T)(using
      allocator: Allocator
  )(using struct: Struct[T]): Ref[T] =
    ${ FieldAccess.made('value, 'struct, 'allocator) }

  /** A zeroed struct in memory of the allocator.
    *
    * {{{
    * println(Ref.zeroed[Bill]()) // Bill(0,0)
    * }}}
    */
  inline def zeroed[T](using allocator: Allocator)(using struct: Struct[T]): Ref[T] =
    ${ FieldAccess.zeroed('struct, 'allocator) }

  /** The null reference: every access throws.
    *
    * {{{
    * import undercroft.memory.*
    * val bill = Ref.none[Bill]
    * println(Ref.isNone(bill)) // true
    * try println(bill.price)
    * catch case _: NullReferenceException => println("no bill") // no bill
    * }}}
    */
  def none[T]: Ref[T] = new Reference(0L)

  def isNone(ref: Ref[?]): Boolean = ref._address == 0L

  /** Whether two structs are equal by their bytes. Padding and cases that are not stored are
    * ignored; NaNs are equal if their bits are, and -0.0 is not equal to 0.0. This and the
    * following operations load no values and do not allocate. If one of the two becomes stale, they
    * throw.
    *
    * {{{
    * println(Ref.contentEquals(Ref(Bill(1, 250)), Ref(Bill(1, 250)))) // true
    * }}}
    */
  inline def contentEquals[T, L <: Layout](a: Reference[T, L], b: Reference[T, L])(using
      struct: Struct[T]
  ): Boolean = WholeStructs.same(struct, a._address, b._address, Reference.isPacked[L])

  /** Less than 0, 0 or more than 0, by the first differing field in the order of declaration.
    * Numeric fields and Chars are compared as by java.lang (NaNs by their bits), texts by their
    * code points, cases by their numbers, references by their bits.
    *
    * {{{
    * println(Ref.compare(Ref(Bill(1, 250)), Ref(Bill(1, 251))) < 0) // true
    * }}}
    */
  inline def compare[T, L <: Layout](a: Reference[T, L], b: Reference[T, L])(using
      struct: Struct[T]
  ): Int = WholeStructs.compare(struct, a._address, b._address, Reference.isPacked[L])

  /** A hash of the bytes, equal for structs that are the [[contentEquals]] in one layout. Not
    * seeded, so no defence against hash flooding.
    *
    * {{{
    * println(Ref.hash(Ref(Bill(1, 250))) == Ref.hash(Ref(Bill(1, 250)))) // true
    * }}}
    */
  inline def hash[T, L <: Layout](ref: Reference[T, L])(using struct: Struct[T]): Int =
    WholeStructs.hash(struct, ref._address, Reference.isPacked[L])

  /** Copies a struct's bytes over another struct. If the owner of one is closed meanwhile,
    * StaleReferenceException is thrown, and `to` may have bytes of another owner.
    *
    * {{{
    * val (from, to) = (Ref(Bill(1, 250)), Ref.zeroed[Bill])
    * Ref.copy(from, to)
    * println(to()) // Bill(1,250)
    * }}}
    */
  inline def copy[T, L <: Layout](from: Reference[T, L], to: Reference[T, L])(using
      struct: Struct[T]
  ): Unit = WholeStructs.copy(struct, from._address, to._address, Reference.isPacked[L])

  /** Swaps two structs. Structs that overlap in part throw IllegalArgumentException. If the owner
    * of one is closed meanwhile, StaleReferenceException is thrown, and the other may have bytes of
    * another owner.
    *
    * {{{
    * val (a, b) = (Ref(Bill(1, 250)), Ref(Bill(2, 251)))
    * Ref.swap(a, b)
    * println(a()) // Bill(2,251)
    * }}}
    */
  inline def swap[T, L <: Layout](a: Reference[T, L], b: Reference[T, L])(using
      struct: Struct[T]
  ): Unit = WholeStructs.swap(struct, a._address, b._address, Reference.isPacked[L])

  /** The struct at an address. If no `T` is stored there, reads return arbitrary values, but do not
    * crash.
    */
  private[undercroft] def at[T](address: Address): Ref[T] = new Reference(address.bits)

  /** The address, for `Malloc.free` and similar calls.
    *
    * {{{
    * import undercroft.memory.*
    * val bill = Ref(Bill(1, 250))(using Malloc)
    * println(bill.price) // 250
    * Malloc.free(Ref.address(bill))
    * }}}
    */
  def address(ref: Ref[?]): Address = Address.ofBits(ref._address)
end Ref
