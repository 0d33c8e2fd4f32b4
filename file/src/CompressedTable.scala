package undercroft.file

import java.nio.file.Path
import scala.annotation.publicInBinary
import undercroft.file.format.internal.codec.{BlockReader, CompressedFile}
import undercroft.file.format.internal.evolution.SchemaConversion
import undercroft.memory.Region
import undercroft.struct.{Layout, Struct, Table, TableFactory}

/** The rows of a compressed file, read block by block. Created by `Columns.openCompressed`, and by
  * the same method of Rows and PackedRows.
  *
  * A block is a table of up to 65 536 rows in memory. Only the columns that the class has are
  * decompressed; memory is needed for one block, whatever the size of the file. Thread-safe: each
  * scan has its own decoder. Blocks are compared with their checksums. Every failure is a
  * [[undercroft.file.format.StructFileException]] that names the block and the column; a file that
  * is truncated or overwritten during a scan is such a failure, too.
  *
  * {{{
  * import java.nio.file.Files
  * import undercroft.struct.*
  * val folder = Files.createTempDirectory("shop")
  * val (day, packed) = (folder.resolve("day.bills"), folder.resolve("day.zst"))
  * val bills = Columns.create[Bill](day, maxRows = 1000)
  * bills.appendAll(List(Bill(1, 250), Bill(2, 251)))
  * bills.seal()
  * compressFile(day, packed)
  * val table = Columns.openCompressed[Bill](packed)
  * println(table.foldBlocks(0L)((sum, block) => sum + block.sumOf(_.price))) // 501
  * table.close()
  * }}}
  */
final class CompressedTable[T, L <: Layout] private (
    tables: TableFactory[L],
    file: CompressedFile,
    conversion: SchemaConversion
)(using Struct[T])
    extends AutoCloseable:

  /** The path of the file. */
  def path: Path = file.path

  /** The number of rows. */
  def size: Long = file.rows

  /** The number of blocks. */
  def blockCount: Long = file.blockCount

  /** Calls `f` with each block, in the order of the rows. A block is valid during the call; a later
    * use throws StaleReferenceException. It is confined to the calling thread.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val (day, packed) = (folder.resolve("day.bills"), folder.resolve("day.zst"))
    * val bills = Rows.create[Bill](day)
    * bills += Bill(1, 250)
    * bills.seal()
    * compressFile(day, packed)
    * val table = Rows.openCompressed[Bill](packed)
    * table.foreachBlock(block => block.foreach(bill => println(bill))) // Bill(1,250)
    * table.close()
    * }}}
    */
  def foreachBlock(f: Table[T, L] => Unit): Unit =
    val reader: BlockReader = file.reader(conversion)
    try
      var index = 0L
      while index < file.blockCount do
        Region.scoped:
          val rows = tables[T](file.rows(index))
          reader.read(index, rows.memory, rows.capacity, 0)
          f(rows)
        index += 1
    finally reader.close()

  /** Combines all blocks to one value, in the order of the rows, with the conditions of
    * [[foreachBlock]].
    */
  def foldBlocks[A](zero: A)(f: (A, Table[T, L]) => A): A =
    var result = zero
    foreachBlock(block => result = f(result, block))
    result

  /** Decompresses the whole file and compares every checksum. */
  def verify(): Unit = file.verify()

  /** Closes the file. A scan by another thread, and every later one, throws StructFileException. */
  def close(): Unit = file.close()
end CompressedTable

object CompressedTable:
  @publicInBinary private[file] def open[T, L <: Layout](tables: TableFactory[L], path: Path)(using
      struct: Struct[T]
  ): CompressedTable[T, L] =
    val file: CompressedFile = CompressedFile.open(path)
    try
      val schema = FileSchemas.of(struct, tables.kind)
      val evolution = FileSchemas.evolution(struct, tables.kind)
      new CompressedTable(
        tables,
        file,
        SchemaConversion.of(file.path, file.schema, schema, true, evolution).nn
      )
    catch
      case error: Throwable =>
        file.close()
        throw error
end CompressedTable
