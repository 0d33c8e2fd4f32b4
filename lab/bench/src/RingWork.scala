package undercroft.lab.bench

// How much faster do two workers handle messages than one, if each message is work?

import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized

/** A call is [[RingWork.hops]] messages, each with work of about `workNanos`: ten tokens in a ring
  * of a hundred actors, or 64 in a pipeline of eight stages, whose last stage sends to the first.
  */
@State(Scope.Thread)
class RingWork extends Measured:
  @Param(Array("undercroft", "undercroft-1", "pekko", "pekko-1")) var system = ""
  @Param(Array("ring", "pipeline")) var shape = ""
  @Param(Array("1000", "5000")) var workNanos = 0

  private var ring: RingOfActors = uninitialized

  @Setup def open(): Unit =
    ring = Rings.open(system, if shape == "pipeline" then 8 else 100, workNanos)
  @TearDown def close(): Unit = ring.close()

  @Benchmark @OperationsPerInvocation(RingWork.hops) def pass(): Long =
    val handled = ring.pass(if shape == "pipeline" then 64 else 10, RingWork.hops)
    if handled != RingWork.hops then
      throw IllegalStateException(s"$system handled $handled messages of ${RingWork.hops}")
    handled
end RingWork

object RingWork:
  final val hops = 20_000
