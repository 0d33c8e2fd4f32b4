package undercroft.lab.bench

// How much does it cost to pass the bytes of a buffer to native code, or to a file?

import java.lang.foreign.{FunctionDescriptor, Linker, MemorySegment, ValueLayout}
import java.lang.invoke.MethodHandle
import java.nio.channels.FileChannel
import java.nio.file.{Files, StandardOpenOption}
import org.openjdk.jmh.annotations.*
import undercroft.buffer.*

/** Half a mebibyte is written in pieces of a segment's size and handed over: from a buffer of
  * arrays, from a buffer of native segments, and from a ByteOutput. A result is for one of 64
  * segments.
  */
@State(Scope.Thread)
@OperationsPerInvocation(BufferHandOff.segments)
class BufferHandOff extends Measured:
  import BufferHandOff.*

  @Param(Array("heap", "native", "output")) var kind = ""

  private var buffer = Buffer()
  private val output = ByteOutput()
  private var channel: Option[FileChannel] = None
  private var sink: Sink = Sink.blackhole()

  @Setup def open(): Unit =
    val memory = if kind == "native" then SegmentMemory.Native else SegmentMemory.Heap
    buffer = Buffer(using SegmentPool.lockFree(idleLimitBytes = 2 * total, memory = memory))
    val file = Files.createTempFile("hand-off", "").nn
    val opened = FileChannel.open(file, StandardOpenOption.WRITE).nn
    Files.delete(file)
    channel = Some(opened)
    sink = opened.sink()

  @TearDown def close(): Unit =
    output.close()
    channel.foreach(_.close())

  private def fill(): Long =
    var i = 0
    while i < segments do
      if kind == "output" then output.write(piece) else buffer.write(piece): Unit
      i += 1
    if kind == "output" then output.size else buffer.size

  private def empty(): Unit = if kind == "output" then output.reset() else buffer.clear()

  /** The write that all other benchmarks of this class include. */
  @Benchmark def written(): Long =
    val bytes = fill()
    empty()
    bytes

  /** Native code looks for a byte, in a call that may block. */
  @Benchmark def toNative(): Long =
    fill(): Unit
    val bytes = if kind == "output" then output.withIovecs(looked) else buffer.withIovecs(looked)
    empty()
    bytes

  /** A gathering write to a file that is in the page cache. */
  @Benchmark def toFile(): Long =
    val file = channel.get
    file.position(0): Unit
    val bytes = fill()
    if kind == "output" then output.writeTo(file): Unit else sink.write(buffer, bytes)
    empty()
    file.position()
end BufferHandOff

object BufferHandOff:
  final val segments = 64
  private val piece = Array.fill[Byte](SegmentPool.SegmentBytes)(0x3f)
  val total: Long = piece.length.toLong * segments

  private val memchr: MethodHandle =
    val linker = Linker.nativeLinker().nn
    val word = ValueLayout.JAVA_LONG.nn
    val shape = FunctionDescriptor.of(word, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, word)
    linker.downcallHandle(linker.defaultLookup().nn.find("memchr").nn.get, shape).nn

  /** Native code searches for an absent byte: returns 0. */
  private def find(memory: MemorySegment, count: Long): Long =
    memchr.invokeExact(memory, 0x7f, count).asInstanceOf[Long]

  /** Searches all pieces for an absent byte; returns their size in bytes. */
  private val looked: MemorySegment => Long = vectors =>
    var bytes = 0L
    var at = 0L
    while at < vectors.byteSize do
      val count = vectors.get(ValueLayout.JAVA_LONG, at + 8)
      bytes += count + find(vectors.get(ValueLayout.ADDRESS, at).nn, count)
      at += 16
    bytes
end BufferHandOff
