package undercroft.arrow.unsafe

import java.lang.foreign.MemorySegment
import undercroft.arrow.ArrowFile
import undercroft.arrow.internal.exchange.ArrowExchange
import undercroft.file.internal.Fileable
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, TableFactory}

extension [T, L <: Layout](table: Table[T, L])

  /** Exports a copy of all rows to a library of the same process, by Arrow's C stream interface:
    * fills an `ArrowArrayStream` that the library allocated. The arrays have the fields that
    * `writeArrow` writes.
    *
    * The copy is independent of the table: the table may be changed and its memory freed, and the
    * library may use the arrays on any thread. The copy has one memory for each batch, which is
    * freed when the library releases the arrays of that batch; the library then reads without a
    * copy. A stream that is never released is a leak. Reads the table on the calling thread, at the
    * cost of one copy of each column.
    *
    * The caller guarantees that the pointer is that of an `ArrowArrayStream` whose members may be
    * overwritten, and that the library keeps the interface's rules: it releases each struct once,
    * and reads no array that it has released. In a process that outlives its JVM, the library
    * releases all of them before the JVM ends, because a release calls the JVM.
    *
    * A null pointer, a pointer that is not a multiple of 8, a segment of fewer than 40 bytes, and
    * `batchRows` below 1 throw IllegalArgumentException; an enum field with an invalid case number
    * throws [[ArrowException]], and an application without native access IllegalCallerException;
    * then nothing was stored.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * import undercroft.arrow.unsafe.*
    * import undercroft.struct.*
    * def give(bills: Columns[Bill], stream: MemorySegment): Unit = bills.exportArrowStream(stream)
    * }}}
    *
    * @param batchRows
    *   the most rows of an array
    */
  inline def exportArrowStream(
      stream: MemorySegment,
      batchRows: Int = ArrowFile.DefaultBatchRows
  ): Unit =
    Fileable.checkWithContents[T](table.struct)
    ArrowExchange.exportTable(table, stream, batchRows)

  /** Lends all rows to a library of the same process for one call: calls `f` with an
    * `ArrowArrayStream`, which the library imports. Numbers of Columns, except Booleans, are read
    * in the table's own memory, without a copy: so are dates, times of 64 bits and fixed-size lists
    * of numbers. All other fields, values out of line, fields in rows, and tables in files are
    * copied as in [[exportArrowStream]].
    *
    * The caller guarantees that until `f` returns the memory of the table is not freed and its rows
    * are not changed by any thread, and that the library keeps the interface's rules, and has
    * released all arrays when `f` returns. The stream itself is released if the library has not
    * done it. If arrays are not released, an IllegalStateException states the number of structs:
    * the library has to be kept from reading them before the table's memory is freed. If `f`
    * throws, that exception is thrown, with the IllegalStateException suppressed.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * import undercroft.arrow.unsafe.*
    * import undercroft.struct.*
    * def sum(bills: Columns[Bill], inLibrary: MemorySegment => Long): Long =
    *   bills.withArrowStream(inLibrary)
    * }}}
    *
    * @param batchRows
    *   the most rows of an array
    */
  inline def withArrowStream[A](f: MemorySegment => A, batchRows: Int = ArrowFile.DefaultBatchRows)
      : A =
    Fileable.checkWithContents[T](table.struct)
    ArrowExchange.lendTable(table, batchRows, f)
end extension

extension [L <: Layout](tables: TableFactory[L])

  /** Reads all arrays of an `ArrowArrayStream` of a library of the same process into a new table:
    * `Columns.importArrowStream[Trade](stream)`. The fields may have the types that `readArrow`
    * accepts; other fields are not read.
    *
    * The stream is released in any case, and each array as soon as it is copied: to a temporary
    * file, because the number of rows is known only at the end. Runs on the calling thread.
    *
    * The caller guarantees that the pointer is that of a valid stream which is not released, and
    * that the library's buffers have the sizes that the interface prescribes; their bytes are
    * checked: lengths, offsets of strings, dictionary indices, bitmaps and the numbers of children
    * and buffers. An invalid one, a field of another type, and an error of the library throw
    * [[ArrowException]], whose file is `stream`; an invalid pointer and a stream that is already
    * released IllegalArgumentException.
    *
    * {{{
    * import java.lang.foreign.MemorySegment
    * import undercroft.arrow.unsafe.*
    * import undercroft.struct.*
    * def revenue(stream: MemorySegment): Long =
    *   Columns.importArrowStream[Bill](stream).sumOf(_.price)
    * }}}
    */
  inline def importArrowStream[T](stream: MemorySegment)(using
      allocator: Allocator
  )(using struct: Struct[T]): Table[T, L] =
    Fileable.checkWithContents[T](struct)
    ArrowExchange.importTable(tables, stream)
end extension
