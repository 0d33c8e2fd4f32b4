package undercroft.lab.bench

// What does it cost a message to record how long its handler took?

import org.openjdk.jmh.annotations.*
import scala.compiletime.uninitialized
import undercroft.actor.ActorObservation

/** A call is [[RingMessages.hops]] structs round a ring of a hundred actors on one worker: without
  * any recording, and with the time of handlers. A handler takes a few nanoseconds and each message
  * is a turn of its own, so this is the highest cost there is.
  */
@State(Scope.Thread)
class RingRecorded extends Measured:
  @Param(Array("nothing", "handlers")) var recorded = ""

  private var ring: MessageRing = uninitialized

  private def record(on: Boolean): Unit = recorded match
    case "nothing"  => ()
    case "handlers" => ActorObservation.recordDurations(on)
    case other      => throw IllegalArgumentException(s"nothing is recorded of $other")

  @Setup def open(): Unit =
    record(true)
    ring = RingMessages.open("structs", 3)

  @TearDown def close(): Unit =
    ring.close()
    record(false)

  @Benchmark @OperationsPerInvocation(RingMessages.hops) def pass(): Long =
    val handled = ring.pass(RingMessages.hops)
    if handled != RingMessages.hops then
      throw IllegalStateException(s"$handled messages of ${RingMessages.hops} were handled")
    handled
end RingRecorded
