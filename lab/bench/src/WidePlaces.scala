package undercroft.lab.bench

// How much do copying, comparing and hashing of wide structs in place cost, beside memcpy?

import java.lang.foreign.{Arena, MemorySegment}
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** Sixteen structs of Int fields in L1, each beside an equal one; number `k` of all their fields is
  * `k`. A result is for one struct. Comparing reads all of it, as nothing differs.
  */
@State(Scope.Thread)
@OperationsPerInvocation(WidePlaces.operations)
class WidePlaces extends Measured:
  import WidePlaces.*
  import WiderStructs.*
  import WideStructs.*
  @Param(Array("64", "128", "250")) var fields = 0

  private val region = Region.shared()
  private given Region = region
  private val (from64, to64) = (Rows[Wide64](count), Rows[Wide64](count))
  private val (from128, to128) = (Rows[Wide128](count), Rows[Wide128](count))
  private val (from250, to250) = (Rows[Wide250](count), Rows[Wide250](count))

  @Setup def fill(): Unit =
    for segment <- Seq(
        from64.segment,
        to64.segment,
        from128.segment,
        to128.segment,
        from250.segment,
        to250.segment
      )
    do
      number(segment)

  @TearDown def close(): Unit = region.close()

  /** Copies the structs; returns the last field. */
  @Benchmark def copy(): Long =
    fields match
      case 64 =>
        each(from64, to64)(copied(_, _)): Unit
        to64.ref(count - 1).f63
      case 128 =>
        each(from128, to128)(copied(_, _)): Unit
        to128.ref(count - 1).f127
      case 250 =>
        each(from250, to250)(copied(_, _)): Unit
        to250.ref(count - 1).f249

  /** The number of equal pairs. */
  @Benchmark def same(): Long =
    fields match
      case 64  => each(from64, to64)((a, b) => if Ref.contentEquals(a, b) then 1 else 0)
      case 128 => each(from128, to128)((a, b) => if Ref.contentEquals(a, b) then 1 else 0)
      case 250 => each(from250, to250)((a, b) => if Ref.contentEquals(a, b) then 1 else 0)

  /** The sum of the orders of all pairs, which is 0. */
  @Benchmark def compare(): Long =
    fields match
      case 64  => each(from64, to64)(Ref.compare(_, _))
      case 128 => each(from128, to128)(Ref.compare(_, _))
      case 250 => each(from250, to250)(Ref.compare(_, _))

  /** The sum of their hashes. */
  @Benchmark def hash(): Long =
    fields match
      case 64  => each(from64, to64)((a, _) => Ref.hash(a))
      case 128 => each(from128, to128)((a, _) => Ref.hash(a))
      case 250 => each(from250, to250)((a, _) => Ref.hash(a))

  private val arena = Arena.ofConfined()
  private var (rawFrom, rawTo) = (MemorySegment.NULL, MemorySegment.NULL)

  @Setup def fillRaw(): Unit =
    rawFrom = arena.allocate(fields * 4L * count, 64)
    rawTo = arena.allocate(fields * 4L * count, 64)
    number(rawFrom)
    number(rawTo)

  @TearDown def closeArena(): Unit = arena.close()

  /** Copies the same bytes between segments of Java; returns the last field. */
  @Benchmark def segmentCopy(): Long =
    val bytes = fields * 4L
    eachPlace(bytes): at =>
      MemorySegment.copy(rawFrom, at, rawTo, at, bytes)
      0
    : Unit
    rawTo.get(Raw.int, bytes * count - 4)

  /** The number of equal pairs, by Java's mismatch. */
  @Benchmark def segmentMismatch(): Long =
    val bytes = fields * 4L
    eachPlace(bytes): at =>
      if MemorySegment.mismatch(rawFrom, at, at + bytes, rawTo, at, at + bytes) < 0 then 1 else 0
end WidePlaces

object WidePlaces:
  final val count = 16
  final val passes = 16384
  final val operations = count * passes

  def number(segment: java.lang.foreign.MemorySegment): Unit =
    for k <- 0 until (segment.byteSize / 4).toInt do segment.set(Raw.int, k * 4L, k)

  private inline def copied[T: Struct](from: Ref[T], to: Ref[T]): Long =
    Ref.copy(from, to)
    0

  /** The sum of `f` over all offsets of structs, in all passes. */
  private inline def eachPlace(bytes: Long)(inline f: Long => Long): Long =
    var sum = 0L
    var pass = 0
    while pass < passes do
      var i = 0
      while i < count do
        sum += f(i * bytes)
        i += 1
      pass += 1
    sum

  /** The sum of `f` over all pairs, in all passes. */
  private inline def each[T](from: Rows[T], to: Rows[T])(inline f: (Ref[T], Ref[T]) => Long): Long =
    var sum = 0L
    var pass = 0
    while pass < passes do
      var i = 0
      while i < count do
        sum += f(from.ref(i), to.ref(i))
        i += 1
      pass += 1
    sum
end WidePlaces

/** The same structs copied in C. */
@State(Scope.Thread)
@OperationsPerInvocation(WidePlaces.operations)
class WidePlacesInC extends Measured:
  @Param(Array("64", "128", "250")) var fields = 0

  private var c: CStructs = scala.compiletime.uninitialized

  @Setup def start(): Unit = c = CStructs.start()
  @TearDown def stop(): Unit = c.close()

  @Benchmark def memcpy(): Long = c.copy(fields * 4, WidePlaces.count, WidePlaces.passes)
end WidePlacesInC
