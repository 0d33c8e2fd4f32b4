package undercroft.lab.bench

// What does toArray cost beside a loop over new Array, by the collection that it is asked of?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Arrays
import scala.collection.immutable.ArraySeq

/** A collection of `length` Ints made an array: by the library with a ClassTag, by ours, and by a
  * loop over its iterator.
  */
@State(Scope.Thread)
class ToArrays extends Measured:
  @Param(Array("10", "1000", "100000")) var length = 0
  @Param(Array("Vector", "List", "ArraySeq")) var collection = ""

  private var source = Iterable[Int]()

  @Setup def open(): Unit =
    val all = Vector.tabulate(length)(_ * 3)
    source = collection match
      case "Vector" => all
      case "List"   => all.toList
      case _        => all.to(ArraySeq) // of an int[]

  @Benchmark def standard(): Array[Int] = source.toArray

  @Benchmark def ours(): Array[Int] = Arrays.toArray(source)

  @Benchmark def loop(): Array[Int] =
    val (each, ints) = (source.iterator, new Array[Int](source.size))
    var i = 0
    while i < ints.length do
      ints(i) = each.next()
      i += 1
    ints
end ToArrays
