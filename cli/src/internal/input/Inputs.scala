package undercroft.cli
package internal.input

import internal.csv.{CsvOptions, CsvSource}
import internal.io.{BadInput, Failed, FileFormat, TemporaryFiles}
import internal.sql.Sql
import java.io.IOException
import java.nio.file.{Files, InvalidPathException, Path}
import java.text.Normalizer
import undercroft.arrow.internal.columns.ArrowImport
import undercroft.duckdb.{DuckDb, DurationColumns}
import scala.jdk.CollectionConverters.*
import undercroft.file.{Partition, decompressFile}
import undercroft.file.format.{ErrorKind, FileLayout, StructFile, StructFileException}
import undercroft.file.format.internal.folder.FolderListing

/** The files of a command as tables of one DuckDB. */
private[cli] final class Inputs extends AutoCloseable:
  private var isLoaded = false

  /** The database, which is loaded at its first use. */
  lazy val database: DuckDb =
    val created = DuckDb(DurationColumns.Numbers)
    isLoaded = true
    // One thread reads the rows of a struct file in their order. In another zone, an Instant may
    // have an offset with seconds, which CSV files lose.
    created.query("set threads = 1; set timezone = 'UTC'"): Unit
    created

  private var files = Vector[StructFile]()
  private val temporary = TemporaryFiles()

  /** Lets all processors run the queries over a file, if DuckDB keeps the order of its rows: not
    * that of a table that it does not read itself.
    */
  def useAllThreads(file: String): Unit = FileFormat.of(file) match
    case FileFormat.Struct | FileFormat.Arrow => ()
    case _                                    => useAllThreads()

  def useAllThreads(): Unit =
    database.query(s"set threads = ${Runtime.getRuntime.availableProcessors}"): Unit

  /** Makes a file a table of this name; returns the struct file that is read, if there is one: an
    * Arrow file is read from a copy.
    *
    * @param rows
    *   how many rows the command reads
    */
  def add(
      name: String,
      file: String,
      csv: CsvOptions = CsvOptions(),
      rows: Long = Long.MaxValue
  ): Option[StructFile] =
    val path = Inputs.path(file)
    FileFormat.of(file) match
      case FileFormat.Struct => Some(opened(name, path))
      case FileFormat.Arrow =>
        val copy = newCopy()
        val source = ArrowImport(path, FileLayout.COLUMNS, "Row")
        try source.write(copy)(_ => ())
        finally source.close()
        Some(opened(name, copy))
      case format =>
        Inputs.checkExists(path)
        format match
          case FileFormat.Csv  => this.csv(file, csv, rows).createView(name): Unit
          case FileFormat.Json => JsonSource(database, path, file).createView(name)
          case _               =>
            // Only the name of a folder that is read as a whole states values of its rows.
            val arguments = s"${Sql.file(file)}, hive_partitioning = false"
            database.query(
              s"create view ${Sql.name(name)} as select * from read_parquet($arguments)"
            ): Unit
        None
    end match
  end add

  def csv(file: String, options: CsvOptions, rows: Long = Long.MaxValue): CsvSource =
    CsvSource(database, Inputs.path(file), file, options, rows)

  /** The columns of a table that are named in a text, with commas between them, as SQL. Throws
    * [[BadInput]] for a name that the table does not have.
    */
  def selection(table: String, file: String, columns: String): String =
    val names = Inputs.names(database, table)
    Inputs.selected(names, file, columns).map(i => Sql.name(names(i))).mkString(", ")

  /** Makes the struct files of a folder a table of this name, with the values in the names of its
    * folders as columns.
    */
  def addFolder(name: String, folder: Path): Unit =
    val files = FolderListing.opening(
      folder,
      listed =>
        for entry <- listed.entries.asScala.toVector yield
          val file = openStruct(FolderListing.locate(folder, listed, entry))
          (file, Partition.parse(entry.partition))
    )
    if files.isEmpty then throw BadInput(s"$folder: the folder has no files")
    try database.registerFiles(name, files)
    catch case refused: IllegalArgumentException => throw BadInput(refused.getMessage)

  /** A struct file that is deleted at the end. */
  def newCopy(): Path =
    val system = Inputs.temporaryFolder
    try temporary.newFolder(system).resolve("copy.cols").nn
    catch
      case failure: IOException =>
        throw Failed(
          s"the temporary folder $system cannot be written: ${Failed.reason(failure)}; " +
            "UNDERCROFT_JAVA_OPTIONS=-Djava.io.tmpdir=FOLDER selects another one"
        )

  /** Opens a struct file, or a copy of a compressed one; it is closed at the end. */
  def openStruct(path: Path): StructFile =
    val structFile =
      try StructFile.open(path).nn
      catch
        case error: StructFileException if error.kind == ErrorKind.COMPRESSED =>
          val copy = newCopy()
          decompressFile(path, copy)
          StructFile.open(copy).nn
    files = files :+ structFile
    structFile

  private def opened(name: String, path: Path): StructFile =
    val structFile = openStruct(path)
    register(name, structFile, path)
    structFile

  /** Makes a file that was opened a table of this name. */
  def register(name: String, structFile: StructFile, path: Path): Unit =
    try database.register(name, structFile)
    catch case error: IllegalArgumentException => throw BadInput(s"$path: ${error.getMessage}")

  def close(): Unit =
    try if isLoaded then database.close()
    finally
      try files.foreach(_.close())
      finally temporary.close()
end Inputs

private[cli] object Inputs:
  def use[A](body: Inputs => A): A =
    val inputs = Inputs()
    try body(inputs)
    finally inputs.close()

  /** The names of a table's columns. */
  def names(database: DuckDb, table: String): Vector[String] =
    database.query(s"describe from ${Sql.name(table)}").rows.map(_(0).show)

  /** The indices of the columns that are named in a text, with commas between them. Throws
    * [[BadInput]] for a name that the file does not have.
    */
  def selected(names: Vector[String], file: String, columns: String): Vector[Int] =
    columns.split(',').toVector.map(_.strip.nn).map: column =>
      val exact = names.indexOf(column)
      val index = if exact >= 0 then exact else names.indexWhere(_.equalsIgnoreCase(column))
      if index < 0 then
        throw BadInput(s"$file has no column $column; its columns are ${names.mkString(", ")}")
      index

  def path(file: String): Path =
    try Path.of(file).nn
    catch case bad: InvalidPathException => throw BadInput(s"not a file name: ${bad.getMessage}")

  def temporaryFolder: Path = Path.of(System.getProperty("java.io.tmpdir")).nn

  def checkExists(path: Path): Unit =
    if !Files.exists(path) then throw BadInput(s"$path: no such file")
    if !Files.isRegularFile(path) then
      throw BadInput(
        s"$path is ${
            if Files.isDirectory(path) then "a folder" else "no regular file"
          }; the name - " +
          "reads a stream from standard input"
      )

  /** The table's name and the file of an argument `NAME=FILE` or `FILE`. */
  def named(argument: String): (String, String) =
    argument.indexOf('=') match
      case i if i > 0 && argument.take(i).matches("[\\p{L}_][\\p{L}\\p{M}\\p{N}_]*") =>
        (argument.take(i), argument.drop(i + 1))
      case _ =>
        val file = path(argument).getFileName
        if file == null then throw BadInput(s"'$argument' is not a file")
        val stem = Normalizer.normalize(file.toString.takeWhile(_ != '.'), Normalizer.Form.NFC).nn
        (stem.replaceAll("[^\\p{L}\\p{M}\\p{N}_]", "_").nn, argument)
end Inputs
