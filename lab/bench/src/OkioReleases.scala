package undercroft.lab.bench

// How much did Okio's pool cost in 2.6.0, with a lock, and in 2.7.0, and how much does it cost now?

import java.nio.file.Path
import java.util.function.LongUnaryOperator
import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Buffer, SegmentPool}

/** A byte written to a buffer and read, which takes a segment and recycles it: the same class
  * ([[OkioBytes]]) in a separate class loader for each version of Okio, beside ours.
  */
@OperationsPerInvocation(PoolPairs.pairs)
class OkioReleases extends Crew:
  private val locked = SegmentPool.synchronizedPool()
  private val byThread = SegmentPool.striped(stripes = 16)
  private val byProcessor = SegmentPool.perCpu()

  @Benchmark def okio26(): Long = by(OkioReleases.okio26)
  @Benchmark def okio27(): Long = by(OkioReleases.okio27)
  @Benchmark def okio3(): Long = by(OkioReleases.okio3)

  @Benchmark def synchronizedPool(): Long = ours(locked)
  @Benchmark def striped(): Long = ours(byThread)
  @Benchmark def perProcessor(): Long = ours(byProcessor)

  private def by(okio: LongUnaryOperator): Long =
    together(PoolPairs.pairs)(count => okio.applyAsLong(count))

  private def ours(pool: SegmentPool): Long =
    together(PoolPairs.pairs): count =>
      val buffer = Buffer(using pool)
      var read = 0L
      var i = 0
      while i < count do
        read += buffer.writeByte(1).readByte()
        i += 1
      read
end OkioReleases

object OkioReleases:
  lazy val okio26: LongUnaryOperator = of("UNDERCROFT_LAB_OKIO_2_6")
  lazy val okio27: LongUnaryOperator = of("UNDERCROFT_LAB_OKIO_2_7")
  lazy val okio3: LongUnaryOperator = OkioBytes()

  /** The class, loaded with the jars of a version. */
  private def of(variable: String): LongUnaryOperator =
    val own = classOf[OkioBytes]
    val classes = own.getProtectionDomain.nn.getCodeSource.nn.getLocation.nn.toURI
    Isolated.program(own.getName.nn, variable, Path.of(classes).nn)
end OkioReleases
