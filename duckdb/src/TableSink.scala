package undercroft.duckdb

import internal.result.{ReadRange, ResultField, ResultSink, ResultSlots, ResultVector, VectorReader}
import scala.annotation.publicInBinary
import scala.concurrent.duration.Duration
import undercroft.file.internal.Fileable
import undercroft.file.FieldSlices
import undercroft.memory.{Allocator, Region}
import undercroft.struct.{
  Columns,
  ConcatenatedTables,
  ConcatenatedView,
  GrowingTable,
  Layout,
  PackedRows,
  Rows,
  Struct,
  Table,
  TableFactory
}

/** The rows of a result in tables of a region of its own: DuckDB's thread has no access to the
  * region of the caller's table.
  */
private[duckdb] final class TableSink[T, L <: Layout](tables: TableFactory[L])(using Struct[T])
    extends ResultSink, AutoCloseable:
  import TableSink.*

  private val columns = FieldSlices.columns(summon[Struct[T]], tables.kind)
  private val readers = columns.map(column => VectorReader.of(column, column.name))
  private val region = Region.shared("rows of a query")
  private var indices = List[Int]()
  private var mismatch: IllegalArgumentException | Null = null
  private var full = Vector[Table[T, L]]()
  private var part: Table[T, L] | Null = null
  private var slices: FieldSlices | Null = null
  private var partSize = 0
  private var size = 0L

  /** The rows of the last result. Throws IllegalArgumentException if a column is missing. */
  def rows: ConcatenatedView[T, L] =
    val error = mismatch
    if error != null then throw error
    ConcatenatedView(ConcatenatedTables(tables.kind, full ++ lastPart))

  def close(): Unit = region.close()

  private def lastPart: Option[Table[T, L]] = Option(part).map(_.slice(0, partSize))

  private[undercroft] def begin(fields: Vector[ResultField]): Unit =
    full = Vector()
    part = null
    partSize = 0
    size = 0
    mismatch = null
    // Statements before the last one have any columns.
    try indices = SqlRow.byName(fields.map(_.name), columns.map(_.name).toList)
    catch case error: IllegalArgumentException => mismatch = error

  private[undercroft] def add(vectors: Vector[ResultVector], count: Int): Unit =
    if mismatch == null && count > 0 then
      val slots = ResultSlots.Rows(room(count), partSize)
      val range = ReadRange(size, count, null, null)
      for (reader, index) <- readers.zip(indices) do reader.store(vectors(index), range, slots)
      partSize += count
      size += count

  /** The slices of the part, which has room for more rows. */
  private def room(count: Int): FieldSlices =
    val current = slices
    if part != null && current != null && partSize + count <= current.rows then current
    else
      if part != null then full ++= lastPart
      val rows = Math.max(count, Math.min(MostRows, Math.max(LeastRows, 2 * partSize)))
      val table = tables[T](rows)(using region)
      val next = FieldSlices.lent(table, columns)
      part = table
      slices = next
      partSize = 0
      next

  private[undercroft] def addTexts(rows: Vector[Vector[String]]): Unit = ()
end TableSink

@publicInBinary private[duckdb] object TableSink:
  private inline val LeastRows = 2048
  private inline val MostRows = 1 << 16

  private def use[T, L <: Layout, A](
      tables: TableFactory[L],
      database: DuckDb,
      sql: String | Sql,
      timeLimit: Duration
  )(body: ConcatenatedView[T, L] => A)(using Struct[T]): A =
    val sink = TableSink[T, L](tables)
    try
      database.run(sql, sink, timeLimit)
      body(sink.rows)
    finally sink.close()

  @publicInBinary private[duckdb] def read[T, L <: Layout](
      tables: TableFactory[L],
      database: DuckDb,
      sql: String | Sql,
      timeLimit: Duration
  )(using allocator: Allocator)(using Struct[T]): Table[T, L] =
    use[T, L, Table[T, L]](tables, database, sql, timeLimit)(_.copy)

  @publicInBinary private[duckdb] def append[T, L <: Layout](
      table: GrowingTable[T, L],
      database: DuckDb,
      sql: String | Sql,
      timeLimit: Duration
  ): Unit =
    val tables = table.kind match
      case Table.Kind.Aligned  => Rows
      case Table.Kind.Packed   => PackedRows
      case Table.Kind.Columnar => Columns
    given Struct[T] = table.struct
    use[T, L, Unit](tables.asInstanceOf[TableFactory[L]], database, sql, timeLimit): rows =>
      table.appendAll(rows)
end TableSink

extension [L <: Layout](tables: TableFactory[L])

  /** Reads the rows of a query into a new table: `Columns.readSql[Trade](db, "select ...")`. The
    * number of rows is limited by memory only.
    *
    * The columns are found by the names of the fields, as [[QueryResult.as]] finds them, and the
    * values are read by its rules: a null only as a None, nothing is rounded or cut off. STRUCTs
    * are read as structs, ARRAYs and LISTs of the right size as InlineArrays. A value that a field
    * does not have, a missing column, and a type of a field that no column has, such as an enum
    * with fields, throw IllegalArgumentException, with the row and the column of a value.
    *
    * DuckDB's vectors are copied off-heap, without an object for each value, and from there to the
    * table: until the call ends, the rows need twice their memory.
    *
    * {{{
    * import undercroft.struct.*
    * def expensive(db: DuckDb): Columns[Bill] =
    *   Columns.readSql[Bill](db, "select ticket, price from bills where price > 250")
    * }}}
    *
    * @param sql
    *   statements, as in [[DuckDb.query]]; the rows are those of the last one
    * @param timeLimit
    *   the longest time of the query, as in [[DuckDb.query]]
    */
  inline def readSql[T](
      database: DuckDb,
      sql: String | Sql,
      timeLimit: Duration = Duration.Inf
  )(using allocator: Allocator)(using struct: Struct[T]): Table[T, L] =
    Fileable.check[T](struct)
    TableSink.read[T, L](tables, database, sql, timeLimit)
end extension

extension [T, L <: Layout](table: GrowingTable[T, L])

  /** Appends the rows of a query, as [[readSql]] reads them: all of them, or none after an
    * exception.
    *
    * {{{
    * import undercroft.struct.*
    * def append(db: DuckDb, bills: GrowingTable[Bill, Aligned]): Unit =
    *   bills.appendSql(db, sql"select ticket, price from day where price > ${250}")
    * }}}
    */
  inline def appendSql(
      database: DuckDb,
      sql: String | Sql,
      timeLimit: Duration = Duration.Inf
  ): Unit =
    Fileable.check[T](table.struct)
    TableSink.append(table, database, sql, timeLimit)
end extension
