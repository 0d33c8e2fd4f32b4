package undercroft.actor
package persistence
package internal.log

import java.io.IOException
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.concurrent.ConcurrentHashMap
import java.util.zip.CRC32C

/** The right of one journal to use a folder, among all processes: a lock of the system on the file
  * `journal.lock`, which is released when the process ends in any way.
  *
  * The file has the number of the newest segment of events, as a Long, and the CRC32C of that: no
  * other file shows that the newest segment is missing.
  */
private[persistence] final class FolderLock private (val folder: Path, channel: FileChannel)
    extends AutoCloseable:
  /** The recorded number of the newest segment; 0 if there is none. */
  def newestSegment: Long =
    val record = FolderLock.record()
    val isWhole = channel.read(record, 0) == FolderLock.RecordBytes
    if isWhole && record.getInt(8) == FolderLock.checksum(record) then record.getLong(0) else 0

  /** Records the number of the newest segment and forces it to the disk. */
  def recordNewest(number: Long): Unit =
    val record = FolderLock.record()
    record.putLong(0, number).putInt(8, FolderLock.checksum(record)): Unit
    channel.write(record, 0): Unit
    channel.force(false)

  def close(): Unit =
    channel.close()
    FolderLock.lockedFolders.remove(folder): Unit

private[persistence] object FolderLock:
  /** The folders of this process: closing a second channel would release the lock of the first. */
  private val lockedFolders = ConcurrentHashMap.newKeySet[Path]().nn

  private final val RecordBytes = 12

  private def record(): ByteBuffer =
    ByteBuffer.allocate(RecordBytes).order(ByteOrder.LITTLE_ENDIAN)

  private def checksum(record: ByteBuffer): Int =
    val crc = CRC32C()
    crc.update(record.array, 0, 8)
    crc.getValue.toInt

  /** Creates the folder if it is absent, and locks it. */
  def take(folder: Path): FolderLock =
    try
      Files.createDirectories(folder): Unit
      val real = folder.toRealPath().nn
      if !lockedFolders.add(real) then
        throw inUse(real, "another journal of this process has it open")
      try lock(real)
      catch
        case error: Throwable =>
          lockedFolders.remove(real): Unit
          throw error
    catch
      case error: IOException =>
        throw JournalException(
          s"$folder: cannot be used as the folder of a journal: $error",
          JournalException.Kind.Failed,
          error
        )

  private def lock(real: Path): FolderLock =
    val file = real.resolve("journal.lock")
    val channel =
      import StandardOpenOption.{CREATE, READ, WRITE}
      FileChannel.open(file, CREATE, READ, WRITE).nn
    val lock =
      try channel.tryLock()
      catch
        case error: Throwable =>
          channel.close()
          throw error
    if lock == null then
      channel.close()
      throw inUse(real, s"a journal of another process has locked $file")
    FolderLock(real, channel)

  private def inUse(folder: Path, reason: String): JournalException =
    JournalException(s"$folder: in use: $reason", JournalException.Kind.InUse)
end FolderLock
