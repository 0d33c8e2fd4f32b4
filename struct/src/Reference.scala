package undercroft.struct

import scala.annotation.publicInBinary
import scala.compiletime.erasedValue
import scala.language.dynamics
import undercroft.memory.{Address, Allocator}
import undercroft.struct.internal.{Atomics, Changes, Fields, Places}

/** A checked 64-bit reference to a struct in memory, used as [[Ref]] or [[PackedRef]].
  *
  * {{{
  * val trade = rows.ref(0)
  * trade.price                    // loads one field
  * trade.price = 251              // stores one field
  * trade.update(_.price)(_ + 1)   // loads and stores one field
  * trade(_.balance)               // what a function makes of them
  * trade()                        // loads them all
  * trade() = Trade(1, 2, 3, true) // stores them all
  * }}}
  *
  * A field that is no primitive gives a reference to it: `line.from.x = 1`, `line.from()`. (One
  * whose type is opaque is read by a function: `trade(_.ticket)`.) A reference is a value of 8
  * bytes that any thread may hold and use. Each access checks that the memory is still the one that
  * the reference was made for: after its region is closed, or its block freed, an access is a
  * StaleReferenceException, never a value of another owner. A store that races with that close is
  * the one thing noticed late; it never leaves the library's memory.
  *
  * Where `T` is a type parameter, a method that selects a field needs a declared result type. In an
  * `Array` references are boxed: use a [[RefArray]].
  */
final class Reference[
    T,
    L <: Layout
] private[struct] (@publicInBinary private[struct] val _address: Long)
    extends AnyVal, Selectable, Dynamic:

  type Fields = NamedTuple.Map[NamedTuple.From[T], [A] =>> Reference.Field[A, L]]

  transparent inline def selectDynamic(inline name: String): Any =
    ${ Fields.select[T, L]('this, 'name) }

  transparent inline def applyDynamic(inline name: String)(inline arguments: Any*): Any =
    ${ Fields.loadNested[T, L]('this, 'name, 'arguments) }

  inline def updateDynamic(inline name: String)(inline value: Any): Unit =
    ${ Fields.assign[T, L]('this, 'name, 'value) }

  inline def apply(): T = ${ Fields.load('this) }

  /** What a function makes of the struct, of which only the fields that it names are loaded. */
  inline def apply[A](inline f: T => A): A = ${ Fields.read('this, 'f) }

  inline def update(inline value: T): Unit = ${ Fields.store('this, 'value) }

  /** Volatile, acquire and release access to an Int or Long field, compare-and-set and the like: an
    * [[AtomicIntField]] or an [[AtomicLongField]].
    */
  transparent inline def atomic[A](inline field: T => A): Any =
    ${ Atomics.field[T, L, A]('this, 'field) }

  inline def update[A](inline field: T => A)(inline f: A => A): Unit =
    ${ Fields.change('this, 'field, 'f) }
end Reference

/** A checked reference to a struct under the C ABI. */
type Ref[T] = Reference[T, Aligned]

/** A checked reference to a struct without padding. */
type PackedRef[T] = Reference[T, Packed]

object Reference:
  /** What a field is through a reference: primitives and references themselves, to structs, texts
    * and bytes, and every other type a reference to the field.
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
    case Reference[t, l] => Reference[t, l]
    case _               => Reference[A, L]

  @publicInBinary private[struct] def at[T, L <: Layout](bits: Long): Reference[T, L] =
    new Reference(bits)

  /** Replaces the struct by what `f` makes of it. Of `_.copy(price = 251, amount = 2)` these fields
    * alone are stored, after both values are known, and no other is touched or loaded, unless the
    * class does something when made.
    */
  extension [T, L <: Layout](ref: Reference[T, L])
    inline def transform(inline f: T => T): Unit = ${ Changes.transform('ref, 'f) }

  given [T, L <: Layout]: CanEqual[Reference[T, L], Reference[T, L]] = CanEqual.derived
end Reference

object Ref:
  /** Stores a value in memory of the allocator. Makes no object. */
  inline def apply[T](inline value: T)(using struct: Struct[T], allocator: Allocator): Ref[T] =
    ${ Fields.made('value, 'struct, 'allocator) }

  /** A zeroed struct in memory of the allocator. */
  def zeroed[T](using struct: Struct[T], allocator: Allocator): Ref[T] =
    at(allocator.block(struct.size, struct.alignment))

  /** The reference to nothing: every access is an error. */
  def none[T]: Ref[T] = new Reference(0L)

  def isNone(ref: Ref[?]): Boolean = ref._address == 0L

  /** Whether two structs are the same, by their bytes: padding and cases that are not stored do not
    * count; a NaN is the same as one of the same bits, and -0.0 is not 0.0. Nothing is loaded and
    * no object made, for this and what follows. Where one of the two goes stale it is an error.
    */
  inline def same[T, L <: Layout](a: Reference[T, L], b: Reference[T, L])(using
      struct: Struct[T]
  ): Boolean = Places.same(struct, a._address, b._address, isPacked[L])

  /** Less than 0, 0 or more than 0, by the first field that differs, in the order of declaration:
    * numbers and Chars as java.lang compares them (NaNs by their bits), texts by their code points,
    * cases by their numbers, references by their bits.
    */
  inline def compare[T, L <: Layout](a: Reference[T, L], b: Reference[T, L])(using
      struct: Struct[T]
  ): Int = Places.compare(struct, a._address, b._address, isPacked[L])

  /** A hash of the bytes: of structs that are the [[same]], in one layout, the same. Not made to
    * withstand keys that somebody chose to collide.
    */
  inline def hash[T, L <: Layout](ref: Reference[T, L])(using struct: Struct[T]): Int =
    Places.hash(struct, ref._address, isPacked[L])

  /** Copies a struct's bytes over another's. */
  inline def copy[T, L <: Layout](from: Reference[T, L], to: Reference[T, L])(using
      struct: Struct[T]
  ): Unit = Places.copy(struct, from._address, to._address, isPacked[L])

  /** Two structs change places. Parts of one in the other are an IllegalArgumentException. */
  inline def swap[T, L <: Layout](a: Reference[T, L], b: Reference[T, L])(using
      struct: Struct[T]
  ): Unit = Places.swap(struct, a._address, b._address, isPacked[L])

  private inline def isPacked[L <: Layout]: Boolean = inline erasedValue[L] match
    case _: Packed  => true
    case _: Aligned => false

  /** The struct at an address. An address that is not of a `T` gives other values, never a crash.
    */
  private[undercroft] def at[T](address: Address): Ref[T] = new Reference(address.bits)

  /** The address, for `Malloc.free` and the like. */
  def address(ref: Ref[?]): Address = Address.ofBits(ref._address)
end Ref
