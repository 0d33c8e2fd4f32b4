package undercroft.cli

import java.nio.file.{Files, Path}

/** Folders for the temporary files of a command. They are deleted when it ends, also if a signal
  * ends the JVM.
  */
private[cli] final class TemporaryFiles extends AutoCloseable:
  private var folders = Vector[Path]()
  private var isClosed = false
  private val hook = Thread(() => delete())
  Runtime.getRuntime.addShutdownHook(hook)

  /** Creates a folder in `parent`. A file that is created in it after the folder was deleted is an
    * error, so none is left.
    */
  def newFolder(parent: Path): Path = synchronized:
    if isClosed then throw Failed("the process is ending")
    val folder = Files.createTempDirectory(parent, ".undercroft-").nn
    folders = folders :+ folder
    folder

  def close(): Unit =
    delete()
    try Runtime.getRuntime.removeShutdownHook(hook): Unit
    catch case _: IllegalStateException => () // the JVM is ending

  private def delete(): Unit = synchronized:
    isClosed = true
    folders.foreach(TemporaryFiles.delete)
    folders = Vector()
end TemporaryFiles

private object TemporaryFiles:
  /** How often a folder is deleted again if another thread creates files in it meanwhile. */
  private val Attempts = 10

  /** Deletes a folder and the files in it; one that cannot be deleted only wastes disk space. */
  private def delete(folder: Path): Unit =
    var attempt = 0
    while attempt < Attempts && Files.exists(folder) do
      for files <- Option(folder.toFile.listFiles()); file <- files do file.delete(): Unit
      folder.toFile.delete(): Unit
      attempt += 1
end TemporaryFiles
