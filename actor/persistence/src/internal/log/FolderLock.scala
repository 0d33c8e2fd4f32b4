package undercroft.actor
package persistence
package internal.log

import java.io.IOException
import java.nio.channels.{FileChannel, FileLock, OverlappingFileLockException}
import java.nio.file.{FileAlreadyExistsException, Files, Path, StandardOpenOption}
import java.nio.file.attribute.BasicFileAttributes
import java.util.concurrent.ConcurrentHashMap
import scala.collection.immutable.SortedSet

/** The right of one journal to use a folder, among all processes: a lock of the system on the file
  * `journal.lock`, which is released when the process ends in any way.
  *
  * The file has a [[SegmentRecord]]: no other file shows that a segment of events is missing.
  */
private[persistence] final class FolderLock private (
    val folder: Path,
    names: List[AnyRef],
    channel: FileChannel
) extends AutoCloseable:
  private var recorded = FolderLock.read(channel)

  /** The numbers of the segments that the folder must have, as far as they are known. */
  def segments: SortedSet[Int] = recorded.numbers

  /** The numbers of recorded segments that are missing beside those that are present. */
  def missing(present: SortedSet[Int]): SortedSet[Int] = recorded.missing(present)

  /** Records the numbers of the segments and forces them to the disk. If that fails, the record is
    * as before, unless the disk fails again.
    */
  def record(numbers: SortedSet[Int]): Unit =
    try write(numbers)
    catch
      case error: IOException =>
        try write(recorded.numbers)
        catch case second: IOException => error.addSuppressed(second)
        throw error
    recorded = SegmentRecord.Decoded(numbers, isWhole = true)

  private def write(numbers: SortedSet[Int]): Unit =
    val bytes = SegmentRecord.encode(numbers)
    while bytes.hasRemaining do channel.write(bytes, bytes.position.toLong): Unit
    channel.force(false)

  def close(): Unit =
    try channel.close()
    finally FolderLock.release(names)
end FolderLock

private[persistence] object FolderLock:
  /** The names of the folders of this process: their paths, and the keys of their lock files, since
    * a folder may have several paths. Closing a second channel of a file would release the lock.
    */
  private val heldNames = ConcurrentHashMap.newKeySet[AnyRef]().nn

  /** Channels of files that another loader of this class has locked, by key; closing them would
    * release its lock.
    */
  private val keptChannels = ConcurrentHashMap[AnyRef, FileChannel]()

  /** The most bytes of a record that are read. */
  private final val MaxRecordBytes = 1 << 24

  /** Creates the folder if it is absent, and locks it. */
  def take(folder: Path): FolderLock =
    try
      Files.createDirectories(folder): Unit
      val real = folder.toRealPath().nn
      val file = real.resolve("journal.lock")
      create(file)
      val key = keyOf(file)
      val names = List(real, key).distinct
      hold(real, names)
      try FolderLock(real, names, lock(real, file, key))
      catch
        case error: Throwable =>
          release(names)
          throw error
    catch
      case error: IOException =>
        throw JournalException.of(s"$folder: cannot be used as the folder of a journal", error)

  private def create(file: Path): Unit =
    try Files.createFile(file): Unit
    catch case _: FileAlreadyExistsException => ()

  /** The identity of a file, under all of its names. */
  private def keyOf(file: Path): AnyRef =
    val key = Files.readAttributes(file, classOf[BasicFileAttributes]).fileKey
    if key == null then file else key

  private def hold(real: Path, names: List[AnyRef]): Unit =
    val held = names.takeWhile(heldNames.add(_))
    if held.size < names.size then
      release(held)
      throw inUse(real, "another journal of this process has it open")

  private def release(names: List[AnyRef]): Unit = names.foreach(heldNames.remove(_): Unit)

  private def lock(real: Path, file: Path, key: AnyRef): FileChannel =
    val kept = keptChannels.remove(key)
    val channel =
      import StandardOpenOption.{READ, WRITE}
      if kept == null then FileChannel.open(file, READ, WRITE).nn else kept
    try
      val lock: FileLock | Null = channel.tryLock()
      if lock == null then throw inUse(real, s"a journal of another process has locked $file")
      channel
    catch
      case _: OverlappingFileLockException =>
        keptChannels.put(key, channel): Unit
        throw inUse(real, s"this process has locked $file")
      case error: Throwable =>
        channel.close()
        throw error

  private def read(channel: FileChannel): SegmentRecord.Decoded =
    try
      val bytes = SegmentRecord.buffer(channel.size.min(MaxRecordBytes).toInt)
      var count = 0
      while bytes.hasRemaining && count >= 0 do count = channel.read(bytes, bytes.position.toLong)
      SegmentRecord.decode(bytes.limit(bytes.position))
    catch
      case error: Throwable =>
        channel.close()
        throw error

  private def inUse(folder: Path, reason: String): JournalException =
    JournalException(s"$folder: in use: $reason", JournalException.Kind.InUse)
end FolderLock
