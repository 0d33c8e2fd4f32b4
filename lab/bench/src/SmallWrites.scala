package undercroft.lab.bench

// How much does a byte cost that is written in small pieces, from 1 MiB to 8 GiB of them?

import java.io.{ByteArrayOutputStream, OutputStream}
import java.util.concurrent.TimeUnit
import org.openjdk.jmh.annotations.*
import undercroft.buffer.{Buffer, ByteOutput}

/** `bytes` bytes, in pieces of 24 bytes on average or numbers of two; small sizes in several
  * rounds, so that every call writes at least [[SmallWrites.least]] bytes. With `reused` the memory
  * is kept from round to round, otherwise it is returned each time. The page pool may keep all of
  * it, as C's program keeps its mapping, except for the benchmarks of fresh pages.
  */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms5g",
    "-Xmx5g",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "-Dundercroft.limit=12g",
    "-Dundercroft.idle=0",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
abstract class SmallWrites extends Measured:
  @Param(Array("mixed", "twos")) var load = ""

  protected def size: Long

  protected def rounds: Long = Math.max(1, SmallWrites.least / size)

  protected inline def repeated(inline round: Long): Long =
    var last = 0L
    var i = 0L
    while i < rounds do
      last = round
      i += 1
    last
end SmallWrites

/** Sizes beyond the maximum length of an array; with a small heap, because the written bytes are
  * off-heap.
  */
@Fork(
  value = 3,
  jvmArgs = Array(
    "-Xms256m",
    "-Xmx256m",
    "-XX:+AlwaysPreTouch",
    "-XX:+UseG1GC",
    "-Dundercroft.limit=12g",
    "-Dundercroft.idle=0",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow"
  )
)
class AnySize extends SmallWrites:
  @Param(Array("1", "16", "256", "1024", "8192")) var mebibytes = 0L
  protected def size: Long = mebibytes << 20

  private var c: Option[COutput] = None
  private val output = ByteOutput()

  @Setup def open(): Unit = c = Option.when(COutput.program.isDefined)(COutput.start())

  @TearDown def close(): Unit =
    c.foreach(_.close())
    output.close()

  private def compiled(pages: String): Long =
    c.getOrElse(COutput.start()).write(load, pages, size, rounds)

  @Benchmark def coldC(): Long = compiled("cold")
  @Benchmark def reusedC(): Long = compiled("reused")

  @Benchmark def coldByteOutput(copies: CopyCounts): Long =
    repeated:
      val out = ByteOutput()
      fill(out)
      val written = out.size
      copies.of(out.copiedBytes, written)
      out.close()
      written

  @Benchmark def reusedByteOutput(): Long =
    repeated:
      output.reset()
      fill(output)
      output.size

  /** As `coldByteOutput`, where each 64 KiB are a batch. */
  @Benchmark def coldBatches(copies: CopyCounts): Long =
    repeated:
      val out = ByteOutput()
      fillInBatches(out)
      val written = out.size
      copies.of(out.copiedBytes, written)
      out.close()
      written

  @Benchmark def reusedBatches(): Long =
    repeated:
      output.reset()
      fillInBatches(output)
      output.size

  private def fillInBatches(out: ByteOutput): Unit =
    if load == "twos" then SmallWrites.twosInBatches(out, size)
    else SmallWrites.mixedInBatches(out, size)

  private def fill(out: ByteOutput): Unit =
    if load == "twos" then SmallWrites.twos(out, size) else SmallWrites.mixed(out, size)
end AnySize

/** Sizes that arrays hold, for the JDK's stream, and for Okio's buffer and ours. */
class ArraySize extends SmallWrites:
  @Param(Array("1", "16", "256", "1024")) var mebibytes = 0L
  protected def size: Long = mebibytes << 20

  @Benchmark def byteArrayOutputStream(copies: CopyCounts): Long =
    repeated:
      val out = ByteArrayOutputStream()
      if load == "twos" then SmallWrites.heapTwos(out, size) else SmallWrites.heapMixed(out, size)
      copies.of(SmallWrites.doubled(out.size) + out.size, out.size)
      out.toByteArray.length.toLong

  /** Our buffer, whose segments past the pool's limit are new ones each time. */
  @Benchmark def buffer(copies: CopyCounts): Long =
    repeated:
      val out = Buffer()
      if load == "twos" then SmallWrites.bufferTwos(out, size)
      else SmallWrites.bufferMixed(out, size)
      val written = out.size
      copies.of(0, written) // growth links another segment
      out.clear()
      written

  @Benchmark def okio(copies: CopyCounts): Long =
    repeated:
      val out = _root_.okio.Buffer()
      if load == "twos" then SmallWrites.okioTwos(out, size) else SmallWrites.okioMixed(out, size)
      val written = out.size
      copies.of(0, written) // growth links another segment
      out.clear()
      written
