import undercroft.memory.*
import undercroft.struct.*

case class Gauged(sensor: Int, value: Double) derives Struct

@main def parallel(): Unit =
  Region.scoped:
    val readings = Columns.tabulate[Gauged](1_000_000)(i => Gauged(i.toInt % 1000, i * 0.5))
    val total = readings.parAggregate(0.0)((sum, reading) => sum + reading.value)(_ + _)
    println(total) // the same on any number of threads
    val some = readings.parFilter(_.sensor == 7) // a new table in this thread's region
    println(some.size)
    val sorted = readings.parSortBy(reading => -reading.value) // stable, as sortBy
    println(sorted(0))
    sorted.parSortInPlaceBy(_.value) // by a field, and without a new table
    println(sorted(1))
    val chunks = Rows.tabulate[Long](200)(i => i << 20) // offsets in a file, a MiB apart
    val checksum = chunks.parAggregate(0L, grain = 1)((sum, chunk) =>
      sum ^ checksumOf(chunk)
    )(_ ^ _) // 200 rows, one at a time on each processor
    println(checksum == chunks.foldLeft(0L)((sum, chunk) => sum ^ checksumOf(chunk)))

/** Stands for work that takes long. */
def checksumOf(chunk: Long): Long =
  (1 to 1_000).foldLeft(chunk)((x, _) => x * 6364136223846793005L + 1)

// prints:
// 2.4999975E11
// 1000
// Gauged(999,499999.5)
// Gauged(1,0.5)
// true
