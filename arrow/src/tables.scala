package undercroft.arrow

import internal.columns.ArrowImport
import java.io.{InputStream, OutputStream}
import java.nio.file.Path
import undercroft.file.format.{FileLayout, StructFile}
import undercroft.memory.Allocator
import undercroft.struct.{Layout, Struct, Table, TableFactory}
import undercroft.file.FieldSlices
import undercroft.file.internal.Fileable

extension [T, L <: Layout](table: Table[T, L])

  /** Writes all rows to a new file in Arrow's IPC file format, which appears when it is complete.
    * The file is durable when the call returns.
    *
    * Numbers of columnar tables are copied unchanged; Booleans become bits, and rows are transposed
    * into columns. Every buffer is aligned to 64 bytes, so a reader that memory-maps the file
    * copies nothing. Enums become dictionaries, strings utf8, Options nullable fields, structs
    * structs. An enum whose cases have fields becomes a struct of `tag` and one nullable struct for
    * each such case. An array becomes a fixed-size list of its elements; a union, or an array of
    * unions, is written as its bytes (fixed-size binary). A TextRef becomes utf8, a BytesRef
    * binary, a RowsRef a list of its elements.
    *
    * Runs on the calling thread, which must have access to the table. Uses a few MiB of heap for
    * tables of any size, and about 100 bytes of heap for each row of a batch and field out of line;
    * the structs of the runs of a batch are copied to native memory until the batch is written. A
    * struct with references does not compile. A value out of line whose memory is freed throws
    * StaleReferenceException. Throws [[ArrowException]] with the file, the offset and the reason,
    * also if an enum field contains an invalid case number, and the exceptions of table access.
    * After an exception there is no file.
    *
    * {{{
    * import java.nio.file.Path
    * import undercroft.struct.*
    * def save(bills: Columns[Bill], file: Path): Unit = bills.writeArrow(file)
    * }}}
    *
    * @param batchRows
    *   the most rows of a record batch; batches are smaller if their strings could exceed 2 GiB, or
    *   an array or runs of structs 2^20^ elements. A BytesRef of more than 2^31^ - 1 bytes is an
    *   error
    * @param compression
    *   of each buffer, first to a temporary file as large as one compressed batch. A codec that is
    *   not on the class path throws [[ArrowException]]
    */
  inline def writeArrow(
      path: Path,
      batchRows: Int = ArrowFile.DefaultBatchRows,
      compression: ArrowCompression = ArrowCompression.None
  ): Unit =
    Fileable.checkWithContents[T](table.struct)
    ArrowFile.writeTable(table, path, batchRows, compression)

  /** Writes all rows in Arrow's IPC stream format, as [[writeArrow]] writes them to a file: to a
    * socket or a pipe. The stream is flushed and stays open. After an exception it has a part of
    * the rows; an IOException of the stream is thrown unchanged.
    *
    * {{{
    * import java.io.OutputStream
    * import undercroft.struct.*
    * def send(bills: Columns[Bill], to: OutputStream): Unit = bills.writeArrowStream(to)
    * }}}
    *
    * @param batchRows
    *   the most rows of a record batch
    * @param compression
    *   of each buffer, as in [[writeArrow]]
    */
  inline def writeArrowStream(
      stream: OutputStream,
      batchRows: Int = ArrowFile.DefaultBatchRows,
      compression: ArrowCompression = ArrowCompression.None
  ): Unit =
    Fileable.checkWithContents[T](table.struct)
    ArrowFile.writeTableStream(table, stream, batchRows, compression)
end extension

extension (file: StructFile)

  /** Writes the committed rows, as `writeArrow` of a table does, in batches of
    * `ArrowFile.DefaultBatchRows` rows. The class of the rows is not needed.
    *
    * {{{
    * import undercroft.file.format.{FileLayout, StructFile}
    * def convert(): Unit =
    *   val file = StructFile.open(path)
    *   try file.writeArrow(path.resolveSibling("bills.arrow"))
    *   finally file.close()
    * }}}
    */
  def writeArrow(path: Path): Unit = file.writeArrow(path, ArrowCompression.None)

  /** Writes the committed rows with each buffer compressed, as `writeArrow` of a table does. An
    * overload, because the table's `writeArrow` has the default arguments.
    *
    * {{{
    * import undercroft.file.format.StructFile
    * def archive(file: StructFile): Unit =
    *   file.writeArrow(path.resolveSibling("bills.arrow"), ArrowCompression.Zstd)
    * }}}
    */
  def writeArrow(path: Path, compression: ArrowCompression): Unit =
    ArrowFile.write(FieldSlices.of(file), path, ArrowFile.DefaultBatchRows, compression)
end extension

