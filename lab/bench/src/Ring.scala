package undercroft.lab.bench

// How much does a message in a ring of actors cost, if each hop creates a new one?

import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized

/** A call is [[Ring.hops]] messages, and returns how many the actors counted. */
@State(Scope.Thread)
class Ring extends Measured:
  // format: off
  @Param(Array(
    "undercroft", "undercroft-1", "undercroft-virtual", "undercroft-thread", "undercroft-caller",
    "undercroft-executor", "pekko", "pekko-1", "ox", "erlang"
  ))
  // format: on
  var system = ""
  @Param(Array("100", "20000")) var nodes = 0
  @Param(Array("1", "10")) var tokens = 0

  private var ring: RingOfActors = uninitialized

  @Setup def open(): Unit = ring = Rings.open(system, nodes)
  @TearDown def close(): Unit = ring.close()

  @Benchmark @OperationsPerInvocation(Ring.hops) def pass(): Long =
    val handled = ring.pass(tokens, Ring.hops)
    if handled != Ring.hops then
      throw IllegalStateException(s"$system handled $handled messages of ${Ring.hops}")
    handled
end Ring

object Ring:
  final val hops = 1_000_000
