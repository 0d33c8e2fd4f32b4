package undercroft.lab.bench

// How long does a message take in an order book of structs, and in books of objects, as whole processes?

import java.nio.file.Path
import java.util.concurrent.TimeUnit
import orderBook.{Generate, InTurns}
import org.openjdk.jmh.annotations.*

/** A call is a process of the job `lab/jobs/orderBook`, from its start to its end, over a file in
  * the page cache.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class OrderBookDay extends Measured:
  @Param(Array("20000000")) var messages = 0L
  @Param(Array("1000", "1000000")) var live = 0
  @Param(Array("Ours", "Heap-G1", "Heap-ZGC", "Agrona-G1", "Agrona-ZGC")) var program = ""

  private var file = Path.of("").nn

  @Setup def make(): Unit =
    file = LabFiles.path("messages.bin")
    Generate.write(file, messages, live, seed = 1)

  @TearDown def close(): Unit = LabFiles.delete(file)

  /** The answer of the program. */
  @Benchmark def run(times: MessageTimes): String =
    val run = InTurns.run(program, file, live)
    val nanos = InTurns.times(run)
    times.messageNanos = nanos("message")
    times.nanosOf50 = nanos("p50")
    times.nanosOf99 = nanos("p99")
    times.nanosOf999 = nanos("p999")
    times.nanosOf9999 = nanos("p9999")
    times.delayOf99 = nanos("delay99")
    times.delayOf9999 = nanos("delay9999")
    InTurns.answer(run)
end OrderBookDay

/** Times of messages, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class MessageTimes:
  var messageNanos: Double = 0
  var nanosOf50: Double = 0
  var nanosOf99: Double = 0
  var nanosOf999: Double = 0
  var nanosOf9999: Double = 0
  var delayOf99: Double = 0
  var delayOf9999: Double = 0
