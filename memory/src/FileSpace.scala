package undercroft.memory

import java.io.IOException
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.channels.FileChannel.MapMode
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.concurrent.ConcurrentSkipListMap

/** A sparse file in shared memory, for processes that may not call native code.
  *
  * {{{
  *   table | history | cage
  * }}}
  *
  * The file is mapped without a restricted call, and deleted at once. Pages become memory by
  * writing zeros to the file, because a full file system is an error there, but a crash of the
  * access in a mapping. What was committed stays until the process ends: without native calls there
  * is no way to return it. A region's segments are mappings of their own, of the same bytes, so
  * that they die with their region.
  */
private[memory] final class FileSpace private (
    channel: FileChannel,
    directory: Path,
    val range: Long,
    free: Long
) extends Space:
  private val tableBytes = FileSpace.tableBytes(range)
  private val historyBytes = FileSpace.historyBytes(range)
  private val cageBegins = tableBytes + historyBytes
  private val zeros = ByteBuffer.allocateDirect(FileSpace.WriteBytes)
  private val windows = ConcurrentSkipListMap[Long, (MemorySegment, Long)]()
  @volatile private var mark = 0L

  val segment: MemorySegment =
    channel.map(MapMode.READ_WRITE, cageBegins, range + Cage.PageBytes, Arena.global)
  val table: MemorySegment = channel.map(MapMode.READ_WRITE, 0, tableBytes, Arena.global)
  val history: MemorySegment =
    channel.map(MapMode.READ_WRITE, tableBytes, historyBytes, Arena.global)

  def open: MemorySegment = segment
  def openBase: Long = 0
  def guarded: Boolean = true
  def readableEnd: Long = mark
  def returnsMemory: Boolean = false
  def capacity: Option[Long] = Some(free)
  def description: String = s"a file of up to $free bytes in $directory, native access being denied"

  def raise(end: Long): Unit = synchronized:
    if end > mark then
      val from = mark >>> Cage.PageShift
      val pages = (end >>> Cage.PageShift) - from
      write(from * 4, pages * 4)
      write(tableBytes + from * 8 * Generations.HistorySlots, pages * 8 * Generations.HistorySlots)
      mark = end

  def commit(offset: Long, bytes: Long): Unit = write(cageBegins + offset, bytes)
  def giveBack(offset: Long, bytes: Long): Unit = segment.asSlice(offset, bytes).fill(0): Unit
  def adviseHuge(offset: Long, bytes: Long): Boolean = false

  def populate(offset: Long, bytes: Long): Unit = ()

  def window(offset: Long, bytes: Long, arena: Arena): MemorySegment =
    val window = channel.map(MapMode.READ_WRITE, cageBegins + offset, bytes, arena)
    val _ = windows.put(window.address, (window, offset))
    window

  def offsetOf(segment: MemorySegment): Long =
    val direct = segment.address - this.segment.address
    if !segment.isNative then -1
    else if direct >= 0 && direct < range then direct
    else
      val entry = windows.floorEntry(segment.address)
      if entry == null then -1
      else
        val (window, offset) = entry.getValue
        val distance = segment.address - window.address
        if distance < window.byteSize then offset + distance else -1

  def forget(window: MemorySegment): Unit =
    val _ = windows.remove(window.address)

  private def write(position: Long, bytes: Long): Unit =
    var done = 0L
    while done < bytes do
      val next = zeros.duplicate().limit((bytes - done).min(zeros.capacity.toLong).toInt)
      try done += channel.write(next, position + done)
      catch
        case e: IOException =>
          throw MemoryLimitException(
            s"the file system of $directory (${e.getMessage})",
            bytes,
            done
          )
end FileSpace

private[memory] object FileSpace:
  private val WriteBytes = 1 << 20

  /** 1 TiB of a sparse file costs nothing until it is used. */
  private val LargestRange = 1L << 40
  private val SmallestRange = 1L << 30

  /** Less than this in shared memory (Docker gives 64 MiB), and the temporary folder is preferred
    * where that has more.
    */
  private val EnoughBytes = 256L << 20

  private def tableBytes(range: Long): Long = (range >>> Cage.PageShift) * 4
  private def historyBytes(range: Long): Long =
    (range >>> Cage.PageShift) * 8 * Generations.HistorySlots

  def reserve(): FileSpace =
    val directory = choose()
    val file = Files.createTempFile(directory, "undercroft", ".cage")
    val channel =
      FileChannel.open(
        file,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE
      )
    Files.deleteIfExists(file): Unit
    val free = Files.getFileStore(directory).getUsableSpace
    var range = Settings.rangeBytes.min(LargestRange)
    var space: FileSpace | Null = null
    while space == null && range >= SmallestRange do
      space =
        try FileSpace(channel, directory, range, free)
        catch
          case _: (IOException | OutOfMemoryError) => null
      range >>= 1
    if space == null then throw MemoryLimitException("the system's address space", SmallestRange, 0)
    else space
  end reserve

  private def choose(): Path =
    val temporary = Path.of(System.getProperty("java.io.tmpdir", "."))
    Settings.directory.map(Path.of(_)).getOrElse:
      val shared = Path.of("/dev/shm")
      if !Files.isWritable(shared) then temporary
      else
        val inShared = Files.getFileStore(shared).getUsableSpace
        val enough = inShared >= EnoughBytes
        if enough || inShared >= Files.getFileStore(temporary).getUsableSpace then shared
        else temporary
end FileSpace
