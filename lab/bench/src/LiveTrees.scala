package undercroft.lab.bench

// How long are the pauses of a service with gigabytes of live trees: on the heap, and in regions?

import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.locks.LockSupport
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** A node of an off-heap tree. */
final case class LiveTree(key: Int, left: Ref[LiveTree], right: Ref[LiveTree]) derives Struct

/** A node of a tree on the heap. */
final class HeapLiveTree(
    val key: Int,
    val left: HeapLiveTree | Null,
    val right: HeapLiveTree | Null
)

/** A service that keeps the trees of its last `parts` seconds: a million requests come in a second,
  * a thousand at once in each millisecond. A request creates a tree of 15 nodes, 24 bytes each on a
  * heap with compressed references and in a region, and walks down an older one. After each second
  * the trees of the oldest second are dropped.
  *
  * Counted are the time from the arrival of a request to its end, as the longest and as the time
  * that 99.99 % of the requests did not exceed, and the processor time of the process, collector
  * included. The window is filled before, as fast as possible, and the service runs for two
  * seconds.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class LiveTrees:
  @Param(Array("22")) var parts = 0
  @Param(Array("40")) var seconds = 0
  @Param(Array("1000")) var perMillisecond = 0

  /** The first requests that read a tree are compiled in this time. */
  var warmUpSeconds = 2

  @Fork(
    value = 3,
    jvmArgs = Array("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "--enable-native-access=ALL-UNNAMED")
  )
  @Benchmark def regions(delays: Delays): Long =
    serve(RegionTrees(parts, perMillisecond * 1000), delays)

  @Fork(value = 3, jvmArgs = Array("-Xms14g", "-Xmx14g", "-XX:+UseG1GC"))
  @Benchmark def heapG1(delays: Delays): Long =
    serve(HeapTrees(parts, perMillisecond * 1000), delays)

  @Fork(value = 3, jvmArgs = Array("-Xms17g", "-Xmx17g", "-XX:+UseZGC"))
  @Benchmark def heapZgc(delays: Delays): Long =
    serve(HeapTrees(parts, perMillisecond * 1000), delays)

  private def serve(trees: TreeWindow, delays: Delays): Long =
    try
      var sum = 0L
      val filled = parts * perMillisecond * 1000L
      for number <- 0L until filled do sum += trees.request(number)
      val service = PacedService(filled, perMillisecond, trees)
      sum += service.run(warmUpSeconds)
      service.delays.clear()
      val cpuBefore = Processors.cpuNanos
      sum += service.run(seconds)
      delays.cpuMillis = (Processors.cpuNanos - cpuBefore) / 1e6
      delays.nanosOf9999 = service.delays.quantile(0.9999).toDouble
      delays.longestNanos = service.delays.quantile(1).toDouble
      sum
    finally trees.close()
end LiveTrees

object LiveTrees:
  /** The levels of a tree: 15 nodes. */
  final val levels = 4

/** What a run measured, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Delays:
  var nanosOf9999: Double = 0
  var longestNanos: Double = 0
  var cpuMillis: Double = 0

/** Sends requests to trees when they are due, and measures how late each ends. */
final class PacedService(first: Long, perMillisecond: Int, trees: TreeWindow):
  val delays = Rounds()
  private var number = first

  def run(seconds: Int): Long =
    val start = System.nanoTime
    var sum = 0L
    for millisecond <- 0L until seconds * 1000L do
      val due = start + millisecond * 1_000_000
      while System.nanoTime - due < 0 do LockSupport.parkNanos(due - System.nanoTime)
      for _ <- 0 until perMillisecond do
        sum += trees.request(number)
        number += 1
        delays.add(System.nanoTime - due)
    sum
end PacedService

/** The trees of the last seconds. */
trait TreeWindow extends AutoCloseable:
  /** Stores a tree for a request, and reads an older one. */
  def request(number: Long): Long

/** Trees in a region for each second, which another thread closes as a whole. */
final class RegionTrees(parts: Int, perPart: Int) extends TreeWindow:
  private val regions = Array.tabulate(parts)(_ => Region.shared())
  private val roots = Array.tabulate(parts)(_ => RefArray[LiveTree](perPart))
  private val closer = Executors.newSingleThreadExecutor()

  def request(number: Long): Long =
    val part = (number / perPart % parts).toInt
    val index = (number % perPart).toInt
    if index == 0 then
      val oldest = regions(part)
      closer.execute(() => oldest.close())
      regions(part) = Region.shared()
    roots(part)(index) = tree(number.toInt, LiveTrees.levels)(using regions(part))
    val older = roots((part + 1) % parts)(perPart - 1 - index)
    if number < parts.toLong * perPart then 0
    else older.key + older.left.key.toLong + older.left.right.key

  private def tree(key: Int, levels: Int)(using Region): Ref[LiveTree] =
    if levels == 1 then Ref(LiveTree(key, Ref.none, Ref.none))
    else
      val (left, right) = (tree(2 * key, levels - 1), tree(2 * key + 1, levels - 1))
      Ref(LiveTree(key, left, right))

  def close(): Unit =
    closer.close()
    regions.foreach(_.close())
end RegionTrees

/** Trees on the heap, each dropped by the one that takes its place. */
final class HeapTrees(parts: Int, perPart: Int) extends TreeWindow:
  private val roots =
    Array.tabulate(parts)(_ => new Array[HeapLiveTree | Null](perPart))

  def request(number: Long): Long =
    val part = (number / perPart % parts).toInt
    val index = (number % perPart).toInt
    roots(part)(index) = tree(number.toInt, LiveTrees.levels)
    val older = roots((part + 1) % parts)(perPart - 1 - index)
    if number < parts.toLong * perPart then 0
    else older.nn.key + older.nn.left.nn.key.toLong + older.nn.left.nn.right.nn.key

  private def tree(key: Int, levels: Int): HeapLiveTree =
    if levels == 1 then HeapLiveTree(key, null, null)
    else HeapLiveTree(key, tree(2 * key, levels - 1), tree(2 * key + 1, levels - 1))

  def close(): Unit = java.util.Arrays.fill(roots.asInstanceOf[Array[AnyRef | Null]], null)
end HeapTrees
