package undercroft.cli
package internal.convert

import internal.csv.CsvOptions
import internal.input.Inputs
import internal.io.{BadInput, Console, Failed, FileFormat, TemporaryFiles}
import internal.sql.{JsonColumns, Sql}
import java.io.IOException
import java.nio.file.{Files, Path, StandardCopyOption}
import java.util.Locale
import scala.jdk.CollectionConverters.*
import scala.util.matching.Regex
import undercroft.arrow.{ArrowErrorKind, ArrowException, writeArrow}
import undercroft.arrow.internal.columns.ArrowImport
import undercroft.duckdb.DuckDbException
import undercroft.file.format.{ErrorKind, FileLayout, StructFile, StructFileException, Type}

/** Copies a file to another format. The target is written in a temporary folder beside its place
  * and moved there when it is complete, so that a failure leaves no part of it.
  */
private[cli] final class ConvertCommand(
    from: String,
    to: String,
    layout: Option[String],
    name: Option[String],
    columns: Option[String],
    csv: CsvOptions,
    overwrite: Boolean
) extends Command:
  private val target = Inputs.path(to).toAbsolutePath.nn
  private val format = FileFormat.ofTarget(to)

  if format != FileFormat.Struct && (layout.isDefined || name.isDefined) then
    throw BadInput(s"--layout and --name are for a struct file, but $to is ${format.label}")

  if csv != CsvOptions() && FileFormat.of(from) != FileFormat.Csv then
    throw BadInput(
      s"--delimiter, --quote, --header, --skip and --types are for a CSV file, but $from is " +
        FileFormat.of(from).label
    )

  private val fileLayout = layout.getOrElse("columns") match
    case "rows"    => FileLayout.ALIGNED
    case "packed"  => FileLayout.PACKED
    case "columns" => FileLayout.COLUMNS
    case other     => throw BadInput(s"layout must be rows, packed or columns, but is $other")

  def run(console: Console): Int =
    val source = Inputs.path(from)
    Inputs.checkExists(source)
    if Files.isDirectory(target) then
      throw BadInput(s"$to is a folder, which convert does not replace")
    if Files.exists(target) && !overwrite then
      throw BadInput(s"$to exists; --overwrite replaces it")
    if Files.exists(target) && Files.isSameFile(source, target) then
      throw BadInput(s"$from and $to are the same file")
    if Files.isSymbolicLink(target) && !Files.exists(target) then
      throw BadInput(s"$to is a symbolic link to a file that does not exist")
    val folder = target.getParent.nn
    if !Files.isDirectory(folder) then throw BadInput(s"$folder: no such folder")
    try
      // The file behind a symbolic link is replaced, not the link.
      write(if Files.exists(target) then target.toRealPath().nn else target, console)
    catch
      case failure: IOException =>
        throw Failed(s"$to cannot be written: ${Failed.reason(failure)}")
    0
  end run

  private def write(place: Path, console: Console): Unit =
    val temporary = TemporaryFiles()
    try
      val folder = temporary.newFolder(place.getParent.nn)
      // A short name, because the target's may be as long as names can be.
      move(folder.resolve(s"${folder.getFileName}.part").nn, place, console)
    finally temporary.close()

  /** Writes the temporary file `part` and moves it to its place. */
  private def move(part: Path, place: Path, console: Console): Unit =
    try
      written(part, console)
      if overwrite then Files.move(part, place, StandardCopyOption.REPLACE_EXISTING): Unit
      else Files.move(part, place): Unit
    catch
      case full: StructFileException if full.kind == ErrorKind.NO_SPACE =>
        throw Failed(full.getMessage.nn.replace(part.toString, to))
      case full: ArrowException if full.kind == ArrowErrorKind.NoSpace =>
        throw Failed(full.getMessage.nn.replace(part.toString, to))
      case query: DuckDbException if query.getMessage.nn.contains(part.getFileName.toString) =>
        throw Failed(s"$to cannot be written: ${reason(query.getMessage.nn, part)}")

  /** DuckDB's error without the name of the temporary file. */
  private def reason(message: String, part: Path): String =
    val afterName = raw"(?s).*${Regex.quote(part.getFileName.toString)}\\?\": ([^\"]*).*".r
    message match
      case afterName(reason: String) => reason
      case _                         => message.replace(part.toString, to)

  private def written(part: Path, console: Console): Unit = format match
    case FileFormat.Arrow  => writeArrow(part, console)
    case FileFormat.Struct => writeStruct(part, console)
    case _                 => Inputs.use(copied(_, part))

  private def writeStruct(part: Path, console: Console): Unit =
    if FileFormat.of(from) == FileFormat.Arrow then imported(Inputs.path(from), part, console)
    else
      Inputs.use: inputs =>
        val source =
          Option.when(
            FileFormat.of(from) == FileFormat.Struct
          )(inputs.openStruct(Inputs.path(from)))
        source match
          case Some(file) if isDecompressed(file) =>
            Files.copy(file.path, part): Unit
          case Some(file) if StructCopy.isPossible(file, fileLayout) =>
            val names = file.schema.fields.asScala.toVector.map(_.name)
            val all = names.indices.toVector
            val selected = columns.fold(all)(Inputs.selected(names, from, _).distinct)
            StructCopy.write(file, selected, part, fileLayout, name, console)
          case Some(file) if hasArrays(file) =>
            // SQL has no arrays of structs and Options in columns of their own.
            val copy = inputs.newCopy().resolveSibling("copy.arrow").nn
            file.writeArrow(copy)
            imported(copy, part, console)
          case _ => StructImport(inputs, from, part, fileLayout, name, columns, csv).run(console)

  /** Whether a file is the copy of a compressed one that has the rows as they are asked for. */
  private def isDecompressed(file: StructFile): Boolean =
    !file.path.nn.equals(
      Inputs.path(from)
    ) && file.schema.layout == fileLayout && columns.isEmpty &&
      name.forall(_ == file.schema.name)

  private def hasArrays(file: StructFile): Boolean =
    file.schema.leaves.asScala.exists: leaf =>
      leaf.`type`.physical match
        case _: Type.Elements => true
        case _                => false

  /** Writes a struct file with the rows of an Arrow file. */
  private def imported(arrow: Path, part: Path, console: Console): Unit =
    val selected = columns.fold(Seq())(_.split(',').toSeq.map(_.strip.nn))
    val source = ArrowImport(arrow, fileLayout, name.getOrElse("Row"), selected)
    try console.progress("rows", source.rows)(source.write(part))
    finally source.close()

  /** Writes an Arrow file: from a struct file, which is a copy of any other source. */
  private def writeArrow(part: Path, console: Console): Unit = Inputs.use: inputs =>
    val source =
      if FileFormat.of(from) == FileFormat.Struct && columns.isEmpty then Inputs.path(from)
      else
        val copy = inputs.newCopy()
        writeStruct(copy, console)
        copy
    inputs.openStruct(source).writeArrow(part)

  private def copied(inputs: Inputs, part: Path): Unit =
    inputs.useAllThreads(from)
    val file = inputs.add("t", from, csv)
    // All processors write the rows of a struct file, in their order. A thread that is behind the
    // others lets rows collect, up to a part of the limit; wide rows may need more.
    if file.exists(_.schema.stride <= ConvertCommand.NarrowRow) then
      inputs.useAllThreads()
      inputs.database.query("set memory_limit = '512MiB'"): Unit
    val options = format match
      case FileFormat.Parquet => "format parquet"
      case FileFormat.Json =>
        s"format json, array ${to.toLowerCase(Locale.ROOT).nn.endsWith(".json")}"
      case _ =>
        val isTabs = to.toLowerCase(Locale.ROOT).nn.endsWith(".tsv")
        val separator = if isTabs then ", delimiter '\t'" else ""
        val compression = if FileFormat.isCompressed(to) then ", compression gzip" else ""
        s"format csv, header$separator$compression"
    val selected = columns.fold("*")(inputs.selection("t", from, _))
    inputs.database.query(s"create view selected as select $selected from t"): Unit
    val selection =
      if format == FileFormat.Json then JsonColumns.selection(inputs.database, "selected") else "*"
    inputs.database.query(
      s"copy (select $selection from selected) to ${Sql.text(part.toString)} ($options)"
    ): Unit
  end copied
end ConvertCommand

private[cli] object ConvertCommand:
  /** Bytes of a row. */
  private inline val NarrowRow = 256
end ConvertCommand
