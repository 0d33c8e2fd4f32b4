package undercroft.lab.bench

// How much do short-lived trees cost: on the heap with its collector, or in a region for each?

import java.lang.management.ManagementFactory
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** A node of an off-heap binary tree. */
final case class BinaryTree(left: Ref[BinaryTree], right: Ref[BinaryTree]) derives Struct

/** A node of a binary tree on the heap. */
final class HeapTree(val left: HeapTree | Null, val right: HeapTree | Null)

/** The binary trees of the benchmarks game: many short-lived trees beside one long-lived tree. Each
  * method returns the number of nodes. The measurement is the processor time, collector included.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class BinaryTrees extends Measured:
  @Param(Array("18")) var depth = 0

  @Benchmark def heap(spent: Spent): Long =
    Processors.during(spent):
      val long = onHeap(depth)
      var nodes = 0L
      for (depth, trees) <- rounds; _ <- 1 to trees do nodes += counted(onHeap(depth))
      nodes + counted(long)

  @Benchmark def regions(spent: Spent): Long =
    Processors.during(spent):
      Region.scoped:
        val long = inRegion(depth)
        var nodes = 0L
        for (depth, trees) <- rounds; _ <- 1 to trees do
          nodes += Region.scoped(counted(inRegion(depth)))
        nodes + counted(long)

  /** The depths of trees, and the number of trees of each. */
  private def rounds =
    for depth <- 4 to this.depth by 4 yield (depth, 1 << (this.depth - depth + 4))

  private def onHeap(depth: Int): HeapTree =
    if depth == 0 then HeapTree(null, null) else HeapTree(onHeap(depth - 1), onHeap(depth - 1))

  private def counted(node: HeapTree): Long =
    (node.left, node.right) match
      case (left: HeapTree, right: HeapTree) => 1 + counted(left) + counted(right)
      case _                                 => 1

  private def inRegion(depth: Int)(using Region): Ref[BinaryTree] =
    if depth == 0 then Ref(BinaryTree(Ref.none, Ref.none))
    else Ref(BinaryTree(inRegion(depth - 1), inRegion(depth - 1)))

  private def counted(node: Ref[BinaryTree]): Long =
    val left = node.left
    if Ref.isNone(left) then 1 else 1 + counted(left) + counted(node.right)
end BinaryTrees

/** The processor time of the whole process, for the lab to read. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
class Spent:
  var cpuMillis: Double = 0

/** Measures the processor time of work. */
object Processors:
  def during(spent: Spent)(work: => Long): Long =
    val before = cpuNanos
    val answer = work
    spent.cpuMillis = (cpuNanos - before) / 1e6
    answer

  /** The processor time of the process, all its threads together. */
  def cpuNanos: Long = ManagementFactory.getOperatingSystemMXBean match
    case system: com.sun.management.OperatingSystemMXBean => system.getProcessCpuTime
    case _                                                => System.nanoTime
end Processors
