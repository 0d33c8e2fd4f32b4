package undercroft.file

import java.nio.file.Path
import scala.annotation.publicInBinary
import scala.jdk.CollectionConverters.*
import scala.util.Try
import undercroft.file.format.{Checksums, Durability, ErrorKind, StructFileException}
import undercroft.file.format.internal.folder.{FolderChange, FolderListing, FolderManifest}
import undercroft.struct.{Layout, Struct, TableFactory}

/** Adds, replaces, removes and compacts the struct files of a folder. Created by `Rows.folder`, and
  * by the same method of PackedRows and Columns.
  *
  * Every change is atomic: it publishes a new manifest of the folder's files, as Spark's writer
  * does, so that readers see all of it or nothing. A change that fails, or whose process is killed,
  * leaves the folder unchanged. Changes of several threads, processes and Spark jobs all take
  * effect. Files are sealed.
  *
  * Holds no resources between its calls, and any number of threads may use it. Every failure is a
  * [[undercroft.file.format.StructFileException]]. The folder must be on a local file system.
  *
  * {{{
  * import java.nio.file.Files
  * import java.time.LocalDate
  * import undercroft.struct.*
  * val folder = Files.createTempDirectory("shop")
  * val days = Rows.folder[Bill](folder)
  * val today = (day = LocalDate.of(2026, 11, 24))
  * for hour <- 0 until 10 do days.addTo(today)(file => file += Bill(hour, 250))
  * println(days.compact()) // 10
  * val bills = Rows.openAll[Bill](folder)
  * println((bills.files.size, bills.size)) // (1,10)
  * bills.close()
  * }}}
  */
final class FolderWriter[T, L <: Layout] private[file] (
    tables: TableFactory[L],
    val path: Path,
    maxRows: Long
)(using Struct[T]):

  /** Adds a file with the rows that `write` appends, and returns its path. An exception of `write`
    * is thrown on, and the folder is unchanged. If no file of the folder has this layout and a
    * field in common with the class, StructFileException is thrown before `write` is called.
    */
  def add(write: FileTable[T, L] => Any): Path = change(Partition.none, _ => ())(write)

  /** As [[add]], in the partition of a key: a named tuple such as `(day = date)`. A folder whose
    * files have other names of partitions throws StructFileException.
    */
  def addTo[P](key: P)(write: FileTable[T, L] => Any)(using keys: PartitionKey[P]): Path =
    change(Partition.of(key), _ => ())(write)

  /** Replaces all files of a partition by one with the rows that `write` appends. Files that other
    * changes add to the partition meanwhile are replaced, too, as are files whose folders have
    * other texts of the same values: for `(hour = 5)` those in `hour=05`.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val shops = Rows.folder[Bill](folder)
    * shops.addTo((shop = 1))(file => file += Bill(1, 250))
    * shops.replace((shop = 1))(file => file += Bill(2, 260))
    * val bills = Rows.openAll[Bill](folder)
    * println(bills.toVector) // Vector(Bill(2,260))
    * bills.close()
    * }}}
    */
  def replace[P](key: P)(write: FileTable[T, L] => Any)(using keys: PartitionKey[P]): Path =
    val partition = Partition.of(key)
    def isReplaced(entry: FolderManifest.Entry): Boolean =
      val stored = Partition.parse(entry.partition)
      def normalized = Try(Partition.of(stored.as[P])).toOption
      stored == partition || stored.names == partition.names && normalized.contains(partition)
    change(partition, _.removeAll(entry => isReplaced(entry)))(write)

  /** Removes all files whose partition satisfies `p`, and returns their number. Files that other
    * changes add to such a partition meanwhile may stay. `p` is called again for all files if
    * another change removes one of them meanwhile. Files without the key's names, or with values of
    * another type, throw IllegalArgumentException.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val shops = Rows.folder[Bill](folder)
    * for shop <- 1 to 3 do shops.addTo((shop = shop))(file => file += Bill(1, 250))
    * println(shops.removeWhere[(shop: Int)](_.shop < 3)) // 2
    * }}}
    */
  def removeWhere[P](p: P => Boolean)(using keys: PartitionKey[P]): Int =
    def attempt(number: Int): Int =
      try
        FolderWriter.using(FolderChange.begin(path)): change =>
          val removed = change.first.entries.asScala.toVector
            .filter(entry => p(Partition.parse(entry.partition).as[P]))
          removed.foreach(change.remove)
          if removed.nonEmpty then
            val _ = change.commit()
          removed.size
      catch
        case error: StructFileException
            if error.kind.equals(ErrorKind.REPLACED) && number < FolderWriter.Attempts =>
          attempt(number + 1)
    attempt(1)

  /** Replaces small files by larger ones with the same rows in the same order, each partition on
    * its own, and returns the number of replaced files.
    *
    * Consecutive sealed files of a partition become one file if they have at most `maxBytes`
    * together. A compressed file counts with the length of its rows before compression: it is
    * decompressed to memory, and the new file is not compressed. Each file is compared with its
    * checksums before it is copied. A group of files that another change removes meanwhile stays as
    * that change left it, and a group stays if no name of at most 240 bytes sorts in its place.
    * Readers that have the replaced files open keep them.
    */
  def compact(maxBytes: Long = FolderWriter.DefaultMaxBytes): Int =
    if maxBytes < 1 then
      throw IllegalArgumentException(s"maxBytes must be at least 1, but is $maxBytes")
    val listed = FolderListing.current(path).entries.asScala.toVector
    listed.groupBy(_.partition).toVector.sortBy(_._1).iterator
      .flatMap((_, entries) => FolderWriter.groups(path, entries, maxBytes))
      .map(merge)
      .sum

  /** Merges files into one; returns their number, or 0 if another change has removed one. */
  private def merge(group: Vector[FolderManifest.Entry]): Int =
    try
      FolderWriter.using(FolderChange.begin(path)): change =>
        // Entries of a folder that had no manifest get their lengths with the first one.
        val names = group.map(_.name).toSet
        val entries = change.first.entries.asScala.toVector.filter(entry => names(entry.name))
        entries.foreach(change.remove)
        if entries.size < group.size || !change.keepsOrder(group.head.partition) then 0
        else
          val manifest = FolderManifest(change.first.number, entries.asJava)
          val files =
            FolderTable
              .opened(tables, path, Checksums.AT_OPEN, manifest, Map(), isProjection = false)
          try
            val target = change.newFile(group.head.partition)
            val merged =
              FileTable.create(tables, target, files.map(_.size).sum, Durability.VOLATILE)
            try
              files.foreach(file => merged.appendAll(file.table))
              merged.seal()
            finally merged.close()
          finally files.foreach(_.table.close())
          val _ = change.commit()
          group.size
    catch
      case error: StructFileException
          if error.kind.equals(ErrorKind.REPLACED) ||
            error.kind.equals(ErrorKind.NOT_FOUND) && !FolderWriter.isListed(path, group) => 0

  private def change(partition: Partition, prepare: FolderChange => Unit)(
      write: FileTable[T, L] => Any
  ): Path =
    FolderWriter.using(FolderChange.begin(path)): change =>
      prepare(change)
      val schema = FileSchemas.of(summon[Struct[T]], tables.kind)
      val evolution = FileSchemas.evolution(summon[Struct[T]], tables.kind)
      val target = change.newFile(partition.path, schema, evolution)
      val table = FileTable.create(tables, target, maxRows, Durability.VOLATILE)
      try
        val _ = write(table)
        table.seal()
      finally table.close()
      path.resolve(change.commit().get(0))
