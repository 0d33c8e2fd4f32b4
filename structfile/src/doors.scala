package undercroft.structfile

import java.nio.file.Path
import undercroft.file.Promise
import undercroft.struct.{Layout, Struct, Tables}
import undercroft.structfile.internal.Fileable

/** Tables in files: `Rows.create`, `PackedRows.open`, `Columns.openReadOnly` and so on.
  *
  * A file describes itself, so other programs can read it: docs/format.md says what each byte is.
  * What holds a Ref, a TextRef or a BytesRef does not compile: they mean nothing in a file. Every
  * failure is a [[undercroft.file.StructFileException]] with the file, the offset and the reason,
  * and so is a file that another program makes shorter while it is open: SECURITY.md says what a
  * loop, a single row and others then see. What was not committed when a table is closed is gone.
  */
extension [L <: Layout](tables: Tables[L])

  /** A table in a new file, to append to; a file that is there is not overwritten.
    *
    * @param upTo
    *   the most rows; the file is as long as they are, and takes of the disk what rows are there
    * @param promise
    *   what a commit promises: `COMMITTED` rows outlive a loss of power, `VOLATILE` ones the
    *   process
    */
  inline def create[T](
      path: Path,
      upTo: Long = FileTable.Most,
      promise: Promise = Promise.COMMITTED
  )(using struct: Struct[T]): FileTable[T, L] =
    Fileable.check[T]
    FileTable.create(tables, path, upTo, promise)

  /** The table in a file, to append to. One that was written by a class with fields in other
    * places, fewer or narrower ones is written anew first, for this class; any other difference is
    * an error that says which field differs and how. Columns keep the room that they were made
    * with.
    */
  inline def open[T](
      path: Path,
      upTo: Long = FileTable.Most,
      promise: Promise = Promise.COMMITTED
  )(using struct: Struct[T]): FileTable[T, L] =
    Fileable.check[T]
    FileTable.open(tables, path, upTo, promise)

  /** The table in a file, to read. It takes the same time whatever its size, and no memory, unless
    * the class has fields in other places, more or wider ones than the one that wrote the file:
    * then the rows are converted into memory.
    */
  inline def openReadOnly[T](path: Path)(using struct: Struct[T]): FileTable[T, L] =
    Fileable.check[T]
    FileTable.openReadOnly(tables, path)
end extension
