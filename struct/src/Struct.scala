package undercroft.struct

import internal.bytes.{Fingerprint, MemoryLayouts, Packing, StructBytes}
import internal.macros.access.Derivation
import internal.runtime.{FieldHistory, StoredMeaning, StructDescription, TimeConversions}
import java.lang.foreign.{MemoryLayout, MemorySegment, StructLayout}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, LocalTime}
import java.util.UUID
import scala.annotation.{implicitNotFound, publicInBinary, unused}

/** Describes how values of `T` are stored off-heap. Created by `derives Struct`, at compile time.
  *
  * `T` is a case class of primitives and of other case classes that derive Struct, of tuples,
  * enums, Options, bounded texts, arrays of fixed length, references, opaque types, and types with
  * a [[Struct.StoredAs]]. A `var` is rejected: an assignment to a loaded value would not reach the
  * memory. `T` may also be an enum or a sealed hierarchy of such case classes and of objects. It is
  * then stored as C's tagged union: the case number in the smallest integer type, followed by the
  * fields of all cases in the same bytes. Cases are numbered in source order.
  *
  * A class with type parameters derives one Struct for all its arguments that have a Struct, such
  * as `Pair[Int, Long]`; code that knows the arguments is compiled for them. A type that is stored
  * as one field needs no `derives`: see [[Struct.Element]].
  *
  * An instance has no state and is thread-safe. The load and store methods are for generic code; if
  * `T` is known, access is generated inline instead. Offsets are in bytes; an offset outside the
  * segment throws IndexOutOfBoundsException, and a failed store changes nothing. `loadColumns`
  * compares places with the segment only, and `storeColumns` the row with the capacity, too.
  *
  * Code that accesses a `T` inline was compiled for one layout of it. If it meets memory of an
  * instance with another layout, it throws a [[LayoutMismatchException]] and touches nothing.
  *
  * Only [[Struct.derived]] creates an instance: memory is allocated by its sizes, so that a
  * hand-written one could access other memory. A hand-written instance does not compile.
  *
  * {{{
  * final case class Trade(price: Int, amount: Long) derives Struct
  * println(Struct[Trade].layout.show)
  * println(Struct[Trade].size) // 16 bytes
  * }}}
  */
