package undercroft.lab.bench

// How much did Okio's pool cost in 2.6.0, with a lock, and in 2.7.0, and how much does it cost now?

import java.nio.file.Path
import java.util.function.LongUnaryOperator
import org.openjdk.jmh.annotations.*

/** A byte written to a buffer and read, which takes a segment and recycles it: the same class
  * ([[OkioBytes]]) in a separate class loader for each version of Okio.
  */
@OperationsPerInvocation(PoolPairs.pairs)
class OkioReleases extends Crew:
  @Benchmark def okio26(): Long = by(OkioReleases.okio26)
  @Benchmark def okio27(): Long = by(OkioReleases.okio27)
  @Benchmark def okio3(): Long = by(OkioReleases.okio3)

  private def by(okio: LongUnaryOperator): Long =
    together(PoolPairs.pairs)(count => okio.applyAsLong(count))
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
