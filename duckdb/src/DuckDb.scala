package undercroft.duckdb

import java.lang.foreign.Arena
import java.util.concurrent.locks.ReentrantLock
import scala.annotation.publicInBinary
import scala.collection.mutable.ArrayBuffer
import undercroft.file.{Range, StructFile}
import undercroft.struct.{Layout, Table}
import undercroft.structfile.{FileTable, Lanes}
import undercroft.structfile.internal.Fileable

/** SQL by DuckDB, in this process, over tables and struct files where they lie.
  *
  * A query reads the rows that there are when it begins, on as many threads as DuckDB has. Columns
  * that it does not name are not read. Comparisons of a column with constants are decided where the
  * rows lie, before any value is copied; of a sealed file, blocks without a row that is wanted are
  * not looked at. Everything else DuckDB does on the values, which it is given 2048 rows at a time.
  *
  * Any thread may use it, one after the other: a call waits until the one before has ended. A table
  * in a scoped region is for queries of that region's thread alone. `threads` and whatever else is
  * DuckDB's own is set by its SQL.
  *
  * Errors: a [[DuckDbException]] where DuckDB refuses a statement; what reading a table failed
  * with, a StructFileException or one of a closed region, as it is. Then there is no result. It
  * keeps memory and threads of DuckDB's until it is closed; every use after it is an
  * IllegalStateException.
  */
