package savina

import com.typesafe.config.ConfigFactory
import org.apache.pekko.actor.typed.*
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.{Await, Promise}
import scala.concurrent.duration.*

/** The benchmarks by Pekko typed, whose default dispatcher has as many threads as ours. */
object PekkoTyped:
  import savina.pekko.*

  private val settings = ConfigFactory.parseString:
    """pekko.loglevel = off
      |pekko.stdout-loglevel = off
      |pekko.log-dead-letters = off
      |pekko.actor.default-dispatcher.fork-join-executor.parallelism-min = 2
      |pekko.actor.default-dispatcher.fork-join-executor.parallelism-max = 2
      |""".stripMargin

  /** The root of a benchmark, and a promise that it has stopped. */
  private case class Start(behavior: Behavior[?], stopped: Promise[Unit])
  private case class Stopped(promise: Promise[Unit])

  private def guardian: Behavior[Start | Stopped] = Behaviors.receive: (context, message) =>
    message match
      case Start(behavior, stopped) =>
        context.watchWith(context.spawnAnonymous(behavior), Stopped(stopped))
      case Stopped(promise) => promise.success(())
    Behaviors.same

  def main(args: Array[String]): Unit =
    val benchmark = Benchmark.valueOf(args(1))
    val size = args(2).toInt
    use(iterate => measure(benchmark, size, args(3).toInt)(iterate(benchmark, size)))

  /** Passes a function that runs a benchmark of a size and returns the answer. */
  def use(f: ((Benchmark, Int) => Long) => Unit): Unit =
    val system = ActorSystem(guardian, "savina", settings.withFallback(ConfigFactory.load()))
    try f(iterate(system, _, _))
    finally
      system.terminate()
      Await.result(system.whenTerminated, 1.minute)

  private def iterate(system: ActorRef[Start], benchmark: Benchmark, size: Int): Long =
    val (answer, stopped) = (Promise[Long](), Promise[Unit]())
    system ! Start(behavior(benchmark, size, answer), stopped)
    Await.result(stopped.future, 5.minutes)
    answer.future.value.get.get

  private def behavior(benchmark: Benchmark, size: Int, answer: Promise[Long]): Behavior[?] =
    benchmark match
      case Benchmark.PingPong           => pingPong(size, answer)
      case Benchmark.Counting           => counting(size, answer)
      case Benchmark.ForkJoinThroughput => forkJoinThroughput(size, answer)
      case Benchmark.ForkJoinCreation   => forkJoinCreation(size, answer)
      case Benchmark.ThreadRing         => threadRing(size, answer)
      case Benchmark.Chameneos          => chameneos(size, answer)
      case Benchmark.Big                => big(size, answer)
      case Benchmark.Dictionary         => concurrentDictionary(size, answer)
      case Benchmark.BoundedBuffer      => boundedBuffer(size, answer)
      case Benchmark.Philosophers       => philosophers(size, answer)
      case Benchmark.LogisticMap        => logisticMap(size, answer)
      case Benchmark.Bank               => bank(size, answer)
      case Benchmark.RadixSort          => radixSort(size, answer)
      case Benchmark.Sieve              => primesBelow(size, answer)
      case Benchmark.Fibonacci          => fibonacciOf(size, answer)
      case Benchmark.Skynet             => skynetOf(size, answer)
end PekkoTyped
