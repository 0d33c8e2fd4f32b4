package undercroft.lab.bench

// Where does Scala 3 still pay for a ClassTag when it makes an array?

import org.openjdk.jmh.annotations.*
import undercroft.memory.HeapArrays
import scala.reflect.ClassTag

/** An array of `length` Ints, made with `new`, through a ClassTag, and by our helpers. */
@State(Scope.Thread)
class ClassTags extends Measured:
  import ClassTags.*
  @Param(Array("10", "1000", "100000")) var length = 0

  @Benchmark def newArray(): Array[Int] = new Array[Int](length)

  @Benchmark def ofDimKnown(): Array[Int] = Array.ofDim[Int](length)

  @Benchmark def ofDimGeneric(): Array[Int] = made[Int](length)

  @Benchmark def fillLoop(): Array[Int] =
    val ints = new Array[Int](length)
    var i = 0
    while i < ints.length do
      ints(i) = 7
      i += 1
    ints

  @Benchmark def fillStandard(): Array[Int] = Array.fill(length)(7)

  @Benchmark def tabulateLoop(): Array[Int] =
    val ints = new Array[Int](length)
    var i = 0
    while i < ints.length do
      ints(i) = i * 3
      i += 1
    ints

  @Benchmark def tabulateStandard(): Array[Int] = Array.tabulate(length)(_ * 3)

  @Benchmark def ofDimOurs(): Array[Int] = known[Int](length)

  @Benchmark def fillOurs(): Array[Int] = HeapArrays.fill(length)(7)

  @Benchmark def tabulateOurs(): Array[Int] = HeapArrays.tabulate(length)(_ * 3)
end ClassTags

object ClassTags:
  /** The element type arrives as evidence. */
  def made[A: ClassTag](length: Int): Array[A] = Array.ofDim[A](length)

  /** The element type is known where the call is compiled. */
  inline def known[A](length: Int): Array[A] = HeapArrays.ofDim[A](length)
