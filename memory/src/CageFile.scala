package undercroft.memory

import java.io.{IOException, RandomAccessFile}
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.channels.{ClosedChannelException, FileChannel}
import java.nio.channels.FileChannel.MapMode
import java.nio.file.{Files, Path, StandardOpenOption}

/** The sparse file under a [[FileSpace]], which no interrupt of a thread closes.
  *
  * An interrupt closes the channel that its thread maps by. So zeros are written without one, and
  * the channel is opened again by the file's descriptor: its name is deleted at once. Where the
  * system does not name descriptors the file keeps its name until the process ends.
  *
  * Any thread. What the system refuses is a [[MemoryLimitException]].
  */
private[memory] final class CageFile private (file: RandomAccessFile, name: Path, directory: Path):
  private val zeros = new Array[Byte](CageFile.WriteBytes)
  @volatile private var channel = CageFile.channel(name)

  /** Makes `bytes` bytes from `position` on memory, which are zero. */
  def write(position: Long, bytes: Long): Unit = synchronized:
    var done = 0L
    try
      file.seek(position)
      while done < bytes do
        val next = (bytes - done).min(zeros.length).toInt
        file.write(zeros, 0, next)
        done += next
    catch case e: IOException => throw refused(e, bytes, done)

  /** Maps `bytes` bytes from `position` on. A thread that is interrupted stays so. */
  def map(position: Long, bytes: Long, arena: Arena): MemorySegment =
    var interrupted = false
    var mapped: MemorySegment | Null = null
    try
      while mapped == null do
        interrupted |= Thread.interrupted()
        try mapped = opened().map(MapMode.READ_WRITE, position, bytes, arena)
        catch case _: ClosedChannelException => () // by an interrupt, of whichever thread
      mapped
    catch case e: IOException => throw refused(e, bytes, 0)
    finally if interrupted then Thread.currentThread.interrupt()

  private def opened(): FileChannel =
    val known = channel
    if known.isOpen then known
    else
      synchronized:
        if !channel.isOpen then channel = CageFile.channel(name)
        channel

  private def refused(cause: IOException, bytes: Long, done: Long): MemoryLimitException =
    MemoryLimitException(s"the file system of $directory (${cause.getMessage})", bytes, done)
end CageFile

private[memory] object CageFile:
  /** More would be copied to memory that is taken for each call. */
  private val WriteBytes = 64 << 10

  private val Descriptors = Path.of("/dev/fd")

  def create(directory: Path): CageFile =
    val path = Files.createTempFile(directory, "undercroft", ".cage")
    val file = RandomAccessFile(path.toFile, "rw")
    val name = descriptorOf(path)
    if name != null then Files.delete(path)
    else path.toFile.deleteOnExit()
    CageFile(file, if name != null then name else path, directory)

  /** The name of the descriptor by which this process has a file open, if that can be opened. */
  private def descriptorOf(file: Path): Path | Null =
    def isSame(descriptor: Path) =
      try Files.isSameFile(descriptor, file)
      catch case _: IOException => false
    try
      val all = Files.list(Descriptors)
      try
        val found = all.filter(isSame(_)).findFirst
        if found.isEmpty then null
        else
          channel(found.get).close()
          found.get
      finally all.close()
    catch case _: IOException => null

  private def channel(name: Path): FileChannel =
    FileChannel.open(name, StandardOpenOption.READ, StandardOpenOption.WRITE)
end CageFile