end ArraySize

/** One write per call, of the same pieces and numbers, into pages that exist already: what does it
  * allocate? (In the calls above all measured garbage is the profiler's own, per iteration.)
  */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class OneWrite extends Measured:
  private val maxBytes = 16L << 20
  private val output = ByteOutput()
  private var i = 0

  @Setup def open(): Unit = SmallWrites.twos(output, maxBytes)
  @TearDown def close(): Unit = output.close()

  @Benchmark def mixed(): Long =
    room()
    output.write(Pieces.block, 0, Pieces.lengths(i & 255))
    i += 1
    output.size

  @Benchmark def twos(): Long =
    room()
    output.writeShort(i): Unit
    i += 1
    output.size

  private def room(): Unit = if output.size > maxBytes - Pieces.block.length then output.reset()
end OneWrite

object SmallWrites:
  val least: Long = 256L << 20

  def mixed(out: ByteOutput, bytes: Long): Unit =
    val until = bytes - Pieces.block.length
    var i = 0
    while out.size < until do
      out.write(Pieces.block, 0, Pieces.lengths(i & 255))
      i += 1

  def twos(out: ByteOutput, bytes: Long): Unit =
    var i = 0L
    while i < bytes / 2 do
      out.writeShort(i.toInt): Unit
      i += 1

  /** Bytes of a batch. */
  private val batch = 65536

  def mixedInBatches(out: ByteOutput, bytes: Long): Unit =
    val until = bytes - Pieces.block.length
    var i = 0
    while out.size < until do i = mixedInBatch(out, i, Math.min(until - out.size, batch))

  // A method for a batch, so that the JIT compiles it as a whole and not from its middle.
  private def mixedInBatch(out: ByteOutput, first: Int, until: Long): Int =
    var i = first
    out.batch(until.toInt + Pieces.block.length): pieces =>
      while pieces.size < until do
        pieces.write(Pieces.block, 0, Pieces.lengths(i & 255))
        i += 1
    i

  def twosInBatches(out: ByteOutput, bytes: Long): Unit =
    var i = 0L
    while i < bytes / 2 do
      val until = Math.min(i + batch / 2, bytes / 2)
      twosInBatch(out, i, until)
      i = until

  private def twosInBatch(out: ByteOutput, from: Long, until: Long): Unit =
    out.batch(batch): numbers =>
      var i = from
      while i < until do
        numbers.writeShort(i.toInt): Unit
        i += 1

  /** The bytes copied by an array that grows from 32 bytes to `size` by doubling. */
  def doubled(size: Long): Long = Iterator.iterate(32L)(_ * 2).takeWhile(_ < size).sum

  def heapMixed(out: ByteArrayOutputStream, bytes: Long): Unit =
    val until = bytes - Pieces.block.length
    var i = 0
    while out.size < until do
      out.write(Pieces.block, 0, Pieces.lengths(i & 255))
      i += 1

  def heapTwos(out: OutputStream, bytes: Long): Unit =
    var i = 0L
    while i < bytes / 2 do
      out.write((i >> 8).toInt)
      out.write(i.toInt)
      i += 1

  def bufferMixed(out: Buffer, bytes: Long): Unit =
    val until = bytes - Pieces.block.length
    var i = 0
    while out.size < until do
      out.write(Pieces.block, 0, Pieces.lengths(i & 255)): Unit
      i += 1

  def bufferTwos(out: Buffer, bytes: Long): Unit =
    var i = 0L
    while i < bytes / 2 do
      out.writeShort(i.toInt): Unit
      i += 1

  def okioMixed(out: _root_.okio.Buffer, bytes: Long): Unit =
    val until = bytes - Pieces.block.length
    var i = 0
    while out.size < until do
      out.write(Pieces.block, 0, Pieces.lengths(i & 255)): Unit
      i += 1

  def okioTwos(out: _root_.okio.Buffer, bytes: Long): Unit =
    var i = 0L
    while i < bytes / 2 do
      out.writeShort(i.toInt): Unit
      i += 1
end SmallWrites
