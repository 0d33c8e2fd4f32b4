package undercroft.pekko
package internal.lease

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, NoSuchFileException, Path, StandardOpenOption}
import java.util.IdentityHashMap
import org.apache.pekko.actor.typed
import scala.concurrent.ExecutionContext

/** The folder of the journals of all shards; a file in it has their number. */
private[pekko] final class ShardFolders private (folder: Path, count: Int):

  /** The folder of the journal of a shard. The name of a shard's actor has no separators.
    *
    * @throws java.io.IOException
    *   if the folder of all shards is not the one that was opened: a new folder in its place, as a
    *   lost mount leaves it, would give the shard an empty journal
    */
  def of(shard: String): Path =
    requireCount()
    folder.resolve(s"shard-$shard").nn

  private def requireCount(): Unit =
    val file = folder.resolve(ShardFolders.CountFile).nn
    val state =
      try
        val text = Files.readString(file, US_ASCII).nn.trim.nn
        if text == s"$count" then "" else s"has '${text.take(ShardFolders.MaxDigits)}'"
      catch case _: NoSuchFileException => "is absent"
    if state.nonEmpty then
      throw IOException(
        s"$file must have the number of shards, $count, as when it was opened, but $state: the " +
          "folder was deleted, moved or unmounted"
      )
end ShardFolders

private[pekko] object ShardFolders:
  private val MaxDigits = 20

  /** The name of the file with the number of shards. */
  private val CountFile = "shards"

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
    val file = folder.resolve(CountFile).nn
    lock.synchronized:
      compareCount(file, folder, count)
      register(folder, system)
    new ShardFolders(folder, count)

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
