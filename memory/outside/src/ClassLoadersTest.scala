package outside.memory

import java.lang.foreign.ValueLayout.JAVA_LONG
import java.lang.foreign.MemorySegment
import undercroft.memory.*
import undercroft.tools.{DroppedLoaders, ForkedJvm}

/** Class loaders that load the library and are dropped. */
class ClassLoadersTest extends undercroft.tools.RoundsSuite:
  testRounds("dropped class loaders that used regions, blocks and JFR return memory and addresses")(
    3,
    20
  ): loaders =>
    DroppedLoaders.run(classOf[MemoryUser], loaders).check()

  test("dropped class loaders return memory and addresses without native access"):
    DroppedLoaders.run(classOf[DeniedUser], 3, ForkedJvm.Denied).check()

  test("a segment of a dropped class loader stays readable until the segment is unreachable"):
    val result = ForkedJvm.run(classOf[KeptSegment.type])
    assertEquals((result.last, result.exit), ("kept 42, then collected", 0), result.output)
end ClassLoadersTest

final class MemoryUser extends Runnable:
  def run(): Unit =
    Region.scoped(Region.allocate(64.MiB).fill(1)): Unit
    val shared = Region.shared("shared")
    shared.allocate(1.MiB, 8).fill(1): Unit
    shared.close()
    Region.shared("not closed").allocate(1.MiB, 8): Unit
    Malloc.free(Malloc.allocateBlock(64, 8))
    Reservation(1.GiB).segment(100): Unit
    Ledger.registerMXBean()
    val recording = jdk.jfr.Recording()
    for event <- Seq("Memory", "Owner", "Leak") do
      recording.enable(s"dev.undercroft.$event").withPeriod(java.time.Duration.ofMillis(10)): Unit
    recording.start()
    Region.scoped(Region.allocate(1.MiB).byteSize): Unit
    recording.close()

final class DeniedUser extends Runnable:
  def run(): Unit = Region.scoped(Region.allocate(64.MiB).fill(1)): Unit

/** Keeps a segment of an open region, and nothing else of its class loader. */
object KeptSegment:
  def main(args: Array[String]): Unit =
    println(
      s"kept $valueLater, then ${if DroppedLoaders.areCollected then "collected" else "kept"}"
    )

  private def valueLater: Long =
    val segment = DroppedLoaders.inLoader(classOf[SegmentSource].getName):
      case source: java.util.function.Supplier[?] => source.get.asInstanceOf[MemorySegment]
    for _ <- 1 to 5 do System.gc()
    segment.get(JAVA_LONG, 8)
end KeptSegment

final class SegmentSource extends java.util.function.Supplier[MemorySegment]:
  def get: MemorySegment =
    val segment = Region.shared("kept").allocate(1.MiB, 8)
    segment.set(JAVA_LONG, 8, 42)
    segment
