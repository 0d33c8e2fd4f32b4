package undercroft.tools

import java.io.IOException
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue
import scala.jdk.CollectionConverters.*
import scala.util.Using

/** Folders for the files of tests, which are deleted when the JVM exits. */
object TemporaryFolders:
  private val folders = ConcurrentLinkedQueue[Path]()

  Runtime.getRuntime.nn.addShutdownHook(Thread(() => folders.forEach(delete(_))))

  /** Creates a folder whose name begins with `prefix`. Thread-safe. */
  def create(prefix: String): Path =
    val folder = Files.createTempDirectory(prefix).nn
    folders.add(folder)
    folder

  /** Deletes a folder with its files. A file that cannot be deleted stays, with its folder. */
  private def delete(folder: Path): Unit =
    try
      val paths = Using.resource(Files.walk(folder).nn)(_.iterator.nn.asScala.toVector)
      paths.reverse.foreach(path => Files.deleteIfExists(path))
    catch case _: IOException | _: java.io.UncheckedIOException => ()
end TemporaryFolders
