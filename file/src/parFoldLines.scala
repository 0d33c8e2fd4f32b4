package undercroft.file

import java.io.IOException
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.channels.FileChannel
import java.nio.file.{Path, StandardOpenOption}
import scala.util.Using
import undercroft.memory.Region
import undercroft.struct.parFold

/** The most bytes of a line, with its line feed: 1 MiB. */
final val MaxLineBytes = 1 << 20

/** The default grain of [[parFoldLines]]: 32 MiB. */
final val DefaultLinesGrain = 1L << 25

/** Folds the lines of a text file in ranges of `grain` bytes, on the caller's thread and a pool,
  * with as many threads as there are processors. A line belongs to the range that its first byte is
  * in. Each range starts with its own `zero`; `op` gets its lines block by block, each a copy of
  * whole lines that is in the processor's cache; the results are combined in the order of the
  * ranges on the caller's thread.
  *
  * The file is read at positions, not mapped, so a program that cuts it meanwhile causes no fault:
  * the lines end at its new end. Lines that are appended after the call began may be missing.
  * Allocates 1 MiB off-heap for each thread, and a few objects for each block.
  *
  * `zero` and `op` run on other threads: what they use must be thread-safe. The first failure ends
  * the operation, as in [[undercroft.struct.parFold]]. A grain below 1, or more than 1 048 576
  * ranges throw IllegalArgumentException; a line of more than [[MaxLineBytes]] bytes an IOException
  * with its position.
  *
  * {{{
  * import java.nio.file.Files
  * val path = Files.writeString(Files.createTempFile("lines", ".txt"), "ale\nrum\n\n")
  * val count = parFoldLines(path)(0L)((count, lines) =>
  *   var (sum, at) = (count, lines.from)
  *   while at < lines.until do
  *     at = lines.indexOf('\n', at) + 1
  *     sum += 1
  *   sum
  * )(_ + _)
  * println(count) // 3
  * }}}
  */
def parFoldLines[B](path: Path, grain: Long = DefaultLinesGrain)(zero: => B)(
    op: (B, LineBlock) => B
)(combine: (B, B) => B): B =
  Using.resource(FileChannel.open(path, StandardOpenOption.READ).nn): channel =>
    parFold(0L, channel.size, grain)(zero)((start, from, until) =>
      Region.scoped:
        val memory = Region.allocate(LineReader.Bytes, LineReader.Alignment)
        LineReader(channel, path, memory, from, until).fold(start)(op)
    )(combine)

/** Reads the lines that begin in `[from, until)` of a file into memory, block by block. */
private final class LineReader(
    channel: FileChannel,
    path: Path,
    memory: MemorySegment,
    from: Long,
    until: Long
):
  private val buffer = memory.asByteBuffer.nn

  /** The position in the file of the first byte of the memory, whose bytes `[start, filled)` are
    * copies of the file's bytes.
    */
  private var base = Math.max(from - 1, 0)
  private var (start, filled) = (0, 0)
  private var isEnd = false

  def fold[B](zero: B)(op: (B, LineBlock) => B): B =
    read()
    // A line begins at 0, and after each line feed from the byte before the range on.
    var first = if from == 0 then 0 else lineAfter(0)
    while first < 0 && !isEnd && base + filled < until do
      skip(filled)
      read()
      first = lineAfter(start)
    var result = zero
    var isOver = first < 0
    while !isOver do
      // The last line of the range ends with the first line feed from the range's last byte on.
      val bound = until - 1 - base
      val last = if bound < filled then lineAfter(bound) else -1
      isOver = last >= 0 || isEnd
      val end = if last >= 0 then last else if isEnd then filled else wholeLines(first)
      if end > first then result = op(result, LineBlock(memory, first, end, base))
      if !isOver then
        skip(end)
        first = start
        if filled - first == MaxLineBytes then
          throw IOException(s"$path: the line at ${base + first} has more than $MaxLineBytes bytes")
        read()
    result
  end fold

  /** Reads at least one byte, unless the file ends before. */
  private def read(): Unit =
    val byteCount = Math.max(until - base - filled, LineReader.MinRead).min(LineReader.MaxRead)
    val limit = Math.min(filled + byteCount, start + MaxLineBytes).toInt
    val count = channel.read(buffer.limit(limit).position(filled), base + filled)
    if count < 0 then isEnd = true else filled += count

  /** Moves the bytes from `end` on to the start of the memory, so that they end where a read is
    * fast: Linux copies to a position that is not aligned at a third of the speed.
    */
  private def skip(end: Int): Unit =
    val byteCount = filled - end
    start = -byteCount & (LineReader.Alignment - 1)
    MemorySegment.copy(memory, end, memory, start, byteCount)
    base += end - start
    filled = start + byteCount

  /** The start of the line after the first line feed at `position` or later, or -1. */
  private def lineAfter(position: Long): Int =
    val feed = LineBlock(memory, 0, filled, base).indexOf('\n', position).toInt
    if feed < filled then feed + 1 else -1

  /** The end of the last whole line, or `first` if there is none. */
  private def wholeLines(first: Int): Int =
    var end = filled
    while end > first && memory.get(JAVA_BYTE, end - 1) != '\n' do end -= 1
    end
end LineReader

private object LineReader:
  /** The bytes of a line of processors' caches. */
  inline val Alignment = 64

  /** Two words can be read at each position. */
  val Bytes: Long = Alignment + MaxLineBytes + 16L

  /** The fewest and the most bytes that are read at once: 4 KiB, 256 KiB. */
  private inline val MinRead = 4096L
  private inline val MaxRead = 262144L
