package undercroft.lab.bench

// How near does a fold over a column come to the same loop in C?

import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** The sum of an Int column as a Long: of 256 KiB, which fits L2, and of 256 MiB, which fits no
  * cache. A result is for [[ColumnFold.passes]] passes.
  */
@State(Scope.Thread)
class ColumnFold extends Measured:
  @Param(Array("65536", "67108864")) var rows = 0

  private var region: Region = scala.compiletime.uninitialized
  private var columns: Columns[Trade] = scala.compiletime.uninitialized

  @Setup def fill(): Unit =
    region = Region.shared()
    columns = Columns[Trade](rows)(using region)
    for i <- 0 until rows do columns(i) = Trade(1, 2, i, true)
  @TearDown def free(): Unit = region.close()

  @Benchmark def ours(): Long =
    var sum = 0L
    var pass = 0
    while pass < ColumnFold.passes(rows) do
      sum += columns.sumOf(_.price)
      pass += 1
    sum
end ColumnFold

object ColumnFold:
  /** The number of passes for which the time of a command through a pipe is negligible. */
  def passes(rows: Int): Int = Math.max(1, (1 << 27) / rows)

/** The same in C, by `gcc -O3`. */
@State(Scope.Thread)
class ColumnFoldInC extends Measured:
  @Param(Array("65536", "67108864")) var rows = 0

  private var c: CStructs = scala.compiletime.uninitialized

  @Setup def start(): Unit = c = CStructs.start()
  @TearDown def stop(): Unit = c.close()

  @Benchmark def compiledC(): Long = c.sum(rows, ColumnFold.passes(rows))
end ColumnFoldInC
