package savina

import java.util.concurrent.{Executors, TimeUnit}
import scala.concurrent.{Await, Promise}
import scala.concurrent.duration.*
import undercroft.actor.*

/** The benchmarks by our actors, under a run model. */
object Ours:
  import savina.ours.*

  /** The names of the run models. `Executor` has two threads, as the workers. */
  val runs = Seq("Workers", "Virtual", "Thread", "Caller", "Executor")

  def main(args: Array[String]): Unit =
    val benchmark = Benchmark.valueOf(args(1))
    val size = args(2).toInt
    use(args(0))(iterate => measure(benchmark, size, args(3).toInt)(iterate(benchmark, size)))

  /** Passes a function that runs a benchmark of a size and returns the answer. */
  def use(run: String)(f: ((Benchmark, Int) => Long) => Unit): Unit =
    val executor = Executors.newWorkStealingPool(2)
    val model = run match
      case "Executor" => Run.On(executor)
      case name       => Run.standard.find(_.toString == name).get
    try
      ActorSystem.scoped("savina", listener = _ => ()): // without a log, as Pekko
        f((benchmark, size) => iterate(benchmark, size, model))
    finally
      executor.shutdown()
      executor.awaitTermination(1, TimeUnit.MINUTES)

  private def iterate(benchmark: Benchmark, size: Int, run: Run)(using ActorSystem): Long =
    val answer = Promise[Long]()
    val root = spawn(behavior(benchmark, size, run, answer), run = run, mailbox = Waiting)
    Await.result(root.whenStopped, 5.minutes)
    answer.future.value.get.get

  private def behavior(
      benchmark: Benchmark,
      size: Int,
      run: Run,
      answer: Promise[Long]
  ): Behavior[?] = benchmark match
    case Benchmark.PingPong           => pingPong(size, run, answer)
    case Benchmark.Counting           => counting(size, run, answer)
    case Benchmark.ForkJoinThroughput => forkJoinThroughput(size, run, answer)
    case Benchmark.ForkJoinCreation   => forkJoinCreation(size, run, answer)
    case Benchmark.ThreadRing         => threadRing(size, run, answer)
    case Benchmark.Chameneos          => chameneos(size, run, answer)
    case Benchmark.Big                => big(size, run, answer)
    case Benchmark.Dictionary         => concurrentDictionary(size, run, answer)
    case Benchmark.BoundedBuffer      => boundedBuffer(size, run, answer)
    case Benchmark.Philosophers       => philosophers(size, run, answer)
    case Benchmark.LogisticMap        => logisticMap(size, run, answer)
    case Benchmark.Bank               => bank(size, run, answer)
    case Benchmark.RadixSort          => radixSort(size, run, answer)
    case Benchmark.Sieve              => primesBelow(size, run, answer)
    case Benchmark.Fibonacci          => fibonacciOf(size, run, answer)
    case Benchmark.Skynet             => skynetOf(size, run, answer)
end Ours