final class DuckDb private (environment: Long, instance: Long, connection: Long)
    extends AutoCloseable:
  private val lock = ReentrantLock()
  private val failures = Failures()
  private val sources = ArrayBuffer[Source]()
  private var isOpen = true

  /** Lets queries name a table. Rows that are appended or changed later are seen by later queries.
    * A name that is taken by another table is that of this one from now on.
    *
    * Numbers, Booleans and texts are SQL's; a Char is a USMALLINT. Enums are ENUMs, Options may be
    * NULL, structs are STRUCTs, an enum whose cases hold something is a STRUCT of `tag` and of one
    * for each such case, an array of numbers is an array, and any other array or union a BLOB of
    * its bytes. What holds a reference does not compile.
    */
  inline def register[T, L <: Layout](name: String, table: Table[T, L]): Unit =
    Fileable.check[T]
    registerTable(name, table)

  /** Lets queries name a file, whatever class it was written with. */
  def register(name: String, file: StructFile): Unit =
    locked(add(name, () => Lanes.of(file), ranges(Some(file))))

  @publicInBinary private[duckdb] def registerTable[T, L <: Layout](
      name: String,
      table: Table[T, L]
  ): Unit =
    val columns = Lanes.columns(table.struct, table.kind)
    val file = table match
      case table: FileTable[?, ?] => table.readFrom
      case _                      => None
    locked(add(name, () => Lanes.lent(table, columns), ranges(file)))

  private def ranges(file: Option[StructFile])(path: String): Vector[Range] =
    import scala.jdk.CollectionConverters.*
    file.fold(Vector[Range]())(_.ranges(path).asScala.toVector)

  /** Runs statements, and answers the rows of the last one.
    *
    * @param upTo
    *   the most rows, which are on the heap; more are an IllegalStateException
    */
  def query(sql: String, upTo: Int = DuckDb.MostRows): Result =
    locked:
      sources.foreach(_.prepare())
      try
        val result = Slots.use((slots, arena) => run(sql, upTo, slots, arena))
        sources.foreach(_.confirm())
        result
      catch
        case refused: DuckDbException =>
          failures.take() match
            case Some(cause) if !(cause eq refused) =>
              cause.addSuppressed(refused)
              throw cause
            case _ => throw refused
      finally
        val _ = failures.take()
        sources.foreach(_.release())

  private def run(sql: String, upTo: Int, slots: Slots, arena: Arena): Result =
    val statements = slots.answer(
      Native.parseSql
        .invokeExact(connection, arena.allocateFrom(sql).nn.address, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    try
      var result = Result(Vector(), Vector())
      var statement = next(statements, slots)
      while statement != 0 do
        try result = executed(statement, upTo, slots)
        finally
          Native.done(
            Native.sqlStatementDestroy.invokeExact(slots.holding(statement)).asInstanceOf[Int]
          )
        statement = next(statements, slots)
      result
    finally
      Native.done(
        Native.statementIteratorDestroy.invokeExact(slots.holding(statements)).asInstanceOf[Int]
      )
  end run

  private def next(statements: Long, slots: Slots): Long =
    slots.answer(
      Native.statementIteratorNext.invokeExact(statements, slots.out, slots.error)
        .asInstanceOf[Int]
    )

  private def executed(statement: Long, upTo: Int, slots: Slots): Result =
    val result = slots.answer(
      Native.statementExecute
        .invokeExact(connection, statement, 0L, 0L, 0L, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    try
      val rows = Vector.newBuilder[Vector[Cell]]
      var count = 0L
      var columns = 0
      var chunk = fetched(result, slots)
      // What it is made of is known once it runs.
      val names = columnNames(result, slots)
      columns = names.size
      while chunk != 0 do
        try
          val size = slots.answer(
            Native.dataChunkGetSize.invokeExact(chunk, slots.out, slots.error).asInstanceOf[Int]
          )
          count += size
          if count > upTo then
            throw IllegalStateException(s"the answer has more than $upTo rows: ask for fewer")
          for row <- 0L until size do
            rows += Vector.tabulate(columns)(column => cell(chunk, column, row, slots))
        finally
          Native.done(Native.dataChunkDestroy.invokeExact(slots.holding(chunk)).asInstanceOf[Int])
        chunk = fetched(result, slots)
      Result(names, rows.result())
    finally
      Native.done(Native.resultDestroy.invokeExact(slots.holding(result)).asInstanceOf[Int])
    end try
  end executed

  private def fetched(result: Long, slots: Slots): Long =
    slots.answer(
      Native.resultFetchChunk.invokeExact(result, slots.out, slots.error).asInstanceOf[Int]
    )

  private def columnNames(result: Long, slots: Slots): Vector[String] =
    val schema = slots.answer(
      Native.resultGetSchema.invokeExact(result, slots.out, slots.error).asInstanceOf[Int]
    )
    try
      val count = slots.answer(
        Native.schemaGetCount.invokeExact(schema, slots.out, slots.error).asInstanceOf[Int]
      )
      Vector.tabulate(count.toInt): i =>
        slots.check(
          Native.schemaGetField
            .invokeExact(schema, i.toLong, slots.out, slots.more, slots.error)
            .asInstanceOf[Int]
        )
        val tpe = slots.moreWord
        val name = Text.at(slots.word, slots.second)
        Native.done(Native.logicalTypeDestroy.invokeExact(slots.holding(tpe)).asInstanceOf[Int])
        name
    finally
      Native.done(Native.schemaDestroy.invokeExact(slots.holding(schema)).asInstanceOf[Int])
  end columnNames

  private def cell(chunk: Long, column: Int, row: Long, slots: Slots): Cell =
    val vector = slots.answer(
      Native.dataChunkGetVector.invokeExact(chunk, column.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    val value = slots.answer(
      Native.vectorGetValue.invokeExact(vector, row, slots.out, slots.error).asInstanceOf[Int]
    )
    try Cell.of(value, slots)
    finally Values.destroy(value, slots)

  /** Makes a table function, and a view that has the name and calls it. */
  private def add(name: String, look: () => Lanes, ranges: String => Vector[Range]): Unit =
    val function = Slots.use: (slots, arena) =>
      given Arena = arena
      val columns = look().columns
      val factory = slots.answer(
        Native.connectionGetFactory.invokeExact(connection, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val types = columns.map: column =>
        slots.answer(
          Native.factoryCreateTypeFromText
            .invokeExact(factory, Text.make(SqlType.of(column)), slots.out, slots.error)
            .asInstanceOf[Int]
        )
      val source = Source(columns, types, look, ranges, failures)
      sources += source
      TableFunction.register(connection, factory, s"undercroft_${sources.size}", source, slots)
    val _ = query(s"create or replace temp view ${SqlType.quoted(name)} as from $function()")
  end add

  private def locked[A](body: => A): A =
    lock.lock()
    try
      if !isOpen then throw IllegalStateException("this DuckDb was closed")
      body
    finally lock.unlock()

  /** Frees what DuckDB holds; the tables stay. Again, it does nothing. */
  def close(): Unit =
    lock.lock()
    try
      if isOpen then
        isOpen = false
        Slots.use: (slots, _) =>
          Native.done(
            Native.connectionDestroy.invokeExact(slots.holding(connection)).asInstanceOf[Int]
          )
          sources.foreach(_.close(slots))
          Native.done(Native.instanceDestroy.invokeExact(slots.holding(instance)).asInstanceOf[Int])
          Native.done(
            Native.environmentDestroy.invokeExact(slots.holding(environment)).asInstanceOf[Int]
          )
    finally lock.unlock()
end DuckDb

object DuckDb:
  /** The most rows of an answer, unless said otherwise: some hundred MiB of heap. */
  inline val MostRows = 1_000_000

  /** An empty database in memory. Where there is no library of DuckDB's for this system on the
    * class path, or none of a version that is known, a DuckDbException.
    */
  def apply(): DuckDb =
    Library.found.left.foreach(reason => throw DuckDbException(reason, 0))
    Slots.use: (slots, arena) =>
      given Arena = arena
      val environment = slots.answer(
        Native.environmentCreate.invokeExact(slots.out, slots.error).asInstanceOf[Int]
      )
      val instance = slots.answer(
        Native.instanceCreate.invokeExact(environment, slots.out, slots.error).asInstanceOf[Int]
      )
      slots.check(
        Native.instanceAttach
          .invokeExact(
            instance,
            Text.make("memory"),
            Text.make(":memory:"),
            0L,
            true,
            slots.error
          )
          .asInstanceOf[Int]
      )
      val connection = slots.answer(
        Native.connectionCreate.invokeExact(instance, slots.out, slots.error).asInstanceOf[Int]
      )
      new DuckDb(environment, instance, connection)
  end apply
end DuckDb
