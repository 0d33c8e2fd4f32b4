package undercroft.lab.bench

// How much does a read at a random place of a heap array cost, as far as the heap goes?

import org.openjdk.jmh.annotations.*

/** The heap's variant of [[RandomGather]]: the same places in an Int array, four Ints per struct.
  */
@State(Scope.Thread)
class HeapGather extends Measured:
  @Param(Array("32", "512", "8192", "131072", "1048576")) var kibibytes = 0

  private var ints = new Array[Int](0)
  private var places = new Array[Int](0)

  @Setup def open(): Unit =
    val structs = kibibytes * 64
    ints = new Array[Int](structs * 4)
    places = RandomGather.drawn(structs).map(i => (i * 4).toInt)
    for i <- 0 until structs do ints(i * 4 + 2) = i

  @Benchmark def heap(): Long =
    val (at, in) = (places, ints)
    var i = 0
    var sum = 0L
    while i < at.length do
      sum += in(at(i) + 2)
      i += 1
    sum
end HeapGather
