package undercroft.lab.bench

// How much does one field of a wide struct cost: through a reference, in a loop, and updated in place?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** A thousand rows of Int fields, of which the last one is read or incremented. A result is for one
  * row. Number `k` of all their fields is `k` at first.
  */
@State(Scope.Thread)
@OperationsPerInvocation(WideFields.count)
class WideFields extends Measured:
  import WideFields.*
  import WiderStructs.*
  import WideStructs.*
  @Param(Array("64", "128", "250")) var fields = 0

  private val region = Region.shared()
  private given Region = region
  private val rows64 = Rows[Wide64](count)
  private val rows128 = Rows[Wide128](count)
  private val rows250 = Rows[Wide250](count)
  private var base = 0L
  private var stride = 0L

  @Setup def fill(): Unit =
    for segment <- Seq(rows64.segment, rows128.segment, rows250.segment) do
      WidePlaces.number(segment)
    stride = fields * 4L
    base = LibC.map(count * stride, huge = false)
    for k <- 0L until count * fields do Raw.unsafe.putInt(base + k * 4, k.toInt)

  @TearDown def close(): Unit =
    region.close()
    LibC.unmap(base, count * stride)

  @Benchmark def refRows(): Long = fields match
    case 64  => sum(i => rows64.ref(i).f63)
    case 128 => sum(i => rows128.ref(i).f127)
    case 250 => sum(i => rows250.ref(i).f249)

  @Benchmark def foldRows(): Long = fields match
    case 64  => rows64.sumOf(_.f63)
    case 128 => rows128.sumOf(_.f127)
    case 250 => rows250.sumOf(_.f249)

  /** Increments the field; returns the number of rows. */
  @Benchmark def updateRows(): Long = fields match
    case 64  => each(i => rows64.updateAt(i)(_.f63)(_ + 1))
    case 128 => each(i => rows128.updateAt(i)(_.f127)(_ + 1))
    case 250 => each(i => rows250.updateAt(i)(_.f249)(_ + 1))

  @Benchmark def readUnsafe(): Long =
    val (first, step) = (base + stride - 4, stride)
    sum(i => Raw.unsafe.getInt(first + i * step))

  @Benchmark def updateUnsafe(): Long =
    val (first, step) = (base + stride - 4, stride)
    each: i =>
      val at = first + i * step
      Raw.unsafe.putInt(at, Raw.unsafe.getInt(at) + 1)
end WideFields

object WideFields:
  final val count = 1000

  private inline def sum(inline value: Int => Int): Long =
    var sum = 0L
    var i = 0
    while i < count do
      sum += value(i)
      i += 1
    sum

  private inline def each(inline step: Int => Unit): Long =
    var i = 0
    while i < count do
      step(i)
      i += 1
    i
end WideFields
