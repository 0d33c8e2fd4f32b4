package undercroft.file

import java.nio.file.Path
import undercroft.file.format.{Checksums, Durability}
import undercroft.struct.{Layout, Struct, TableFactory}
import undercroft.file.internal.Fileable

/** Tables in files: `Rows.create`, `PackedRows.open`, `Columns.openReadOnly` and so on.
  *
  * Files are self-describing; other programs can read them by docs/format.md. A struct with a Ref,
  * a TextRef or a BytesRef does not compile, because addresses are meaningless in a file. Every
  * failure is a [[undercroft.file.format.StructFileException]] with the file, the offset and the
  * reason, including truncation by another program while the file is open: SECURITY.md states the
  * effect on loops, single rows and other accesses. Closing a table discards rows that were not
  * committed.
  */
extension [L <: Layout](tables: TableFactory[L])

  /** Creates a file and opens it for appending. An existing file is not overwritten.
    *
    * {{{
    * import undercroft.struct.*
    * val day = Rows.create[Bill](path)
    * day += Bill(1, 250)
    * day.commit()
    * day.close()
    * }}}
    *
    * @param maxRows
    *   the most rows. A file of rows is as long as its rows, plus some preallocated space until it
    *   is closed. In a file of columns the positions of the columns depend on this number, so it is
    *   required there, and rounded up to a multiple of 64
    * @param durability
    *   the durability of a commit: `COMMITTED` rows survive a loss of power, `VOLATILE` rows the
    *   end of the process
    */
  inline def create[T](
      path: Path,
      maxRows: Long = FileTable.DefaultMaxRows,
      durability: Durability = Durability.COMMITTED
  )(using struct: Struct[T]): FileTable[T, L] =
    Fileable.check[T](struct)
    FileTable.create(tables, path, maxRows, durability)

  /** Opens a file for appending. If it was written by a class with reordered, fewer or narrower
    * fields, it is first rewritten for this class; any other difference is an error that names the
    * field, also a field that this class does not have. The capacity of a file of columns cannot
    * change. If the path is a symbolic link, its target is changed.
    *
    * {{{
    * import undercroft.struct.*
    * val day = Rows.open[Bill](path)
    * day += Bill(2, 260)
    * day.seal()
    * }}}
    */
  inline def open[T](
      path: Path,
      maxRows: Long = FileTable.DefaultMaxRows,
      durability: Durability = Durability.COMMITTED
  )(using struct: Struct[T]): FileTable[T, L] =
    Fileable.check[T](struct)
    FileTable.open(tables, path, maxRows, durability)

  /** Opens a file for reading. Takes constant time and no memory, unless the class has reordered,
    * added, fewer or wider fields compared with the writer's class: then the rows are converted to
    * memory. A class may have a part of the fields of the file; it must not have others too,
    * because a field may have been renamed. The fields of a compressed file are decompressed to
    * memory, and its blocks are compared with their checksums, whatever `checksums` is.
    *
    * {{{
    * import undercroft.file.format.Checksums
    * import undercroft.struct.*
    * val day = Rows.openReadOnly[Bill](path, Checksums.AT_OPEN)
    * println(day.sumOf(_.price))
    * day.close()
    * }}}
    *
    * @param checksums
    *   when the blocks of a sealed file are compared with their checksums. By default a block is
    *   compared when DuckDB or `writeArrow` first reads it, or when rows are converted; loops over
    *   the table do not compare. `AT_OPEN` compares all of them now, which reads the file once;
    *   `NEVER` leaves it to `verify`
    */
  inline def openReadOnly[T](path: Path, checksums: Checksums = Checksums.FIRST_USE)(using
      struct: Struct[T]
  ): FileTable[T, L] =
    Fileable.check[T](struct)
    FileTable.openReadOnly(tables, path, checksums)

  /** Opens a compressed file, which [[compressFile]] writes, to read it block by block: with memory
    * for one block, while [[openReadOnly]] decompresses all rows to memory. The class may have a
    * part of the fields, and other changes that `openReadOnly` accepts.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val (day, packed) = (folder.resolve("day.bills"), folder.resolve("day.zst"))
    * val bills = Columns.create[Bill](day, maxRows = 1000)
    * bills += Bill(1, 250)
    * bills.seal()
    * compressFile(day, packed)
    * val table = Columns.openCompressed[Bill](packed)
    * println(table.foldBlocks(0L)((sum, block) => sum + block.sumOf(_.price))) // 250
    * table.close()
    * }}}
    */
  inline def openCompressed[T](path: Path)(using struct: Struct[T]): CompressedTable[T, L] =
    Fileable.check[T](struct)
    CompressedTable.open(tables, path)

  /** Opens all files of a folder as one table, for reading: the files that the folder's manifest
    * lists, or all files of a folder without one. Files of another class or with other changes than
    * [[openReadOnly]] accepts are an error that names the file; a folder without files is an empty
    * table.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val morning = Rows.create[Bill](folder.resolve("morning.bills"))
    * morning += Bill(1, 250)
    * morning.seal()
    * val day = Rows.openAll[Bill](folder)
    * println(day.sumOf(_.price)) // 250
    * day.close()
    * }}}
    */
  inline def openAll[T](folder: Path, checksums: Checksums = Checksums.FIRST_USE)(using
      struct: Struct[T]
  ): FolderTable[T, L] =
    Fileable.check[T](struct)
    FolderTable.open(tables, folder, checksums)

  /** A writer that adds, replaces and compacts files of a folder. The folder is created by the
    * first change.
    *
    * {{{
    * import java.nio.file.Files
    * import undercroft.struct.*
    * val folder = Files.createTempDirectory("shop")
    * val shop = Columns.folder[Bill](folder, maxRows = 1000)
    * shop.add(file => file += Bill(1, 250))
    * }}}
    *
    * @param maxRows
    *   the most rows of a new file; required for files of columns, where it is rounded up to a
    *   multiple of 64
    */
  inline def folder[T](path: Path, maxRows: Long = FileTable.DefaultMaxRows)(using
      struct: Struct[T]
  ): FolderWriter[T, L] =
    Fileable.check[T](struct)
    FolderWriter(tables, path, maxRows)
end extension