@implicitNotFound(
  "${T} has no Struct: a case class of primitives and structs, or an enum of such, has one by `derives Struct`; a String is stored as a Text[N], of up to N bytes, and a type parameter has a bound, [T: Struct]"
)
abstract class Struct[T](
    private[undercroft] val fingerprint: Long,
    alignedBytesPerRow: Int,
    bytesAlignment: Int,
    packedBytesPerRow: Int,
    columnarBytesPerRow: Int
)(using derivation: Struct.Derivation):
  Struct.admit(derivation)

  /** The size of one value under the C ABI, in bytes, with its tail padding.
    *
    * {{{
    * println((Struct[Trade].size, Struct[Trade].alignment)) // (16,4)
    * println((Struct[Trade].packedSize, Struct[Trade].columnarSize)) // (13,13)
    * }}}
    */
  final val size: Int = alignedBytesPerRow

  /** The alignment under the C ABI, in bytes. */
  final val alignment: Int = bytesAlignment

  /** The size of one value without padding, in bytes. */
  final val packedSize: Int = packedBytesPerRow

  /** The size of one value in [[Columns]], in bytes. */
  final val columnarSize: Int = columnarBytesPerRow

  /** The names, types and logical types of the fields, called at its first use: rows are allocated
    * and accessed by the constants of the constructor.
    */
  protected def describe: StructDescription

  private lazy val description = describe

  /** The types of the fields with their names. */
  final def shape: Shape = description.shape

  private[undercroft] final def history: () => List[FieldHistory] = description.history

  private[struct] final def meanings: () => List[StoredMeaning] = description.meanings

  /** Loads a value from memory in one of the layouts.
    *
    * {{{
    * import java.lang.foreign.Arena
    * def copies[T](value: T, count: Int)(using struct: Struct[T]): List[T] =
    *   val segment = Arena.ofAuto().allocate(struct.size.toLong * count, struct.alignment)
    *   for i <- 0 until count do struct.storeAligned(segment, i.toLong * struct.size, value)
    *   List.tabulate(count)(i => struct.loadAligned(segment, i.toLong * struct.size))
    * println(copies(Bill(1, 250), 2)) // List(Bill(1,250), Bill(1,250))
    * }}}
    */
  def loadAligned(segment: MemorySegment, offset: Long): T
  def loadPacked(segment: MemorySegment, offset: Long): T
  def loadColumns(segment: MemorySegment, capacity: Long, row: Long): T

  /** Passes `rows` values, starting at an offset, to `step` until it returns false; returns whether
    * it never did. Each struct has separate loops, so that the JIT's profile of one struct does not
    * slow down another.
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

  /** Every primitive field, at any depth, in declaration order.
    *
    * {{{
    * println(Struct[Bill].leaves.map(_.path.mkString("."))) // List(ticket, price)
    * }}}
    */
  final def leaves: List[Shape.Leaf] = description.leaves

  /** The logical types of the fields that have one, by their paths of names; those of the elements
    * if the field is an array. The names of enum cases are parts of a path, and the value of an
    * Option is its `get`. The path of a row that is itself such a value is empty.
    *
    * {{{
    * import java.time.LocalDate
    * final case class Holiday(number: Int, day: LocalDate) derives Struct
    * println(Struct[Holiday].logicalTypes) // Map(List(day) -> Date)
    * }}}
    */
  final def logicalTypes: Map[List[String], LogicalType] = description.logicalTypes

  /** The Structs of the elements of each RowsRef, by the paths of [[logicalTypes]]. */
  private[undercroft] final def runs: Map[List[String], Struct[?]] = description.runs

  /** The C ABI layout, for `java.lang.foreign`.
    *
    * {{{
    * println(Struct[Bill].layout.memberLayouts.size) // 2
    * }}}
    */
  final def layout: StructLayout = description.layout

  /** The layout without padding: its members are unaligned, in declaration order. */
  final def packedLayout: StructLayout = description.packedLayout

  /** One leaf of each column: leaves of several cases share a column. */
  private[struct] final def columns: Array[Shape.Leaf] = description.columns

  /** The significant bytes of a value, without padding, in each layout. */
  private[struct] final def alignedBytes: StructBytes = description.alignedBytes
  private[struct] final def packedBytes: StructBytes = description.packedBytes
  private[struct] final def columnarBytes: StructBytes = description.columnarBytes

  /** Copies values under the C ABI to the layout without padding. */
  private[struct] final def packing: Packing = description.packing

  /** Whether a store leaves some bytes of a row as they were: padding, or bytes that the stored
    * case does not use.
    */
  private[struct] final def isPartial(kind: Table.Kind): Boolean =
    if kind == Table.Kind.Aligned then description.hasPadding else description.hasCases

  /** This instance; throws if code was generated for another layout than it has. */
  @publicInBinary private[struct] final def agreed(compiled: Long, text: String): Struct[T] =
    if compiled != fingerprint then Fingerprint.differ(this, text)
    this

  override def toString: String = s"Struct[${shape.name}]"
end Struct

/** Types without a class that could derive: their given has the lowest priority, so that an opaque
  * type with a [[Struct.StoredAs]] is stored as that defines.
  */
sealed trait ElementStructs:
  inline given ofElement[T](using @unused element: Struct.Element[T]): Struct[T] =
    ${ Derivation.deriveElement[T] }

/** Named tuples need no `derives`. To the compiler a tuple is a named tuple without names, so this
  * given has a lower priority than the one for tuples.
  */
sealed trait NamedTupleStructs extends ElementStructs:
  inline given ofNamed[N <: Tuple, V <: Tuple]: Struct[NamedTuple.NamedTuple[N, V]] =
    Struct.derived[NamedTuple.NamedTuple[N, V]]

