package outside.file

import java.nio.file.{Files, Path}
import munit.Assertions.assertEquals
import scala.jdk.CollectionConverters.*
import scala.util.Using
import undercroft.file.format.{ErrorKind, StructFileException}
import undercroft.file.format.internal.folder.FolderListing
import undercroft.struct.*
import undercroft.file.*

case class Trade(id: Long, amount: Int) derives Struct, CanEqual

/** `Trade` with a wider field: opening a file of Trades for appending migrates it. */
case class WideTrade(id: Long, amount: Long) derives Struct, CanEqual

object Trades:

  /** Runs `body` with a new folder, which is deleted with all its files afterwards. */
  def inFolder[A](body: Path => A): A =
    val folder = Files.createTempDirectory("undercroft-outside-")
    try body(folder)
    finally delete(folder)

  def delete(folder: Path): Unit =
    Using.resource(Files.walk(folder)): paths =>
      paths.sorted(java.util.Comparator.reverseOrder).forEach(path => Files.deleteIfExists(path))

  /** The kind of a StructFileException, and its message. */
  def failure(body: => Any): (ErrorKind, String) =
    try
      val value = body
      throw AssertionError(s"no StructFileException, but $value")
    catch case error: StructFileException => (error.kind, error.getMessage)

  def ids(folder: Path): Vector[Long] =
    Using.resource(Rows.openAll[Trade](folder))(_.map(_.id).toVector)

  def names(folder: Path): Vector[String] =
    Using.resource(Files.walk(folder))(_.iterator.asScala.toVector)
      .filter(Files.isRegularFile(_))
      .map(path => folder.relativize(path).toString)
      .sorted

  /** Asserts that a folder has only listed files and manifests. */
  def assertTidy(folder: Path): Unit =
    val listed = FolderListing.current(folder).names
    val others = names(folder).filterNot(name =>
      listed.contains(name) || name.startsWith("_undercroft.")
    )
    assertEquals(others, Vector())

  /** Creates and closes a file of `rows` trades. */
  def written(path: Path, rows: Int): Path =
    val table = Rows.create[Trade](path)
    for i <- 0 until rows do table += Trade(i, i)
    table.commit()
    table.close()
    path

  /** Creates a sealed file of `rows` trades. */
  def sealedFile[L <: Layout](tables: TableFactory[L], path: Path, rows: Int): Path =
    val table = tables.create[Trade](path, maxRows = rows)
    for i <- 0 until rows do table += Trade(i, i)
    table.seal()
    path

  def count(path: Path): Long =
    val table = Rows.openReadOnly[Trade](path)
    try table.size
    finally table.close()

  /** Flips one bit of a file. */
  def flip(path: Path, at: Long): Unit =
    val file = java.io.RandomAccessFile(path.toFile, "rw")
    try
      file.seek(at)
      val byte = file.read()
      file.seek(at)
      file.write(byte ^ 0x10)
    finally file.close()
end Trades