extension [L <: Layout](tables: TableFactory[L])

  /** Reads a file in Arrow's IPC file format, or one in its stream format, into a new table:
    * `Columns.readArrow[Trade](path)`.
    *
    * Fields are found by name; other fields are ignored. Each field must have the type that
    * `writeArrow` writes, with these exceptions: strings may also be large_utf8 or utf8_view, and
    * numbers and dictionary indices may have fewer bits. Dates, times, decimals and UUIDs are read
    * as such, in any unit or scale in which each value is exact. A time outside the day throws
    * [[ArrowException]] with its row. A Text field also reads a dictionary of strings, and the text
    * of a date, time, timestamp, decimal or uint64. A Long field also reads a uint64, or a decimal
    * without decimals, if all values are in its range. A dictionary may grow by deltas and, in a
    * stream, be replaced between record batches; it has at most 65 536 values. Lists of any length
    * are read as an InlineArray if each has the length of the array. A TextRef reads what a Text
    * reads, of any length; a BytesRef binary, large_binary and binary_view; a RowsRef lists, large
    * lists and fixed-size lists. A null is read as None. The bytes are read, not memory-mapped, a
    * few MiB at a time, on the calling thread. Compressed files, LZ4 or Zstandard, need
    * `undercroft-compression` on the class path; their buffers are decompressed to a temporary file
    * first.
    *
    * The values of TextRefs, BytesRefs and RowsRefs are copied to memory of the allocator, up to
    * 4096 of a field to one block: a region frees them at its close. By Malloc each value has a
    * block, which the program frees. Beyond the allocator's limit a MemoryLimitException is thrown,
    * and the values up to there are kept until the region's close.
    *
    * Throws [[ArrowException]] with the file, the offset and the reason. Every count and length in
    * the file is checked against the file's size before memory is allocated for it.
    *
    * {{{
    * import java.nio.file.Path
    * import undercroft.struct.*
    * def revenue(file: Path): Long = Columns.readArrow[Bill](file).sumOf(_.price)
    * }}}
    */
  inline def readArrow[T](path: Path)(using
      allocator: Allocator
  )(using struct: Struct[T]): Table[T, L] =
    Fileable.checkWithContents[T](struct)
    ArrowFile.read(tables, path)

  /** Reads one stream in Arrow's IPC stream format into a new table, as [[readArrow]] reads a file.
    *
    * Reads up to the stream's end marker, and no byte behind it, or up to the end of the input. The
    * bytes are first copied to a temporary file, because the number of rows is known only at the
    * end. An IOException of the stream is thrown unchanged; an [[ArrowException]] has the position
    * in the stream.
    *
    * {{{
    * import java.io.InputStream
    * import undercroft.struct.*
    * def revenue(from: InputStream): Long = Columns.readArrowStream[Bill](from).sumOf(_.price)
    * }}}
    */
  inline def readArrowStream[T](stream: InputStream)(using
      allocator: Allocator
  )(using struct: Struct[T]): Table[T, L] =
    Fileable.checkWithContents[T](struct)
    ArrowFile.readStream(tables, stream)
end extension

/** Copies an Arrow file to a new, sealed struct file. No class is needed: the schema follows from
  * the fields and their values.
  *
  * | Arrow                             | struct file                                    |
  * |:----------------------------------|:-----------------------------------------------|
  * | bool, float16, float32, float64   | Boolean, Float, Float, Double                  |
  * | int8, int16, int32, int64         | Byte, Short, Int, Long                         |
  * | uint8, uint16, uint32             | Short, Int, Long                               |
  * | utf8, large_utf8, utf8_view       | Text, as long as the longest value             |
  * | uint64                            | Long if all values fit, else Text              |
  * | date, time, timestamp, duration   | the logical type, in the same unit             |
  * | decimal                           | a decimal of the same digits, at most 38       |
  * | arrow.uuid                        | UUID                                           |
  * | dictionary of strings             | an enum whose cases are the dictionary         |
  * | fixed-size list of numbers        | InlineArray; of Chars if the list is of uint16 |
  * | fixed-size list of strings        | InlineArray of Texts                           |
  * | fixed-size list of structs        | InlineArray of structs                         |
  * | fixed-size binary                 | InlineArray of Bytes                           |
  * | struct                            | a struct of its fields                         |
  * | a field, or elements, with nulls  | an Option, an InlineArray of Options           |
  * | null, a dictionary without values | Text of one byte                               |
  * | any other type                    | an exception that names the field and its type |
  *
  * The file is read twice, a few MiB at a time, on the calling thread. Throws [[ArrowException]]
  * with the Arrow file, the offset and the reason, and StructFileException if the target cannot be
  * written or exists. After an exception there is no new file.
  *
  * {{{
  * import java.nio.file.Path
  * import undercroft.file.*
  * import undercroft.struct.*
  * def revenue(arrow: Path): Long =
  *   val copy = arrow.resolveSibling("bills.cols")
  *   convertArrow(arrow, copy)
  *   val bills = Columns.openReadOnly[Bill](copy)
  *   try bills.sumOf(_.price)
  *   finally bills.close()
  * }}}
  *
  * @param name
  *   the name of the rows' type, which the schema contains
  * @param columns
  *   the columns to copy, in this order; all if it is empty. A column that is not copied may be of
  *   any type
  */
def convertArrow(
    from: Path,
    to: Path,
    layout: FileLayout = FileLayout.COLUMNS,
    name: String = "Row",
    columns: Seq[String] = Seq()
): Unit =
  val source = ArrowImport(from, layout, name, columns)
  try source.write(to)(_ => ())
  finally source.close()
