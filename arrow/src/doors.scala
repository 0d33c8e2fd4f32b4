package undercroft.arrow

import java.nio.file.Path
import undercroft.file.StructFile
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, Tables}
import undercroft.structfile.Lanes
import undercroft.structfile.internal.Fileable

extension [T, L <: Layout](table: Table[T, L])

  /** Writes all rows to a new file in Arrow's IPC file format, which appears once it is whole.
    *
    * Numbers of columns are written as they lie; Booleans become bits, and rows are sorted apart
    * into columns. Every buffer begins at a multiple of 64 bytes, so a reader that maps the file
    * copies nothing. Enums are dictionaries, texts are utf8, Options are what they hold with a
    * bitmap, structs are structs, an enum whose cases hold something is a struct of `tag` and of
    * one nullable struct for each such case, an array of numbers is a fixed-size list, and any
    * other array or union its bytes.
    *
    * One thread, which may use the table. It takes a few MiB of heap, whatever there is to write.
    * What holds a reference does not compile. Errors: an [[ArrowException]] with the file, the
    * offset and the reason, also for the number of a case that there is not; and the table's own.
    * Then there is no file.
    *
    * @param batchRows
    *   rows of a record batch at the most; fewer where texts are so long that a batch could have 2
    *   GiB of them
    */
  inline def toArrow(path: Path, batchRows: Int = ArrowFile.BatchRows): Unit =
    Fileable.check[T]
    ArrowFile.writeTable(table, path, batchRows)
end extension

extension (file: StructFile)

  /** Writes the committed rows, whatever class they were written with, as `toArrow` of a table
    * does.
    */
  def toArrow(path: Path): Unit = ArrowFile.write(Lanes.of(file), path, ArrowFile.BatchRows)

extension [L <: Layout](tables: Tables[L])

  /** A table of what a file in Arrow's IPC file format holds: `Columns.fromArrow[Trade](path)`.
    *
    * Fields are found by name, and others are left out. Each has the type that `toArrow` gives it;
    * texts may also be large or views, a dictionary may have any integers. A null is the None of an
    * Option. The bytes are read, not mapped, a few MiB at a time, by the calling thread.
    *
    * Errors: an [[ArrowException]] with the file, the offset and the reason. Whatever a file says
    * of itself is held against its size before any memory is taken for it.
    */
  inline def fromArrow[T](path: Path)(using struct: Struct[T], allocator: Allocator): Table[T, L] =
    Fileable.check[T]
    ArrowFile.read(tables, path)
end extension
