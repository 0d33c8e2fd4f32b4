package undercroft.file

import java.nio.file.Path
import scala.jdk.CollectionConverters.*
import scala.util.control.NonFatal
import undercroft.file.format.{Checksums, StructFileException}
import undercroft.file.format.internal.folder.{FolderListing, FolderManifest}
import undercroft.struct.{ConcatenatedTables, Layout, Struct, TableFactory}

/** The rows of all struct files of a folder as one table. Created by `Rows.openAll`, and by the
  * same method of PackedRows and Columns.
  *
  * The files are the ones in the folder's manifest, which [[FolderWriter]] and Spark write; in a
  * folder without a manifest, all files. A table keeps the files it was opened with: files that a
  * change or a compaction removes meanwhile stay readable, on systems where an open file can be
  * deleted, until [[refresh]] or [[close]].
  *
  * Thread-safe but for `refresh` and `close`. Opening takes time in proportion to the number of
  * files, each of which needs an open file of the process and a mapping. Rows of a file that was
  * written by a class with reordered, fewer, more or narrower fields are converted to memory. Every
  * failure is a [[undercroft.file.format.StructFileException]] that names the file.
  *
  * {{{
  * import java.nio.file.Files
  * import undercroft.struct.*
  * val folder = Files.createTempDirectory("shop")
  * val shop = Columns.folder[Bill](folder, maxRows = 1000)
  * shop.add(file => file.appendAll(List(Bill(1, 250), Bill(2, 251))))
  * shop.add(file => file += Bill(3, 252))
  * val bills = Columns.openAll[Bill](folder)
  * println((bills.files.size, bills.size, bills(2))) // (2,3,Bill(3,252))
  * println(bills.filter(_.ticket > 1).sumOf(_.price)) // 503
  * bills.close()
  * }}}
  */
final class FolderTable[T, L <: Layout] private[file] (
    tables: TableFactory[L],
    val path: Path,
    checksums: Checksums,
    private var number: Long,
    initial: Vector[FolderFile[T, L]]
)(using Struct[T])
    extends FolderView[T, L](tables.kind, initial),
      AutoCloseable:

  private var isOpen = true

  /** Files that the folder no longer lists, and that could not be closed yet. */
  private var unclosed = Vector[FolderFile[T, L]]()

  /** The number of the manifest that lists the files; -1 if the folder had none. */
  def version: Long = number

  /** Files in the folder that its manifest does not list, so that they are not read: files that
    * another program has added, or files of a change in progress.
    */
  def unlisted: Vector[Path] =
    checkOpen()
    FolderListing.unlisted(path).asScala.toVector

  /** Compares each file with its checksums, as [[FileTable.verify]] does; throws for the first file
    * with a changed bit. A file that was removed from the folder meanwhile is an error.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * Rows.folder[Bill](folder).add(file => file += Bill(1, 250))
    * val bills = Rows.openAll[Bill](folder)
    * bills.verify() // throws if a bit of a file has changed
    * bills.close()
    * }}}
    */
  def verify(): Unit =
    checkOpen()
    opened.foreach(_.table.verify())

  /** Prepares for single rows of files that are not in the system's cache, as
    * [[FileTable.disableReadAhead]] does, also in the files of later refreshes.
    */
  def disableReadAhead(): Unit =
    checkOpen()
    opened.foreach(_.table.disableReadAhead())
    isReadAhead = false

  private var isReadAhead = true

  /** Refreshes the table to the folder's current files, and to the committed rows of files that may
    * grow, and returns the row count. Files that the folder no longer lists are closed; views of
    * them throw StructFileException from then on. One that another thread writes to a channel is
    * closed by the next `refresh` or [[close]]. No other thread may read the table meanwhile. If it
    * fails, the table is unchanged.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val shop = Rows.folder[Bill](folder)
    * val bills = Rows.openAll[Bill](folder)
    * shop.add(file => file += Bill(1, 250))
    * println((bills.size, bills.refresh())) // (0,1)
    * bills.close()
    * }}}
    */
  def refresh(): Long =
    checkOpen()
    val known = opened.map(file => file.entry -> file).toMap
    val (listed, files) = FolderTable.read(tables, path, checksums, known)
    try files.foreach(_.table.findCommit())
    catch
      case error: Throwable =>
        FolderTable.closeAll(files.filterNot(file => known.contains(file.entry)), error)
        throw error
    if !isReadAhead then files.foreach(_.table.disableReadAhead())
    files.foreach(_.table.showCommit())
    opened = files
    number = listed
    all = ConcatenatedTables(tables.kind, files.map(_.table))
    val kept = files.map(_.entry).toSet
    val removed = known.values.filterNot(file => kept(file.entry))
    unclosed = FolderTable.close(unclosed ++ removed).map((file, _) => file)
    size

  /** Closes all files. Every later access to rows or files throws StructFileException; the row
    * counts and the names of the files remain. A file that another thread writes to a channel stays
    * open: then the other files are closed, IllegalStateException is thrown, and a later call
    * closes it.
    */
  def close(): Unit =
    isOpen = false
    val errors = FolderTable.close(opened ++ unclosed).map((_, error) => error)
    errors.headOption.foreach: error =>
      errors.tail.foreach(other => error.addSuppressed(other))
      throw error

  private def checkOpen(): Unit =
    if !isOpen then throw StructFileException.closed(path, "the table")

  override def toString: String = s"$path: ${super.toString}"
