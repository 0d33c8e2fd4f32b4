package undercroft.lab.arrays213

// Is Array.ofDim slower than new Array? The first article's benchmark, on Scala 2.13.

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations._

/** Byte arrays of one to three dimensions that hold `bytes` bytes in all, a power of two.
  *
  * Scala 2.13 compiles `ofDim` to a library call with a ClassTag, whatever the element type is;
  * `new Array` is the bare instruction, with a loop for each further dimension.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms2g",
    "-Xmx2g",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
class ArraysBenchmark {
  @Param(Array("1", "32", "1024", "32768", "1048576")) var bytes = 0

  private var square = new Array[Int](0)
  private var cube = new Array[Int](0)

  @Setup def open(): Unit = {
    val exponent = Integer.numberOfTrailingZeros(bytes)
    val third = exponent / 3
    square = Array(1 << exponent / 2, 1 << exponent - exponent / 2)
    cube = Array(1 << third, 1 << (exponent - third) / 2, 1 << (exponent - third + 1) / 2)
  }

  @Benchmark def newArray1(): Array[Byte] = new Array[Byte](bytes)

  @Benchmark def ofDim1(): Array[Byte] = Array.ofDim[Byte](bytes)

  @Benchmark def newArray2(): Array[Array[Byte]] = {
    val rows = new Array[Array[Byte]](square(0))
    var i = 0
    while (i < rows.length) {
      rows(i) = new Array[Byte](square(1))
      i += 1
    }
    rows
  }

  @Benchmark def ofDim2(): Array[Array[Byte]] = Array.ofDim[Byte](square(0), square(1))

  @Benchmark def newArray3(): Array[Array[Array[Byte]]] = {
    val planes = new Array[Array[Array[Byte]]](cube(0))
    var i = 0
    while (i < planes.length) {
      val rows = new Array[Array[Byte]](cube(1))
      var j = 0
      while (j < rows.length) {
        rows(j) = new Array[Byte](cube(2))
        j += 1
      }
      planes(i) = rows
      i += 1
    }
    planes
  }

  @Benchmark def ofDim3(): Array[Array[Array[Byte]]] =
    Array.ofDim[Byte](cube(0), cube(1), cube(2))
}
