package undercroft.lab.bench

// How much does a checked Ref cost at a random place, from L1 to 8 GiB, with 4 KiB and huge pages?

import org.openjdk.jmh.annotations.*
import undercroft.memory.{Address, Pages, Region}
import undercroft.struct.*

/** Our variant of [[RandomGather]]: the same places, through Refs. */
@State(Scope.Thread)
class RefGather extends Measured:
  import RandomGather.*

  @Param(Array("32", "512", "8192", "131072", "1048576", "8388608")) var kibibytes = 0
  @Param(Array("small", "huge")) var pages = "small"

  private var region: Region | Null = null
  // A Ref is a Long; an array of them would box.
  private var refs = new Array[Long](0)
  private var array = RefArray[Gathered](0)

  @Setup def open(): Unit =
    val owner = Region.shared("gather", pages = if pages == "huge" then Pages.huge else Pages.small)
    region = owner
    val structs = kibibytes * 1024L / stride
    val rows = Rows[Gathered](structs)(using owner)
    var i = 0L
    while i < structs do
      rows(i) = Gathered(0, 0, i.toInt, 0)
      i += 1
    refs = drawn(structs).map(place => Ref.address(rows.ref(place)).bits)
    array = RefArray[Gathered](refs.length)
    for i <- refs.indices do array(i) = Ref.at[Gathered](Address.ofBits(refs(i)))

  @TearDown def close(): Unit = region.nn.close()

  @Benchmark def ref(): Long =
    val at = refs
    var i = 0
    var sum = 0L
    while i < at.length do
      sum += Ref.at[Gathered](Address.ofBits(at(i))).value
      i += 1
    sum

  /** The same sum, by a fused loop. */
  @Benchmark def view(): Long = array.view.sumOf(_.value)
end RefGather
