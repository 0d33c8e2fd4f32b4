package undercroft.lab.bench

// How long does an iteration of an actor benchmark take under our run models and in Pekko typed, as
// whole processes?

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import savina.{Benchmark as ActorBenchmark, InTurns}

/** A call is a process of the job `lab/jobs/savina`, from its start to its end: a warm-up, then
  * five iterations.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 3)
class Savina extends Measured:
  @Param(
    Array(
      "PingPong",
      "Counting",
      "ForkJoinThroughput",
      "ForkJoinCreation",
      "ThreadRing",
      "Chameneos",
      "Big",
      "Dictionary",
      "BoundedBuffer",
      "Philosophers",
      "LogisticMap",
      "Bank",
      "RadixSort",
      "Sieve",
      "Fibonacci",
      "Skynet"
    )
  ) var name = ""
  @Param(Array("measured")) var size = ""
  @Param(Array("Workers", "Virtual", "Thread", "Caller", "Executor", "Pekko")) var program = ""

  /** The answer of the program. */
  @Benchmark def run(times: IterationTimes): String =
    val benchmark = ActorBenchmark.valueOf(name)
    val run =
      if size == "small" then InTurns.run(program, benchmark, benchmark.small, warmUp = 0)
      else InTurns.run(program, benchmark, benchmark.size, InTurns.WarmUp)
    times.iterationNanos = InTurns.nanos(run).toDouble
    InTurns.answer(run)
end Savina

object Savina:
  /** The reason why a program does not run a benchmark. */
  def lack(name: String, program: String): Option[String] =
    val isRun = InTurns.programs(ActorBenchmark.valueOf(name)).contains(program)
    Option.when(!isRun)(s"$name has no thread for each actor")

/** The median of the iterations of a process, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class IterationTimes:
  var iterationNanos: Double = 0
