import java.nio.file.Files
import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import scala.jdk.CollectionConverters.*
import undercroft.buffer.*
import undercroft.memory.*

@main def findLeak(): Unit =
  val recording = Recording()
  recording.start()

  val cache = Region.shared("price cache") // a name makes a row in the ledger
  cache.allocate(3.MiB, 8)
  for row <- Ledger.report().rows if row.name == "price cache" do
    println(s"${row.name}: live ${row.liveBytes}, peak ${row.peakBytes}, regions ${row.liveCount}")

  Ledger.recordLeaks(true) // from now on
  val forgotten = Region.shared("requests")
  forgotten.allocate(1.MiB, 8)
  for leak <- Ledger.leaks() do println(s"${leak.owner}, ${leak.bytes} bytes: ${leak.site.head}")

  val file = Files.createTempFile("leaks", ".jfr")
  recording.stop() // writes an event for each recorded leak
  recording.dump(file)
  for event <- RecordingFile.readAllEvents(file).asScala do
    if event.getEventType.getName == "dev.undercroft.Leak" then
      println(s"JFR: ${event.getString("owner")}")

  val pool = SegmentPool.lockFree(debug = true)
  val buffer = Buffer(using pool).writeUtf8("never cleared")
  try pool.assertNoLeaks() // at the end of a test
  catch case error: SegmentLeakException => println(s"outstanding segments: ${error.segments}")
  buffer.clear()
  pool.assertNoLeaks()

  forgotten.close()
  cache.close()
  Ledger.recordLeaks(false)
end findLeak

// prints:
// price cache: live 3145728, peak 3145728, regions 1
// region "requests", 1048576 bytes: findLeak$package$.findLeak(findLeak.scala:18)
// JFR: region "requests"
// outstanding segments: 1
