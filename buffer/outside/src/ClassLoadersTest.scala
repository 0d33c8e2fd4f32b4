package outside.buffer

import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import jdk.jfr.{FlightRecorder, Recording}
import scala.concurrent.duration.*
import undercroft.buffer.*
import undercroft.memory.*
import undercroft.tools.{DroppedLoaders, ForkedJvm}

/** Class loaders that load the library and are dropped. */
class ClassLoadersTest extends undercroft.tools.RoundsSuite:
  testRounds("dropped class loaders that used buffers, outputs and time limits leave nothing")(
    3,
    20
  ): loaders =>
    DroppedLoaders.run(classOf[BufferUser], loaders).check()

  test("a recording prints no warning about the events of a class loader that was closed"):
    val result = ForkedJvm.run(ClosedLoader.getClass)
    assertEquals(result.exit, 0, result.output)
    assertEquals(result.last, "recorded", result.output)
    assert(!result.output.contains("[jfr"), result.output)

final class BufferUser extends Runnable:
  def run(): Unit =
    val text = Buffer(using BufferUser.pool).writeUtf8("a" * 1_000_000)
    BufferUser.kept.set((text.snapshot(), ByteOutput(100.MiB), text.copy()))
    BufferUser.kept.get match
      case (_, output: ByteOutput, _) => output.write(new Array[Byte](10_000_000))
    val dropped = ByteOutput(100.MiB)
    dropped.write(new Array[Byte](10_000_000))
    val limit = new AsyncTimeout(onTimeout = () => ())
    limit.timeout(10.seconds)
    assert(limit.withTimeout(text.size) == 1_000_000)
    val recording = jdk.jfr.Recording()
    recording.enable("dev.undercroft.SegmentPool").withPeriod(java.time.Duration.ofMillis(10)): Unit
    recording.start()
    recording.close()

/** What a program keeps in static fields until its class loader is dropped. */
object BufferUser:
  val pool: SegmentPool = SegmentPool.striped(memory = SegmentMemory.Native)
  val kept: AtomicReference[AnyRef] = AtomicReference()

/** Records when a class loader has used a pool and is closed, but reachable. */
object ClosedLoader:
  private val Period = Duration.ofMillis(10)

  def main(args: Array[String]): Unit =
    // It is written after the events of the loader, whose periodic tasks are older.
    val emissions = CountDownLatch(3)
    val recording = Recording()
    val kept = DroppedLoaders.inLoader(classOf[PoolUser].getName):
      case task: Runnable =>
        task.run()
        task
    FlightRecorder.addPeriodicEvent(
      classOf[ClosedLoaderEvent],
      () =>
        ClosedLoaderEvent().commit()
        emissions.countDown()
    )
    recording.enable("dev.undercroft.SegmentPool").withPeriod(Period): Unit
    recording.enable(classOf[ClosedLoaderEvent]).withPeriod(Period): Unit
    recording.start()
    val isRecorded = emissions.await(1, TimeUnit.MINUTES)
    recording.close()
    println(if isRecorded then "recorded" else "not recorded")
    java.lang.ref.Reference.reachabilityFence(kept)
  end main
end ClosedLoader

final class PoolUser extends Runnable:
  def run(): Unit =
    val recording = jdk.jfr.Recording()
    recording.start() // registers the events
    val pool = SegmentPool.striped()
    PoolUser.kept.set(pool)
    assert(Buffer(using pool).writeUtf8("a").size == 1)
    recording.close()

object PoolUser:
  val kept: AtomicReference[AnyRef] = AtomicReference()

final class ClosedLoaderEvent extends jdk.jfr.Event
