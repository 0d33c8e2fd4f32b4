package undercroft.pekko.persistence
package internal.lease

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path, StandardOpenOption}
import java.util.IdentityHashMap
import org.apache.pekko.actor.typed
import scala.concurrent.ExecutionContext

/** The folder of the journals of all shards; a file in it has their number. */
private[persistence] final class ShardFolders private (folder: Path):

  /** The folder of the journal of a shard. The name of a shard's actor has no separators. */
  def of(shard: String): Path = folder.resolve(s"shard-$shard").nn

private[persistence] object ShardFolders:
  private val MaxDigits = 20

  /** A lock of a file is one of the whole process. */
  private val lock = Object()

  /** The folders of each actor system of this process, by its identity: systems of one name are
    * equal. Guarded by `lock`.
    */
  private val openFolders = IdentityHashMap[typed.ActorSystem[?], Set[Path]]()

  /** Creates the folder if it is absent, with the number of shards, or compares the number with the
    * stored one. Nodes that start at a time lock the file. An actor system opens a folder once.
    */
  def open(folder: Path, count: Int, system: typed.ActorSystem[?]): ShardFolders =
    Files.createDirectories(folder): Unit
    val file = folder.resolve("shards").nn
    lock.synchronized:
      compareCount(file, folder, count)
      register(folder, system)
    new ShardFolders(folder)

  private def compareCount(file: Path, folder: Path, count: Int): Unit =
    val channel = FileChannel.open(
      file,
      StandardOpenOption.CREATE,
      StandardOpenOption.READ,
      StandardOpenOption.WRITE
    ).nn
    try
      channel.lock(): Unit
      val bytes = ByteBuffer.allocate(MaxDigits).nn
      while channel.read(bytes) > 0 do ()
      val text = String(bytes.array, 0, bytes.position, US_ASCII).trim.nn
      if text.isEmpty then
        channel.write(ByteBuffer.wrap(s"$count\n".getBytes(US_ASCII)), 0): Unit
        channel.force(true)
      else if text != s"$count" then
        throw IllegalArgumentException(
          s"shards must be $text, the number with which $folder was written, but is $count: an " +
            "entity would be in another shard, without its events"
        )
    finally channel.close()
  end compareCount

  private def register(folder: Path, system: typed.ActorSystem[?]): Unit =
    val real = folder.toRealPath().nn
    val before = openFolders.getOrDefault(system, Set.empty).nn
    if before.contains(real) then
      throw IllegalStateException(
        s"${system.name} has opened $folder already: open it once, before the entity type is " +
          "initialized, and use it for all entities"
      )
    openFolders.put(system, before + real): Unit
    if before.isEmpty then
      system.whenTerminated.onComplete(_ =>
        lock.synchronized(openFolders.remove(system): Unit)
      )(using ExecutionContext.parasitic)
end ShardFolders