end FolderTable

object FolderTable:

  @scala.annotation.publicInBinary
  private[file] def open[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      checksums: Checksums
  )(using Struct[T]): FolderTable[T, L] =
    val (number, files) = read(tables, path, checksums, Map())
    new FolderTable(tables, path, checksums, number, files)

  /** Opens the files of the current manifest that `known` does not have. */
  private def read[T, L <: Layout](
      tables: TableFactory[L],
      folder: Path,
      checksums: Checksums,
      known: Map[FolderManifest.Entry, FolderFile[T, L]]
  )(using Struct[T]): (Long, Vector[FolderFile[T, L]]) =
    FolderListing.opening(
      folder,
      listed =>
        (listed.number, opened(tables, folder, checksums, listed, known, isProjection = true))
    )

  /** Opens the listed files that `known` does not have. In a projection, files may have fields that
    * the class does not have; otherwise they are an error.
    */
  private[file] def opened[T, L <: Layout](
      tables: TableFactory[L],
      folder: Path,
      checksums: Checksums,
      listed: FolderManifest,
      known: Map[FolderManifest.Entry, FolderFile[T, L]],
      isProjection: Boolean
  )(using Struct[T]): Vector[FolderFile[T, L]] =
    var files = Vector[FolderFile[T, L]]()
    try
      for entry <- listed.entries.asScala do
        files :+= known.getOrElse(
          entry, {
            val path = FolderListing.locate(folder, listed, entry)
            val table =
              if isProjection then FileTable.openReadOnly(tables, path, checksums)
              else FileTable.openWhole(tables, path, checksums)
            new FolderFile(path, Partition.parse(entry.partition), table, entry)
          }
        )
      files
    catch
      case error: Throwable =>
        closeAll(files.filterNot(file => known.contains(file.entry)), error)
        throw error
  end opened

  /** Closes files after an error. */
  private def closeAll[T, L <: Layout](files: Vector[FolderFile[T, L]], error: Throwable): Unit =
    close(files).foreach((_, closing) => error.addSuppressed(closing))

  /** Closes files, and returns those that could not be closed. */
  private def close[T, L <: Layout](
      files: Vector[FolderFile[T, L]]
  ): Vector[(FolderFile[T, L], Throwable)] =
    files.flatMap: file =>
      try
        file.table.close()
        None
      catch case NonFatal(error) => Some((file, error))
end FolderTable
