package undercroft.lab.bench

import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*

/** The settings that all benchmarks share: JVM flags, forks and the unit of time.
  *
  * Heap and collector are fixed, the same for us and for the rivals, and the heap is touched before
  * anything is timed: on some hosts the first touch of a page takes ten microseconds, and a program
  * that creates garbage walks through the whole heap. The lab overrides forks, iterations and their
  * length; the settings here apply when JMH is run by hand.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms2g",
    "-Xmx2g",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
abstract class Measured
