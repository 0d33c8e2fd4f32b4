package undercroft.lab.bench

// What does a line cost that is written to a buffer, read, and written to another, by threads?

import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Buffer, SegmentPool}

/** Lines of 80 chars in batches of 300: three segments, whatever the pool. */
@OperationsPerInvocation(LinesShuffled.lines)
class LinesShuffled extends Crew:
  private val locked = SegmentPool.synchronizedPool()
  private val free = SegmentPool.lockFree()
  private val byThread = SegmentPool.striped(stripes = 16)
  private val byProcessor = SegmentPool.perProcessor()
  private val fresh = SegmentPool.none()

  @Benchmark def none(): Long = shuffled(fresh)
  @Benchmark def synchronizedPool(): Long = shuffled(locked)
  @Benchmark def lockFree(): Long = shuffled(free)
  @Benchmark def striped(): Long = shuffled(byThread)
  @Benchmark def perProcessor(): Long = shuffled(byProcessor)

  @Benchmark def okio(): Long =
    together(LinesShuffled.lines): count =>
      val (one, other) = (_root_.okio.Buffer(), _root_.okio.Buffer())
      var chars = 0L
      var done = 0
      while done < count do
        var i = 0
        while i < LinesShuffled.batch do
          one.writeUtf8(LinesShuffled.line).writeByte('\n'): Unit
          i += 1
        while !one.exhausted do
          val line = one.readUtf8Line().nn
          chars += line.length
          other.writeUtf8(line): Unit
        other.clear()
        done += LinesShuffled.batch
      chars

  private def shuffled(pool: SegmentPool): Long =
    together(LinesShuffled.lines): count =>
      val (one, other) = (Buffer(using pool), Buffer(using pool))
      var chars = 0L
      var done = 0
      while done < count do
        var i = 0
        while i < LinesShuffled.batch do
          one.writeUtf8(LinesShuffled.line).writeByte('\n'): Unit
          i += 1
        while !one.exhausted do
          val line = one.readUtf8Line().nn
          chars += line.length
          other.writeUtf8(line): Unit
        other.clear()
        done += LinesShuffled.batch
      chars
end LinesShuffled

object LinesShuffled:
  final val lines = 64 * 300
  val batch = 300
  val line: String = "0123456789abcdef" * 5
