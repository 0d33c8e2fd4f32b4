package undercroft.lab.bench

// How much does Array.ofDim cost beside new Array on Scala 3, which compiles it to the instruction?

import org.openjdk.jmh.annotations.*
import undercroft.memory.HeapArrays

/** The methods of the first article's `ArraysBenchmark` (Scala 2.13) that Scala 3 compiles to other
  * code.
  */
@State(Scope.Thread)
class ArraysInScala3 extends Measured:
  @Param(Array("1", "32", "1024", "32768", "1048576")) var bytes = 0

  private var square = new Array[Int](0)
  private var cube = new Array[Int](0)

  @Setup def open(): Unit =
    val exponent = Integer.numberOfTrailingZeros(bytes)
    val third = exponent / 3
    square = Array(1 << exponent / 2, 1 << exponent - exponent / 2)
    cube = Array(1 << third, 1 << (exponent - third) / 2, 1 << (exponent - third + 1) / 2)

  @Benchmark def ofDim1(): Array[Byte] = Array.ofDim[Byte](bytes)

  @Benchmark def ofDim2(): Array[Array[Byte]] = Array.ofDim[Byte](square(0), square(1))

  @Benchmark def ofDim3(): Array[Array[Array[Byte]]] =
    Array.ofDim[Byte](cube(0), cube(1), cube(2))

  @Benchmark def ofDim2Ours(): Array[Array[Byte]] =
    HeapArrays.ofDim[Byte](square(0), square(1))

  @Benchmark def ofDim3Ours(): Array[Array[Array[Byte]]] =
    HeapArrays.ofDim[Byte](cube(0), cube(1), cube(2))
end ArraysInScala3
