package undercroft.lab.bench

// How much does toArray cost beside a loop over new Array, for each kind of collection?

import org.openjdk.jmh.annotations.*
import undercroft.memory.HeapArrays
import scala.collection.immutable.ArraySeq

/** A collection of `length` Ints converted to an array: by the library with a ClassTag, by ours,
  * and by a loop over its iterator.
  */
@State(Scope.Thread)
class ToArrays extends Measured:
  @Param(Array("10", "1000", "100000")) var length = 0
  @Param(Array("Vector", "List", "ArraySeq")) var collection = ""

  private var source = Iterable[Int]()

  @Setup def open(): Unit =
    val values = Vector.tabulate(length)(_ * 3)
    source = collection match
      case "Vector" => values
      case "List"   => values.toList
      case _        => values.to(ArraySeq) // of an int[]

  @Benchmark def standard(): Array[Int] = source.toArray

  @Benchmark def ours(): Array[Int] = HeapArrays.toArray(source)

  @Benchmark def loop(): Array[Int] =
    val (values, ints) = (source.iterator, new Array[Int](source.size))
    var i = 0
    while i < ints.length do
      ints(i) = values.next()
      i += 1
    ints
end ToArrays
