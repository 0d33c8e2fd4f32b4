package undercroft.arrow
package internal.io

import java.io.{FileOutputStream, IOException, OutputStream}
import java.nio.channels.FileChannel
import java.nio.file.{
  FileAlreadyExistsException,
  FileSystemException,
  Files,
  LinkOption,
  Path,
  StandardCopyOption
}

/** Writes a file sequentially to a temporary file, which gets the requested name when it is
  * complete. Confined to one thread.
  */
private[arrow] final class FileOutput(path: Path) extends AutoCloseable:
  private var isDone = false

  private val (draft, stream) =
    if FileOutput.exists(path) then
      throw ArrowException(
        path,
        0,
        ArrowErrorKind.Exists,
        "choose another name, or delete the file first"
      )
    try
      val folder = path.toAbsolutePath.nn.getParent.nn
      // A short name, because the target's may be as long as names can be.
      val name = s".undercroft-${java.util.UUID.randomUUID}.part"
      val file = Files.createFile(folder.resolve(name)).nn
      try (file, FileOutputStream(file.toFile))
      catch
        case error: IOException =>
          val _ = Files.deleteIfExists(file)
          throw error
    catch case error: IOException => throw ArrowException.of(path, 0, error)

  val output: ArrowOutput = ArrowOutput(Translating(), path)

  /** Throws the errors of the disk as [[ArrowException]]. */
  private final class Translating extends OutputStream:
    private var at = 0L
    def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)
    override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
      try stream.write(bytes, offset, count)
      catch case error: IOException => throw ArrowException.of(path, at, error)
      at += count

  /** Gives the temporary file the requested name. Then its bytes and its name are durable. */
  def finish(): Unit =
    output.flush()
    try
      stream.getFD.nn.sync()
      stream.close()
      publish()
      try
        val _ = Files.deleteIfExists(draft)
        FileOutput.forceFolder(path)
      catch
        case error: IOException =>
          val _ = Files.deleteIfExists(path)
          throw error
    catch case error: IOException => throw ArrowException.of(path, output.position, error)
    isDone = true

  /** Links the requested name to the temporary file, unless there is another file of this name. */
  private def publish(): Unit =
    try Files.createLink(path, draft): Unit
    catch
      case _: FileAlreadyExistsException                             => throw taken()
      case _: FileSystemException | _: UnsupportedOperationException =>
        // Hard links are not supported: fall back to a check and a rename.
        if FileOutput.exists(path) then throw taken()
        Files.move(draft, path, StandardCopyOption.ATOMIC_MOVE): Unit

  private def taken(): ArrowException =
    output.error(ArrowErrorKind.Exists, "another process created the file meanwhile")

  /** Deletes the temporary file, unless the output is finished. */
  def close(): Unit =
    if !isDone then
      try
        stream.close()
        val _ = Files.deleteIfExists(draft)
      catch case _: IOException => () // the caller gets the original error
end FileOutput

private[arrow] object FileOutput:
  private val isWindows = System.getProperty("os.name").nn.startsWith("Windows")

  /** Whether there is a file or a symbolic link, also one to a missing file. */
  private def exists(path: Path): Boolean = Files.exists(path, LinkOption.NOFOLLOW_LINKS)

  /** Forces the folder of a file, so that its name is durable, if the system supports it. */
  private def forceFolder(path: Path): Unit =
    if !isWindows then
      val isInterrupted = Thread.interrupted() // an interrupt would close the channel
      try
        val folder = FileChannel.open(path.toAbsolutePath.nn.getParent).nn
        try folder.force(true)
        finally folder.close()
      finally if isInterrupted then Thread.currentThread.nn.interrupt()
end FileOutput