object Struct extends NamedTupleStructs:
  /** The Struct of a type.
    *
    * {{{
    * println(Struct[(Int, Double)].size) // 16
    * }}}
    */
  def apply[T](using struct: Struct[T]): Struct[T] = struct

  /** Generates the Struct of a case class; an unsupported type is a compile error that states the
    * cure.
    *
    * {{{
    * enum Side derives Struct:
    *   case Buy, Sell
    * final case class Order(price: Int, limit: Option[Int], side: Side) derives Struct
    * val orders = Rows.from(List(Order(250, Some(260), Side.Buy), Order(251, None, Side.Sell)))
    * println(orders.count(_.limit.isEmpty)) // 1
    * println(orders(0).side) // Buy
    * }}}
    */
  inline def derived[T]: Struct[T] = ${ Derivation.derive[T] }

  /** The offset of a field under the C ABI, in bytes: C's `offsetof`, a constant in the generated
    * code. The field is written as `_.price` or `_.at.x`; anything else is a compile error.
    *
    * {{{
    * println(Struct.offsetOf[Trade](_.price)) // 8
    * println(Struct[Trade].leaves.find(_.path == List("price")).map(_.aligned)) // Some(8)
    * }}}
    */
  inline def offsetOf[T](inline field: T => Any): Long =
    ${ Derivation.offsetOf('field, '{ false }) }

  /** The offset of a field without padding, in bytes, as [[offsetOf]].
    *
    * {{{
    * println(Struct.packedOffsetOf[Trade](_.buy)) // 12
    * }}}
    */
  inline def packedOffsetOf[T](inline field: T => Any): Long =
    ${ Derivation.offsetOf('field, '{ true }) }

  /** The right to create instances, which only generated code has. */
  @implicitNotFound(
    "a Struct cannot be written by hand, because memory is allocated by its sizes: write " +
      "`derives Struct` at the class, or `given Struct[T] = Struct.derived`"
  )
  final class Derivation private[Struct] ()

  @publicInBinary private[struct] val derivation: Derivation = new Derivation()

  private def admit(right: Derivation): Unit =
    if right ne derivation then
      throw UnsupportedOperationException(
        "a Struct cannot be written by hand: write `derives Struct` at the class"
      )

  /** Evidence that `T` needs no `derives`, because it is stored as one field is: a primitive,
    * [[Text]], [[TextRef]], [[BytesRef]], a reference, an [[InlineArray]], a [[Union]], an Option,
    * an enum without fields, or an opaque type.
    *
    * {{{
    * val prices = Rows.from(List(250, 252, 249))
    * println(prices.max) // 252
    * }}}
    */
  final class Element[T] private[Struct] ()

  object Element:
    transparent inline given of[T]: Element[T] = ${ Derivation.element[T] }

  @publicInBinary private[struct] def elementOf[T]: Element[T] = new Element[T]()

  /** Tuples need no `derives`. */
  inline given ofTuple[T <: NonEmptyTuple]: Struct[T] = derived[T]

  /** Types with a [[Struct.StoredAs]] need no `derives`. */
  inline given ofStored[A](using @unused as: StoredAs[A, ?]): Struct[A] = derived[A]

  /** Defines how values of `A`, a type without a Struct, are stored: as values of `B`, a primitive
    * or a type with a Struct. Both functions must be pure; they run at each load and store, so `A`
    * must be immutable: a change to a loaded value does not reach the memory. If `encode` throws,
    * memory is unchanged.
    *
    * LocalDate, LocalTime, LocalDateTime, Instant, Duration, UUID and BigDecimal have a default
    * one. A given in scope takes its place. A given in the companion of a class stores the fields
    * of the class everywhere; code that has not imported it loads and stores whole values by the
    * class's Struct.
    *
    * {{{
    * import java.time.Instant
    * given Struct.StoredAs[Instant, Long] = Struct.storedAs[Instant, Long](_.toEpochMilli)(Instant.ofEpochMilli(_).nn)
    * final case class Tick(at: Instant, price: Int) derives Struct
    * }}}
    */
  abstract class StoredAs[A, B]:
    def encode(value: A): B
    def decode(stored: B): A

    /** The meaning of the stored values in files; None for plain values of `B`. */
    def logicalType: Option[LogicalType] = None

    /** The same conversion with a logical type. A file cannot be written if the logical type is not
      * stored as a `B`.
      *
      * {{{
      * final class Isin(val code: String)
      * given Struct.StoredAs[Isin, Text[12]] = Struct
      *   .storedAs[Isin, Text[12]](isin => Text(isin.code))(text => Isin(text.string))
      *   .withLogicalType(LogicalType.Named("isin"))
      * println(Struct[(Isin, Int)].logicalTypes) // Map(List(_1) -> Named(isin))
      * }}}
      */
    final def withLogicalType(logicalType: LogicalType): StoredAs[A, B] =
      Converted(encode, decode, Some(logicalType))
  end StoredAs

  /** The conversions of java.time's types, UUIDs and BigDecimals, which are exact: a value that has
    * no stored form throws ArithmeticException with the range.
    */
  object StoredAs:
    /** Days since 1970-01-01, from -5877641-06-23 to +5881580-07-11. */
    given localDate: StoredAs[LocalDate, Int] = TimeConversions.OfLocalDate

    /** Nanoseconds since midnight. */
    given localTime: StoredAs[LocalTime, Long] = LogicalType.localTime(LogicalType.TimeUnit.Nanos)

    /** Nanoseconds since 1970-01-01T00:00Z, from 1677-09-21 to 2262-04-11. */
    given instant: StoredAs[Instant, Long] = LogicalType.instant(LogicalType.TimeUnit.Nanos)

    /** Nanoseconds since 1970-01-01T00:00, from 1677-09-21 to 2262-04-11. */
    given localDateTime: StoredAs[LocalDateTime, Long] =
      LogicalType.localDateTime(LogicalType.TimeUnit.Nanos)

    /** Nanoseconds, up to 292 years. */
    given duration: StoredAs[Duration, Long] = LogicalType.duration(LogicalType.TimeUnit.Nanos)

    given uuid: StoredAs[UUID, Bits128] = TimeConversions.OfUuid

    /** Up to 20 digits before the decimal point and 18 after it, in two Longs. A loaded value has
      * the scale 18. A given of [[LogicalType.decimal]], in one Long, is stored in half of the
      * memory, and is faster.
      */
    given bigDecimal: StoredAs[BigDecimal, Bits128] =
      LogicalType.decimal128(precision = 38, scale = 18)
  end StoredAs

  /** A `StoredAs` from two functions.
    *
    * {{{
    * import java.time.Year
    * given Struct.StoredAs[Year, Int] = Struct.storedAs[Year, Int](_.getValue)(Year.of)
    * final case class Person(number: Int, born: Year) derives Struct
    * println(Ref(Person(1, Year.of(1815)))().born) // 1815
    * }}}
    */
  def storedAs[A, B](from: A => B)(to: B => A): StoredAs[A, B] = Converted(from, to, None)

  private final class Converted[A, B](
      from: A => B,
      to: B => A,
      override val logicalType: Option[LogicalType]
  ) extends StoredAs[A, B]:
    def encode(value: A): B = from(value)
    def decode(stored: B): A = to(stored)
end Struct

/** Drawings of layouts as text: one line per member with its offset, size and type, gaps as
  * padding.
  */
extension (layout: MemoryLayout)

  /** The layout as text.
    *
    * {{{
    * println(Struct[Trade].layout.show)
    * }}}
    */
  def show: String = MemoryLayouts.show(layout)

  /** The differences between two layouts, by the lines of both drawings: lines of this one alone
    * after a `-`, lines of the other alone after a `+`. Empty if there are none.
    *
    * {{{
    * println(Struct[Bill].layout.diff(Struct[Bill].packedLayout).isEmpty) // false
    * println(Struct[Bill].layout.diff(Struct[Bill].layout).isEmpty) // true
    * }}}
    */
  def diff(other: MemoryLayout): String = MemoryLayouts.diff(layout, other)
