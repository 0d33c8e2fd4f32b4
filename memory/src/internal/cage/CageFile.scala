package undercroft.memory
package internal.cage

import java.io.{IOException, RandomAccessFile}
import java.lang.foreign.{Arena, MemorySegment}
import java.nio.channels.{ClosedChannelException, FileChannel}
import java.nio.channels.FileChannel.MapMode
import java.nio.file.{Files, Path, StandardOpenOption}

/** The sparse file of a [[FileSpace]]; it survives thread interrupts.
  *
  * An interrupt closes the channel through which its thread maps. So zeros are written without a
  * channel, and the channel is reopened through the file descriptor, because the file's name is
  * deleted at once. If the system does not name descriptors, the file keeps its name until the
  * process ends.
  *
  * Thread-safe. If the system rejects a call, a [[MemoryLimitException]] is thrown.
  */
private[memory] final class CageFile private (file: RandomAccessFile, name: Path, directory: Path):
  private val zeros = new Array[Byte](CageFile.WriteBytes)
  @volatile private var channel = CageFile.channel(name)

  /** Commits `bytes` bytes from `position` on, as zeros. */
  def write(position: Long, bytes: Long): Unit = synchronized:
    var done = 0L
    try
      file.seek(position)
      while done < bytes do
        val next = Math.min(bytes - done, zeros.length).toInt
        file.write(zeros, 0, next)
        done += next
    catch case e: IOException => throw refused(e, bytes, done)

  /** Maps `bytes` bytes from `position` on. An interrupted thread stays interrupted. */
  def map(position: Long, bytes: Long, arena: Arena): MemorySegment =
    var interrupted = false
    var mapped: MemorySegment | Null = null
    try
      while mapped == null do
        interrupted |= Thread.interrupted()
        try mapped = opened().map(MapMode.READ_WRITE, position, bytes, arena)
        catch case _: ClosedChannelException => () // by an interrupt of any thread
      mapped
    catch case e: IOException => throw refused(e, bytes, 0)
    finally if interrupted then Thread.currentThread.interrupt()

  private def opened(): FileChannel =
    val current = channel
    if current.isOpen then current
    else
      synchronized:
        if !channel.isOpen then channel = CageFile.channel(name)
        channel

  private def refused(cause: IOException, bytes: Long, done: Long): MemoryLimitException =
    MemoryLimitException(s"the file system of $directory (${cause.getMessage})", bytes, done)
end CageFile

private[memory] object CageFile:
  /** Bytes per write: the JDK allocates temporary memory for larger ones at each call. */
  private val WriteBytes = 64 << 10

  private val Descriptors = Path.of("/dev/fd")

  def create(directory: Path): CageFile =
    val path = Files.createTempFile(directory, "undercroft", ".cage")
    val file = RandomAccessFile(path.toFile, "rw")
    val name = descriptorOf(path)
    if name != null then Files.delete(path)
    else path.toFile.deleteOnExit()
    CageFile(file, if name != null then name else path, directory)

  /** The path of the descriptor through which this process has a file open, if it can be opened. */
  private def descriptorOf(file: Path): Path | Null =
    def isSame(descriptor: Path) =
      try Files.isSameFile(descriptor, file)
      catch case _: IOException => false
    try
      val descriptors = Files.list(Descriptors)
      try
        val descriptor = descriptors.filter(isSame(_)).findFirst
        if descriptor.isEmpty then null
        else
          channel(descriptor.get).close()
          descriptor.get
      finally descriptors.close()
    catch case _: IOException => null

  private def channel(name: Path): FileChannel =
    FileChannel.open(name, StandardOpenOption.READ, StandardOpenOption.WRITE)
end CageFile
