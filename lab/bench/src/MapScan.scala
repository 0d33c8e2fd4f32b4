package undercroft.lab.bench

// How much does a loop over the entries of a StructMap cost, beside one over rows of the same?

import java.util.SplittableRandom
import org.openjdk.jmh.annotations.*
import undercroft.memory.Region
import undercroft.struct.*

/** A key and a value, as a map stores them. */
final case class Entry(key: Long, value: Long) derives Struct

/** The sum of all values. A result is for all entries. */
@State(Scope.Thread)
class MapScan extends Measured:
  @Param(Array("10000", "1000000")) var entries = 0

  private var region: Region = scala.compiletime.uninitialized
  private var map: StructMap[Long, Long] = scala.compiletime.uninitialized
  private var rows: Rows[Entry] = scala.compiletime.uninitialized

  @Setup def fill(): Unit =
    region = Region.shared()
    map = StructMap[Long, Long]()(using region)
    val random = SplittableRandom(1)
    rows = Rows.tabulate[Entry](entries)(i => Entry(random.nextLong(), i))(using region)
    rows.foreach(entry => map(entry.key) = entry.value)
  @TearDown def free(): Unit = region.close()

  @Benchmark def ofEntries(): Long =
    var sum = 0L
    map.foreach((_, value) => sum += value)
    sum

  @Benchmark def ofRows(): Long = rows.map(_.value).sum
end MapScan
