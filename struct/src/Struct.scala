package undercroft.struct

import java.lang.foreign.{MemoryLayout, MemorySegment, StructLayout}
import scala.annotation.{implicitNotFound, unused}
import undercroft.struct.internal.{Bytes, Derivation}

/** How values of `T` lie outside the heap. Made by `derives Struct`, at compile time.
  *
  * `T` is a case class of primitives and of other case classes that derive Struct, of tuples,
  * enums, Options, bounded texts, arrays of fixed length, references, opaque types, and types with
  * a [[Struct.As]]. Or it is an enum or a sealed hierarchy of such case classes and of objects:
  * then it is stored as C's tagged union, the number of its case in the smallest integer and behind
  * it the fields of all cases in one place. A case's number is its place in the source. An instance
  * has no state and may be used from any thread. The load and store methods are what generic code
  * runs on; where `T` is known, access is generated in place instead. Offsets are in bytes; an
  * offset outside the segment is an IndexOutOfBoundsException, and a failed store changes nothing.
  */
@implicitNotFound(
  "${T} has no Struct: add `derives Struct` to it, a case class of primitives and structs, or an enum of such"
)
abstract class Struct[T](val shape: Shape):
  def loadAligned(segment: MemorySegment, offset: Long): T
  def loadPacked(segment: MemorySegment, offset: Long): T
  def loadColumns(segment: MemorySegment, capacity: Long, row: Long): T

  /** Hands `rows` values, one after the other from a place on, to `step` until it answers false;
    * whether it never did. Each struct has loops of its own, so that what the JVM learns of one
    * does not slow down another.
    */
  def eachAligned(segment: MemorySegment, offset: Long, rows: Int, step: T => Boolean): Boolean
  def eachPacked(segment: MemorySegment, offset: Long, rows: Int, step: T => Boolean): Boolean
  def eachColumns(
      segment: MemorySegment,
      capacity: Long,
      row: Long,
      rows: Int,
      step: T => Boolean
  ): Boolean
  def storeAligned(segment: MemorySegment, offset: Long, value: T): Unit
  def storePacked(segment: MemorySegment, offset: Long, value: T): Unit
  def storeColumns(segment: MemorySegment, capacity: Long, row: Long, value: T): Unit

  /** The size of one value under the C ABI, in bytes, with its tail padding. */
  final val size: Int = shape.alignedSize

  /** The alignment under the C ABI, in bytes. */
  final val alignment: Int = shape.alignment

  /** The size of one value without padding, in bytes. */
  final val packedSize: Int = shape.packedSize

  /** The size of one value in [[Columns]], in bytes. */
  final val columnarSize: Int = shape.columnarSize

  /** Every primitive field, however deep, in the order of declaration. */
  final val leaves: List[Leaf] = shape.leaves

  /** The C ABI layout, for every API of `java.lang.foreign`. */
  final lazy val layout: StructLayout = MemoryLayouts.aligned(shape)

  /** The layout without padding: its members are unaligned, in declaration order. */
  final lazy val packedLayout: StructLayout = MemoryLayouts.packed(shape)

  /** A leaf of each column: those of several cases share one. */
  private[struct] final lazy val columns: Array[Leaf] = leaves.distinctBy(_.column).toArray

  /** What of a value's bytes means something, in each layout. */
  private[struct] final lazy val alignedBytes: Bytes = Bytes(shape, Table.Kind.Aligned)
  private[struct] final lazy val packedBytes: Bytes = Bytes(shape, Table.Kind.Packed)
  private[struct] final lazy val columnarBytes: Bytes = Bytes(shape, Table.Kind.Columnar)

  override def toString: String = s"Struct[${shape.name}]"
end Struct

/** Named tuples need no `derives` either. A tuple is a named tuple without names, to the compiler,
  * so their given comes after that of tuples.
  */
sealed trait NamedTupleStructs:
  inline given ofNamed[N <: Tuple, V <: Tuple]: Struct[NamedTuple.NamedTuple[N, V]] =
    Struct.derived[NamedTuple.NamedTuple[N, V]]

object Struct extends NamedTupleStructs:
  def apply[T](using struct: Struct[T]): Struct[T] = struct

  /** Generates the Struct of a case class; what is not possible is a compile error with its cure.
    */
  inline def derived[T]: Struct[T] = ${ Derivation.derive[T] }

  /** Tuples need no `derives`. */
  inline given ofTuple[T <: NonEmptyTuple]: Struct[T] = derived[T]

  /** Nor does a type that says how it is stored. */
  inline given ofStored[A](using @unused as: As[A, ?]): Struct[A] = derived[A]

  /** How values of `A`, a type without a Struct, are stored: as values of `B`, a primitive or a
    * type that has one. Both ways are pure; they run at each load and store. What `stored` throws
    * leaves memory as it was.
    *
    * {{{
    * import java.time.Instant
    * given Struct.As[Instant, Long] = Struct.as[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli(_).nn)
    * final case class Tick(at: Instant, price: Int) derives Struct
    * }}}
    */
  abstract class As[A, B]:
    def stored(value: A): B
    def loaded(stored: B): A

  /** An `As` of two functions. */
  def as[A, B](from: A => B)(to: B => A): As[A, B] = Converted(from, to)

  private final class Converted[A, B](from: A => B, to: B => A) extends As[A, B]:
    def stored(value: A): B = from(value)
    def loaded(stored: B): A = to(stored)
end Struct

/** Drawings of layouts: one line a member with its offset, size and type, gaps as padding. */
extension (layout: MemoryLayout)
  def show: String = MemoryLayouts.show(layout)

  /** What differs in another layout, by the lines of both drawings: those that only this one has
    * after a `-`, those that only the other has after a `+`. Nothing where none does.
    */
  def diff(other: MemoryLayout): String = MemoryLayouts.diff(layout, other)
