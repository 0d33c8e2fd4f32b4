package undercroft.pekko.persistence
package internal.lease

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path, StandardOpenOption}

/** The folder of the journals of all shards; a file in it has their number. */
private[persistence] final class ShardFolders private (folder: Path):

  /** The folder of the journal of a shard. The name of a shard's actor has no separators. */
  def of(shard: String): Path = folder.resolve(s"shard-$shard").nn

private[persistence] object ShardFolders:
  private val MaxDigits = 20

  /** A lock of a file is one of the whole process. */
  private val lock = Object()

  /** Creates the folder if it is absent, with the number of shards, or compares the number with the
    * stored one. Nodes that start at a time lock the file.
    */
  def open(folder: Path, count: Int): ShardFolders =
    Files.createDirectories(folder): Unit
    val file = folder.resolve("shards").nn
    lock.synchronized:
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
    new ShardFolders(folder)
  end open
end ShardFolders
