import undercroft.buffer.*
import undercroft.memory.*
import undercroft.struct.*

case class Entry(key: Long, value: Long) derives Struct

@main def memoryBudget(): Unit =
  println(Ledger.limitBytes > 0) // of the whole process

  val requests = Budget("requests", limitBytes = 8.MiB) // of all request regions together
  Region.within(requests):
    val entries = Rows.growing[Entry]
    try while true do entries += Entry(entries.size, 0)
    catch
      case error: MemoryLimitException =>
        println(s"${error.budget}: ${error.availableBytes < error.requestedBytes}")
        println(entries.size > 100_000) // the rows so far remain usable
  println(requests.liveBytes) // the region has returned its memory
  println(requests.peakBytes <= requests.limitBytes)

  val buffers = Budget("buffers", limitBytes = 64 * 1024)
  given SegmentPool = SegmentPool.lockFree(budget = Some(buffers))
  val buffer = Buffer()
  try while true do buffer.writeLong(1)
  catch case error: MemoryLimitException => println(error.budget)
  println(buffer.size)
  buffer.clear()

  val idleBytes = Ledger.report().idleBytes
  Ledger.trim() // returns idle memory to the system
  println(Ledger.report().idleBytes <= idleBytes)
end memoryBudget

// prints:
// true
// requests: true
// true
// 0
// true
// buffers
// 65536
// true
