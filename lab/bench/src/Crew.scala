package undercroft.lab.bench

import java.util.concurrent.{Callable, ExecutorService, Executors}
import org.openjdk.jmh.annotations.*

/** Threads that do the same at the same time, as many as the parameter says. */
@State(Scope.Thread)
abstract class Crew extends Measured:
  @Param(Array("1", "4", "16", "64")) var threads = 0

  private var executor: Option[ExecutorService] = None

  /** An executor with `count` threads. */
  protected def threadsOf(count: Int): ExecutorService = Executors.newFixedThreadPool(count).nn

  @Setup def gather(): Unit = executor = Some(threadsOf(threads))

  @TearDown def part(): Unit = executor.foreach(_.close())

  /** Partitions `total` over the threads, and sums their results. */
  protected final def together(total: Int)(work: Int => Long): Long =
    together(total)((_, share) => work(share))

  /** As above; each thread also receives its number. */
  protected final def together(total: Int)(work: (Int, Int) => Long): Long =
    val share = total / threads
    val tasks = java.util.ArrayList[Callable[Long]]()
    for index <- 0 until threads do tasks.add(() => work(index, share)): Unit
    var sum = 0L
    executor.get.invokeAll(tasks).nn.forEach(done => sum += done.get)
    sum
end Crew
