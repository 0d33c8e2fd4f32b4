package undercroft.lab.bench

// How much do programs of linked structures cost, on the heap with its collector, and in a region?

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.memory.{Ledger, Region}

/** Allows comparison with null, which ends linked structures on the heap, under strict equality. */
private[bench] given nullable: CanEqual[Any, Null] = CanEqual.derived

/** A program in two variants. `done` is called when all data exists, and before any is freed. */
trait Program:
  /** With plain objects and the JDK's collections. */
  def onHeap(size: Int)(done: () => Unit): Long

  /** With structs in a region. */
  def inRegion(size: Int)(done: () => Unit)(using Region): Long

/** Programs from the literature on regions, each once in a fresh JVM; both variants return the
  * same.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.SingleShotTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
class Programs extends Measured:
  @Param(Array("linked-list", "kd-tree", "order-book", "n-body", "word-count"))
  var program = ""
  @Param(Array("1000000")) var size = 0

  @Benchmark def heap(spent: Spent): Long =
    Processors.during(spent)(Programs.named(program).onHeap(size)(() => ()))

  @Benchmark def region(spent: Spent): Long =
    Processors.during(spent)(Region.scoped(Programs.named(program).inRegion(size)(() => ())))

  /** The memory held at the end; the time is not evaluated. */
  @Benchmark def heldByHeap(held: Held): Long =
    val before = Programs.bytes()
    Programs.named(program).onHeap(size)(() => held.heldBytes = Programs.bytes() - before)

  @Benchmark def heldByRegion(held: Held): Long =
    val before = Programs.bytes()
    Region.scoped:
      Programs.named(program).inRegion(size)(() => held.heldBytes = Programs.bytes() - before)
end Programs

object Programs:
  def named(name: String): Program = name match
    case "linked-list" => LinkedList
    case "kd-tree"     => KdTree
    case "order-book"  => OrderBook
    case "n-body"      => NBody
    case "word-count"  => WordCount
    case _             => throw IllegalArgumentException(s"no program is named $name")

  /** The used heap after a full collection, plus the off-heap memory. */
  private def bytes(): Long =
    System.gc()
    val runtime = Runtime.getRuntime
    runtime.totalMemory - runtime.freeMemory + Ledger.report().liveBytes
end Programs
