package undercroft.lab.bench

// What does a line cost that is written to a buffer, read, and written to another, by threads?

import io.netty.buffer.{ByteBufUtil, PooledByteBufAllocator}
import java.nio.charset.StandardCharsets.UTF_8
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
  private val lockedOfSame = SegmentPool.synchronizedPool(idleLimitBytes = PoolPairs.sameBytes)
  private val freeOfSame = SegmentPool.lockFree(idleLimitBytes = PoolPairs.sameBytes)
  private val byProcessorOfSame =
    SegmentPool.perProcessor(bytesPerStripe = PoolPairs.sameBytes / SegmentPool.defaultStripes)

  @Benchmark def none(books: PoolCounts): Long = shuffled(fresh, books)
  @Benchmark def synchronizedPool(books: PoolCounts): Long = shuffled(locked, books)
  @Benchmark def lockFree(books: PoolCounts): Long = shuffled(free, books)
  @Benchmark def striped(books: PoolCounts): Long = shuffled(byThread, books)
  @Benchmark def perProcessor(books: PoolCounts): Long = shuffled(byProcessor, books)

  // Each with as many bytes in all as the striped pool has.
  @Benchmark def synchronizedPoolOfSameBytes(books: PoolCounts): Long =
    shuffled(lockedOfSame, books)
  @Benchmark def lockFreeOfSameBytes(books: PoolCounts): Long = shuffled(freeOfSame, books)
  @Benchmark def perProcessorOfSameBytes(books: PoolCounts): Long =
    shuffled(byProcessorOfSame, books)

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

  /** Netty's buffers are arrays that grow; they are given back after each batch. */
  @Benchmark def nettyHeap(): Long =
    together(LinesShuffled.lines): count =>
      val netty = PooledByteBufAllocator.DEFAULT
      var chars = 0L
      var done = 0
      while done < count do
        val (one, other) = (netty.heapBuffer(8192).nn, netty.heapBuffer(8192).nn)
        var i = 0
        while i < LinesShuffled.batch do
          ByteBufUtil.writeUtf8(one, LinesShuffled.line): Unit
          one.writeByte('\n'): Unit
          i += 1
        while one.isReadable do
          val length = one.bytesBefore('\n'.toByte)
          val line = one.toString(one.readerIndex, length, UTF_8)
          one.skipBytes(length + 1): Unit
          chars += line.length
          ByteBufUtil.writeUtf8(other, line): Unit
        one.release(): Unit
        other.release(): Unit
        done += LinesShuffled.batch
      chars

  private def shuffled(pool: SegmentPool, books: PoolCounts): Long =
    val done = lines(pool)
    books.of(pool)
    done

  private def lines(pool: SegmentPool): Long =
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
