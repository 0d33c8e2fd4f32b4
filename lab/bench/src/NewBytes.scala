package undercroft.lab.bench

// How much does a new byte array cost by its size, and how much of that is its zero fill?

import org.openjdk.jmh.annotations.*

/** The fifth article's table: 1 000, 10 000 and 100 000 bytes; the fill is measured by itself. */
@State(Scope.Thread)
class NewBytes extends Measured:
  @Param(Array("1000", "10000", "100000")) var bytes = 0

  private var array = new Array[Byte](0)

  @Setup def open(): Unit = array = new Array[Byte](bytes)

  @Benchmark def newArray(): Array[Byte] = new Array[Byte](bytes)

  @Benchmark def zeroFill(): Array[Byte] =
    java.util.Arrays.fill(array, 0.toByte)
    array
end NewBytes
