package undercroft.file

import java.nio.file.Path
import undercroft.struct.{ConcatenatedTables, ConcatenatedView, Layout, Struct, Table}
import undercroft.struct.internal.bytes.FileBacked

/** A struct file of a folder, as opened by [[openAll]].
  *
  * @param table
  *   its rows; it is closed with the folder's table
  */
final class FolderFile[T, L <: Layout] private[file] (
    val path: Path,
    val partition: Partition,
    val table: FileTable[T, L],
    private[file] val entry: undercroft.file.format.internal.folder.FolderManifest.Entry
):

  /** The number of rows. */
  def size: Long = table.size

  override def toString: String = s"$path with ${table.size} rows"
end FolderFile

/** The rows of files of a folder: all of them, or those of some partitions. Valid as long as the
  * [[FolderTable]].
  *
  * {{{
  * import java.nio.file.Files
  * import java.time.LocalDate
  * import undercroft.struct.*
  * val folder = Files.createTempDirectory("shop")
  * val days = Rows.folder[Bill](folder)
  * days.addTo((day = LocalDate.of(2026, 11, 24)))(file => file += Bill(1, 250))
  * days.addTo((day = LocalDate.of(2026, 11, 25)))(file => file += Bill(2, 260))
  * val bills = Rows.openAll[Bill](folder)
  * println(bills.where[(day: LocalDate)](_.day.getDayOfMonth > 24).sumOf(_.price)) // 260
  * bills.close()
  * }}}
  */
class FolderView[T, L <: Layout] private[file] (
    private[undercroft] val kind: Table.Kind,
    private[file] var opened: Vector[FolderFile[T, L]],
    selection: Option[() => Vector[FolderFile[T, L]]] = None
)(using private[undercroft] val struct: Struct[T])
    extends ConcatenatedView[T, L](ConcatenatedTables(kind, opened.map(_.table))),
      FileBacked:

  /** The files, in the order of their rows: by the names of their folders and files. */
  def files: Vector[FolderFile[T, L]] = opened

  /** The files of the refreshed table that this view selects. */
  private[undercroft] def currentFiles: Vector[FolderFile[T, L]] =
    selection.fold(opened)(files => files())

  /** The rows of the files whose partition satisfies `p`. No file is read. The key is a named tuple
    * such as `(day: LocalDate)`; a file without one of its names, or with a value of another type,
    * throws IllegalArgumentException.
    */
  def where[P](p: P => Boolean)(using key: PartitionKey[P]): FolderView[T, L] =
    selected(opened, file => p(FolderView.keyOf(file)))

  /** The rows of each partition, in the order of the files. Errors are as in [[where]].
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val shops = Rows.folder[Bill](folder)
    * for shop <- 1 to 3 do shops.addTo((shop = shop))(file => file += Bill(1, 100 * shop))
    * val bills = Rows.openAll[Bill](folder)
    * for (key, rows) <- bills.partitions[(shop: Int)] do println((key.shop, rows.sumOf(_.price)))
    * bills.close()
    * }}}
    */
  def partitions[P](using key: PartitionKey[P]): Vector[(P, FolderView[T, L])] =
    val keyed = opened.map(file => (FolderView.keyOf(file), file))
    val keys = keyed.map((key, _) => Partition.of(key)).distinct
    val groups = keyed.groupBy((key, _) => Partition.of(key))
    for partition <- keys
    yield
      val group = groups(partition)
      def isOfGroup(file: FolderFile[T, L]) =
        Partition.of(FolderView.keyOf[P](file)) == partition
      (group.head._1, selected(group.map(_._2), isOfGroup))

  private def selected(
      files: Vector[FolderFile[T, L]],
      isSelected: FolderFile[T, L] => Boolean
  ): FolderView[T, L] =
    new FolderView(kind, files.filter(isSelected), Some(FolderView.Selection(this, isSelected)))

  override def toString: String = s"${opened.size} files with $size rows"
end FolderView

private[file] object FolderView:
  /** The files that a function selects among those of a view: asked again only after a refresh. */
  final class Selection[T, L <: Layout](
      view: FolderView[T, L],
      isSelected: FolderFile[T, L] => Boolean
  ) extends (() => Vector[FolderFile[T, L]]):
    @volatile private var last: (Vector[FolderFile[T, L]], Vector[FolderFile[T, L]]) | Null = null

    def apply(): Vector[FolderFile[T, L]] =
      val files = view.currentFiles
      val before = last
      if (before ne null) && (before._1 eq files) then before._2
      else
        val selected = files.filter(isSelected)
        last = (files, selected)
        selected
  end Selection

  private def keyOf[P](file: FolderFile[?, ?])(using key: PartitionKey[P]): P =
    try file.partition.as[P]
    catch
      case error: IllegalArgumentException =>
        throw IllegalArgumentException(s"${file.path}: ${error.getMessage}", error)
end FolderView
