package undercroft.lab.bench

// How much does a line cost that threads write to a buffer, read, and write to another buffer?

import io.netty.buffer.{ByteBufUtil, PooledByteBufAllocator}
import java.nio.charset.StandardCharsets.UTF_8
import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Buffer, SegmentPool}

/** Lines of 80 chars in batches of 300: three segments, for every pool. */
@OperationsPerInvocation(LinesShuffled.lines)
class LinesShuffled extends Crew:
  private val locked = SegmentPool.synchronizedPool()
  private val free = SegmentPool.lockFree()
  private val byThread = SegmentPool.striped(stripes = 16)
  private val byProcessor = SegmentPool.perCpu()
  private val fresh = SegmentPool.none()

  @Benchmark def none(books: PoolCounts): Long = shuffled(fresh, books)
  @Benchmark def synchronizedPool(books: PoolCounts): Long = shuffled(locked, books)
  @Benchmark def lockFree(books: PoolCounts): Long = shuffled(free, books)
  @Benchmark def striped(books: PoolCounts): Long = shuffled(byThread, books)
  @Benchmark def perProcessor(books: PoolCounts): Long = shuffled(byProcessor, books)

  @Benchmark def okio(): Long =
    together(LinesShuffled.lines): count =>
      val (source, target) = (_root_.okio.Buffer(), _root_.okio.Buffer())
      var chars = 0L
      var done = 0
      while done < count do
        var i = 0
        while i < LinesShuffled.batch do
          source.writeUtf8(LinesShuffled.line).writeByte('\n'): Unit
          i += 1
        while !source.exhausted do
          val line = source.readUtf8Line().nn
          chars += line.length
          target.writeUtf8(line): Unit
        target.clear()
        done += LinesShuffled.batch
      chars

  /** Netty's buffers are arrays that grow; they are released after each batch. */
  @Benchmark def nettyHeap(): Long =
    together(LinesShuffled.lines): count =>
      val netty = PooledByteBufAllocator.DEFAULT
      var chars = 0L
      var done = 0
      while done < count do
        val (source, target) = (netty.heapBuffer(8192).nn, netty.heapBuffer(8192).nn)
        var i = 0
        while i < LinesShuffled.batch do
          ByteBufUtil.writeUtf8(source, LinesShuffled.line): Unit
          source.writeByte('\n'): Unit
          i += 1
        while source.isReadable do
          val length = source.bytesBefore('\n'.toByte)
          val line = source.toString(source.readerIndex, length, UTF_8)
          source.skipBytes(length + 1): Unit
          chars += line.length
          ByteBufUtil.writeUtf8(target, line): Unit
        source.release(): Unit
        target.release(): Unit
        done += LinesShuffled.batch
      chars

  private def shuffled(pool: SegmentPool, books: PoolCounts): Long =
    val done = lines(pool)
    books.of(pool)
    done

  private def lines(pool: SegmentPool): Long =
    together(LinesShuffled.lines): count =>
      val (source, target) = (Buffer(using pool), Buffer(using pool))
      var chars = 0L
      var done = 0
      while done < count do
        var i = 0
        while i < LinesShuffled.batch do
          source.writeUtf8(LinesShuffled.line).writeByte('\n'): Unit
          i += 1
        while !source.exhausted do
          val line = source.readUtf8Line().nn
          chars += line.length
          target.writeUtf8(line): Unit
        target.clear()
        done += LinesShuffled.batch
      chars
end LinesShuffled

object LinesShuffled:
  final val lines = 64 * 300
  val batch = 300
  val line: String = "0123456789abcdef" * 5
