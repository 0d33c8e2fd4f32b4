package outside.buffer

import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.duration.*
import undercroft.buffer.*
import undercroft.memory.*
import undercroft.tools.DroppedLoaders

/** Class loaders that load the library and are dropped. */
class ClassLoadersTest extends undercroft.tools.RoundsSuite:
  testRounds("dropped class loaders that used buffers, outputs and time limits leave nothing")(
    3,
    20
  ): loaders =>
    DroppedLoaders.run(classOf[BufferUser], loaders).check()

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
