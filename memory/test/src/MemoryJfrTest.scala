package undercroft.memory

import internal.cage.Cage
import internal.observe.MemoryJfr
import java.nio.file.Files
import jdk.jfr.Recording
import jdk.jfr.consumer.{RecordedEvent, RecordingFile}
import scala.jdk.CollectionConverters.ListHasAsScala
import undercroft.testkit.assertAllocates

/** Records in this process and reads the events back. */
class MemoryJfrTest extends undercroft.tools.Suite:

  private def recorded(settings: (String, String)*)(body: => Unit): List[RecordedEvent] =
    val file = Files.createTempFile("flight", ".jfr")
    val recording = Recording()
    try
      for kind <- Kinds do recording.enable(kind): Unit
      recording.setSettings:
        val allSettings = java.util.HashMap(recording.getSettings)
        for (name, value) <- settings do allSettings.put(s"dev.undercroft.$name", value): Unit
        allSettings
      recording.start()
      body
      recording.stop()
      recording.dump(file)
      ListHasAsScala(RecordingFile.readAllEvents(file)).asScala.toList
        .filter(_.getEventType.getName.startsWith("dev.undercroft."))
    finally
      recording.close()
      Files.delete(file)
  end recorded

  private val Kinds = List("Region", "PoolGrowth", "PoolReturn", "BudgetExceeded", "Memory")
    .++(List("Owner", "Leak")).map("dev.undercroft." + _)

  extension (events: List[RecordedEvent])
    private def of(kind: String): List[RecordedEvent] =
      events.filter(_.getEventType.getName == s"dev.undercroft.$kind")

  test("each region emits one JFR event from its opening to its close, with owner and bytes"):
    val events = recorded("Region#throttle" -> "off"):
      Region.named("flight"):
        Region.current.allocateBlock(300_000, 8): Unit
        Region.current.reserve(1.GiB).segment(1.MiB): Unit
      Region.shared("flight, shared").close()
      Region.scoped(Region.current.allocateBlock(8, 8): Unit)
    val List(named, shared, scoped) = events.of("Region"): @unchecked
    assertEquals(named.getString("region"), "region \"flight\"")
    assertEquals(named.getString("owner"), "flight")
    assertEquals(named.getLong("bytes"), 5 * Cage.PageBytes + 1.MiB)
    assert(!named.getBoolean("shared"))
    assert(named.getDuration.toNanos > 0, named.toString)
    assertEquals(named.getThread.getJavaName, Thread.currentThread.getName)
    assert(shared.getBoolean("shared"))
    assertEquals(shared.getLong("bytes"), 0L)
    assertEquals(scoped.getString("owner"), "scoped regions")
    assertEquals(scoped.getLong("bytes"), Cage.PageBytes)

  test("region events are throttled to a hundred per second by default"):
    val Regions = 5000
    val start = System.nanoTime
    val events = recorded():
      for _ <- 1 to Regions do Region.scoped(())
    val seconds = (System.nanoTime - start) / 1_000_000_000 + 1
    val count = events.of("Region").size
    assert(count <= 200 * (seconds + 1) && count < Regions, s"$count events in $seconds s")

  test("growth and trimming of the page pool emit JFR events with the bytes"):
    assume(Cage.space.returnsMemory, "memory does not go back to the system here")
    Ledger.trim()
    val events = recorded():
      Region.scoped(Region.allocate(40.MiB): Unit)
      Ledger.trim()
    val grown = events.of("PoolGrowth")
    assert(grown.map(_.getLong("bytes")).sum >= 32.MiB, grown.toString)
    assert(grown.forall(e => e.getLong("heldBytes") >= e.getLong("bytes")), grown.toString)
    val frames = ListHasAsScala(grown.head.getStackTrace.getFrames).asScala
    assert(frames.exists(_.getMethod.getType.getName.contains("MemoryJfrTest")), frames.toString)
    val returned = events.of("PoolReturn")
    assert(returned.map(_.getLong("bytes")).sum >= 32.MiB, returned.toString)

  test("an exceeded budget emits a JFR event with the requested bytes, available bytes and stack"):
    val events = recorded():
      Region.named("small budget", limitBytes = 1.MiB):
        intercept[MemoryLimitException](Region.allocate(2.MiB)): Unit
    val List(exceeded) = events.of("BudgetExceeded"): @unchecked
    assertEquals(exceeded.getString("budget"), "small budget")
    assertEquals(exceeded.getLong("asked"), 2.MiB)
    assertEquals(exceeded.getLong("available"), 1.MiB)
    val frames = ListHasAsScala(exceeded.getStackTrace.getFrames).asScala
    assert(frames.exists(_.getMethod.getType.getName.contains("MemoryJfrTest")), frames.toString)

  test("a request that succeeds without the pages for later requests emits no event of its budget"):
    val events = recorded():
      Region.named("just enough", limitBytes = 4 * Cage.PageBytes):
        for _ <- 1 to 64 do Region.current.allocateBlock(4096, 8): Unit
      val reservation = Reservation.within(Budget("just enough", 3 * Cage.PageBytes), 1.MiB)
      for pages <- 1 to 3 do reservation.segment(pages * Cage.PageBytes): Unit
      assertEquals(reservation.committedBytes, 3 * Cage.PageBytes)
      reservation.close()
    assertEquals(events.of("BudgetExceeded"), Nil)

  test("periodic JFR events report the ledger's totals and each owner"):
    val region = Region.shared("periodic")
    region.allocate(3.MiB, 8): Unit
    val events = recorded("Memory#period" -> "endChunk", "Owner#period" -> "endChunk")(())
    val whole = events.of("Memory").head
    val report = Ledger.report()
    assertEquals(whole.getLong("liveBytes"), report.liveBytes)
    assertEquals(whole.getLong("limitBytes"), report.limitBytes)
    assertEquals(whole.getLong("peakBytes"), report.peakBytes)
    val owner = events.of("Owner").find(_.getString("owner") == "periodic").get
    assertEquals(owner.getLong("liveBytes"), 3.MiB)
    assertEquals(owner.getLong("liveCount"), 1L)
    region.close()

  test("memory that is live at the end of a chunk emits a Leak event with its allocation site"):
    Ledger.recordLeaks(true)
    val region = Region.shared("flight leak")
    val events =
      try recorded()(region.allocate(2.MiB, 8): Unit)
      finally
        region.close()
        Ledger.recordLeaks(false)
    val leak = events.of("Leak").find(_.getString("owner").contains("flight leak")).get
    assertEquals(leak.getLong("bytes"), 2.MiB)
    assert(
      leak.getString("site").linesIterator.next().contains("MemoryJfrTest.scala"),
      leak.toString
    )

  test("opening a region creates no JFR event while no recording is active"):
    recorded()(())
    assert(!MemoryJfr.wantsRegions)
    assertAllocates(0):
      if MemoryJfr.wantsRegions then MemoryJfrTest.sink = MemoryJfr.regionOpened()
end MemoryJfrTest

object MemoryJfrTest:
  @volatile var sink: Any = ""
