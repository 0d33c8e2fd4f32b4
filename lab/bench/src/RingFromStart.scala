package undercroft.lab.bench

// How fast is a ring of actors from the start of its JVM on, and how much processor time does it take?

import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized

/** A ring of a hundred actors with one token. A call is [[RingFromStart.hops]] messages; the calls
  * of a JVM follow each other without a warm-up. Counted: the processor time of a message.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 100)
class RingFromStart extends Measured:
  @Param(Array("undercroft", "undercroft-1", "pekko", "pekko-1", "ox", "erlang")) var system = ""

  private var ring: RingOfActors = uninitialized

  @Setup def open(): Unit = ring = Rings.open(system, 100)
  @TearDown def close(): Unit = ring.close()

  @Benchmark @OperationsPerInvocation(RingFromStart.hops) def pass(used: ProcessorTime): Long =
    val before = ring.processorNanos
    val handled = ring.pass(1, RingFromStart.hops)
    used.processorNanos = (ring.processorNanos - before).toDouble / RingFromStart.hops
    if handled != RingFromStart.hops then
      throw IllegalStateException(s"$system handled $handled of ${RingFromStart.hops} messages")
    handled
end RingFromStart

object RingFromStart:
  final val hops = 100_000

/** The same by the client compiler alone, as with a JVM's `-client` of old. */
@Fork(jvmArgsAppend = Array("-XX:TieredStopAtLevel=1"))
class RingOnClient extends RingFromStart

/** A figure beside the time, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class ProcessorTime:
  var processorNanos: Double = 0

object ProcessorTime:
  /** The processor time that this process has used. */
  def ofProcess: Long = ManagementFactory.getOperatingSystemMXBean match
    case bean: com.sun.management.OperatingSystemMXBean => bean.getProcessCpuTime
    case _                                              => 0
