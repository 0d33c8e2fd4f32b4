package undercroft.cli
package internal.io

import java.io.IOException
import java.nio.channels.{FileChannel, OverlappingFileLockException}
import java.nio.file.StandardOpenOption.{CREATE_NEW, WRITE}
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentHashMap

/** Folders for the temporary files of a command. They are deleted when it ends, also if a signal
  * ends the JVM. The folders of a killed process are deleted by the next one that creates a folder
  * in the same place: the system releases the lock of a file in it.
  */
private[cli] final class TemporaryFiles extends AutoCloseable:
  private var folders = Vector[Path]()
  private var locks = Vector[FileChannel]()
  private var isClosed = false
  private val hook = Thread(() => delete())
  Runtime.getRuntime.addShutdownHook(hook)

  /** Creates a folder in `parent`. A file that is created in it after the folder was deleted is an
    * error, so none is left.
    */
  def newFolder(parent: Path): Path = synchronized:
    if isClosed then throw Failed("the process is ending")
    TemporaryFiles.deleteAbandoned(parent)
    val folder = Files.createTempDirectory(parent, TemporaryFiles.Prefix).nn
    folders = folders :+ folder
    TemporaryFiles.own.add(folder.getFileName): Unit
    locks = locks ++ TemporaryFiles.locked(folder)
    folder

  def close(): Unit =
    delete()
    try Runtime.getRuntime.removeShutdownHook(hook): Unit
    catch case _: IllegalStateException => () // the JVM is ending

  private def delete(): Unit = synchronized:
    isClosed = true
    folders.foreach(TemporaryFiles.delete)
    locks.foreach(_.close())
    folders.foreach(folder => TemporaryFiles.own.remove(folder.getFileName): Unit)
    folders = Vector()
    locks = Vector()
end TemporaryFiles

private[cli] object TemporaryFiles:
  private val Prefix = ".undercroft-"

  /** A file that is locked while the process of a folder runs. */
  private val Owner = "owner.lock"

  /** The names of this process's folders: closing any channel of a file ends the locks that the
    * process has on it.
    */
  private val own = ConcurrentHashMap.newKeySet[Path]().nn

  /** How often a folder is deleted again if another thread creates files in it meanwhile. */
  private val Attempts = 10

  /** Locks a folder's file, which gets its name afterwards: a file of this name that is not locked
    * is abandoned. None if the file system has no locks; its folders are never abandoned.
    */
  private def locked(folder: Path): Option[FileChannel] =
    val unnamed = folder.resolve("new.lock").nn
    try
      val channel = FileChannel.open(unnamed, CREATE_NEW, WRITE).nn
      try
        channel.lock(): Unit
        Files.move(unnamed, folder.resolve(Owner)): Unit
        Some(channel)
      catch
        case _: IOException =>
          channel.close()
          None
    catch case _: IOException => None

  private def deleteAbandoned(parent: Path): Unit =
    try
      val entries = Files.newDirectoryStream(parent, s"$Prefix*").nn
      try
        entries.forEach: folder =>
          if !own.contains(folder.nn.getFileName) && isAbandoned(folder.nn) then delete(folder.nn)
      finally entries.close()
    catch case _: IOException => () // a folder that cannot be listed keeps its entries

  private def isAbandoned(folder: Path): Boolean =
    try
      val channel = FileChannel.open(folder.resolve(Owner), WRITE).nn
      try channel.tryLock() != null
      finally channel.close()
    catch case _: (IOException | OverlappingFileLockException) => false

  /** Deletes a folder and the files in it; one that cannot be deleted only wastes disk space. */
  private def delete(folder: Path): Unit =
    var attempt = 0
    while attempt < Attempts && Files.exists(folder) do
      for files <- Option(folder.toFile.listFiles()); file <- files do file.delete(): Unit
      folder.toFile.delete(): Unit
      attempt += 1
end TemporaryFiles