end FolderWriter

object FolderWriter:

  /** Default for `maxBytes` of a compaction: 1 GiB, as Spark's files have. */
  inline val DefaultMaxBytes = 1073741824L

  /** How often files are removed again if another change has compacted or removed one meanwhile. */
  private val Attempts = 1000

  @publicInBinary private[file] def apply[T, L <: Layout](
      tables: TableFactory[L],
      path: Path,
      maxRows: Long
  )(using Struct[T]): FolderWriter[T, L] = new FolderWriter(tables, path, maxRows)

  private def using[A](change: FolderChange)(body: FolderChange => A): A =
    try body(change)
    finally change.close()

  /** Groups of at least two consecutive sealed files with at most `maxBytes` together. Files that
    * have no such neighbours by their stored lengths are not opened.
    */
  private def groups(
      folder: Path,
      entries: Vector[FolderManifest.Entry],
      maxBytes: Long
  ): Vector[Vector[FolderManifest.Entry]] =
    def storedLength(entry: FolderManifest.Entry) =
      if entry.length >= 0 then entry.length else uncompressedLength(folder, entry)
    split(entries, maxBytes)(storedLength)
      .flatMap(group => split(group, maxBytes)(uncompressedLength(folder, _)))

  private def split(entries: Vector[FolderManifest.Entry], maxBytes: Long)(
      lengthOf: FolderManifest.Entry => Long
  ): Vector[Vector[FolderManifest.Entry]] =
    var groups = Vector[Vector[FolderManifest.Entry]]()
    var group = Vector[FolderManifest.Entry]()
    var bytes = 0L
    for entry <- entries do
      val length = lengthOf(entry)
      if length < 0 || bytes + length > maxBytes then
        groups :+= group
        group = Vector()
        bytes = 0
      if length >= 0 then
        group :+= entry
        bytes += length
    (groups :+ group).filter(_.size > 1)

  /** The length of a sealed file before any compression; or -1, also if another change has removed
    * the file.
    */
  private def uncompressedLength(folder: Path, entry: FolderManifest.Entry): Long =
    try FolderListing.uncompressedLength(folder.resolve(entry.name))
    catch
      case error: StructFileException
          if error.kind.equals(ErrorKind.NOT_FOUND) && !isListed(folder, Vector(entry)) => -1

  private def isListed(folder: Path, entries: Vector[FolderManifest.Entry]): Boolean =
    val names = FolderListing.current(folder).names
    entries.forall(entry => names.contains(entry.name))
end FolderWriter
