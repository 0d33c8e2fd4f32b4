package undercroft.actor
package persistence
package internal.log

import java.io.IOException
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.concurrent.ConcurrentHashMap

/** The right of one journal to use a folder, among all processes: a lock of the system on the file
  * `journal.lock`, which is released when the process ends in any way.
  */
private[persistence] final class FolderLock private (val folder: Path, channel: FileChannel)
    extends AutoCloseable:
  def close(): Unit =
    channel.close()
    FolderLock.lockedFolders.remove(folder): Unit

private[persistence] object FolderLock:
  /** The folders of this process: closing a second channel would release the lock of the first. */
  private val lockedFolders = ConcurrentHashMap.newKeySet[Path]().nn

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
      FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).nn
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
