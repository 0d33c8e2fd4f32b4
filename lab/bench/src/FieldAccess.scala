package undercroft.lab.bench

// How much does it cost to read or write one Int field of a struct, by its address, in L1?

import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Region}
import undercroft.struct.*

/** 1 024 structs of 16 bytes, visited one after another through an array of their addresses. */
@State(Scope.Thread)
@OperationsPerInvocation(FieldAccess.count)
class FieldAccess extends Measured:
  import FieldAccess.*
  private var base = 0L
  private var addresses = new Array[Long](0)
  private var heap = new Array[Int](0)
  private var places = new Array[Int](0)
  private val region = Region.shared()
  private given Region = region
  private val rows = Rows[Gathered](count)
  // A Ref is a Long; an array of them would box.
  private var refs = new Array[Long](0)

  @Setup def open(): Unit =
    base = LibC.map(count * stride, huge = false)
    addresses = Array.tabulate(count)(base + _ * stride)
    places = Array.tabulate(count)(_ * 4)
    heap = new Array[Int](count * 4)
    for i <- 0 until count do
      Raw.unsafe.putInt(addresses(i) + price, i)
      heap(places(i) + 2) = i
      rows(i) = Gathered(0, 0, i, 0)
    refs = Array.tabulate(count)(i => Ref.address(rows.ref(i)).bits)

  @TearDown def close(): Unit =
    LibC.unmap(base, count * stride)
    region.close()

  @Benchmark def readHeapArray(): Long =
    var i = 0
    var sum = 0L
    while i < count do
      sum += heap(places(i) + 2)
      i += 1
    sum

  @Benchmark def readUnsafe(): Long =
    var i = 0
    var sum = 0L
    while i < count do
      sum += Raw.unsafe.getInt(addresses(i) + price)
      i += 1
    sum

  @Benchmark def readFfm(): Long =
    var i = 0
    var sum = 0L
    while i < count do
      sum += Raw.memory.get(Raw.int, addresses(i) + price)
      i += 1
    sum

  @Benchmark def readFfmAligned(): Long =
    var i = 0
    var sum = 0L
    while i < count do
      sum += Raw.memory.get(Raw.alignedInt, addresses(i) + price)
      i += 1
    sum

  @Benchmark def writeHeapArray(): Int =
    var i = 0
    while i < count do
      heap(places(i) + 2) = i + 7
      i += 1
    heap(places(count - 1) + 2)

  @Benchmark def writeUnsafe(): Int =
    var i = 0
    while i < count do
      Raw.unsafe.putInt(addresses(i) + price, i + 7)
      i += 1
    Raw.unsafe.getInt(addresses(count - 1) + price)

  @Benchmark def writeFfm(): Int =
    var i = 0
    while i < count do
      Raw.memory.set(Raw.int, addresses(i) + price, i + 7)
      i += 1
    Raw.memory.get(Raw.int, addresses(count - 1) + price)

  @Benchmark def writeFfmAligned(): Int =
    var i = 0
    while i < count do
      Raw.memory.set(Raw.alignedInt, addresses(i) + price, i + 7)
      i += 1
    Raw.memory.get(Raw.alignedInt, addresses(count - 1) + price)

  @Benchmark def readRef(): Long =
    var i = 0
    var sum = 0L
    while i < count do
      sum += Ref.at[Gathered](Address.ofBits(refs(i))).value
      i += 1
    sum

  @Benchmark def writeRef(): Int =
    var i = 0
    while i < count do
      Ref.at[Gathered](Address.ofBits(refs(i))).value = i + 7
      i += 1
    rows(count - 1).value
end FieldAccess

object FieldAccess:
  final val count = 1024
  final val stride = 16L
  final val price = 8L
