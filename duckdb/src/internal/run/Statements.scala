package undercroft.duckdb
package internal.run

import internal.api.{CString, DuckDbApi, OutParams}
import internal.result.{HeapResult, ResultField, ResultSink, ResultType, ResultVector}
import internal.scan.Explanation
import internal.sql.{SqlMarkers, SqlText}
import java.lang.foreign.Arena

/** Executes SQL on a connection, and gives the results to a sink. It owns the handles of
  * statements, results, chunks and values from their creation to the end of a call. Not
  * thread-safe.
  *
  * @param connection
  *   a handle that the caller owns
  */
private[duckdb] final class Statements(connection: Long, explanation: Explanation):
  /** Whether a statement has begun since the last check that may have raised the depth limit. */
  private var mayBeDeep = false

  /** Executes the statements of a text; the sink has the rows of the last one.
    *
    * @param values
    *   the values of the parameters; if there are any, the text must be a single statement
    */
  def run(text: String, values: Vector[Sql.Value], sink: ResultSink, slots: OutParams)(using
      arena: Arena
  ): Unit =
    if mayBeDeep then checkDepth(text, slots)
    ran(text, values, sink, slots)

  /** The first value of the result of a statement. */
  def value(text: String, slots: OutParams)(using Arena): SqlValue =
    val sink = HeapResult(1)
    ran(text, Vector(), sink, slots)
    sink.result(0, 0)

  /** Restores DuckDB's limit on the depth of expressions, which protects the stack, if a script
    * such as that of `import database` has raised it. It cannot be read within a transaction that
    * has failed: then only a short text is parsed, which nests no deeper than it is long.
    */
  private def checkDepth(text: String, slots: OutParams)(using Arena): Unit =
    try limitDepth(slots)
    catch
      case failure: DuckDbException =>
        val isEnd = text.length <= Statements.DefaultDepth &&
          Statements.Ends.exists(SqlText.folded(text.trim.nn).startsWith)
        if !isEnd then throw failure

  private def limitDepth(slots: OutParams)(using Arena): Unit =
    val limit = s"select current_setting('${Statements.DepthSetting}')"
    val depth = value(limit, slots) match
      case SqlValue.Integer(number) => number
      case other => throw IllegalStateException(s"${Statements.DepthSetting} is ${other.show}")
    if depth > Statements.DefaultDepth then
      val restored = s"set session ${Statements.DepthSetting} = ${Statements.DefaultDepth}"
      ran(restored, Vector(), HeapResult(1), slots)
    mayBeDeep = false

  private def ran(text: String, values: Vector[Sql.Value], sink: ResultSink, slots: OutParams)(using
      arena: Arena
  ): Unit =
    val statements = slots.answer(
      DuckDbApi.parseSql
        .invokeExact(connection, arena.allocateFrom(text).nn.address, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    try
      sink.begin(Vector())
      var statement = next(statements, slots)
      while statement != 0 do
        var following = 0L
        try
          if values.nonEmpty then
            following = next(statements, slots)
            checkCount(statement, following, values.size, slots)
            checkMarkers(text, values.size)
          BoundValues.use(connection, values, slots): handles =>
            execute(statement, handles, values.size, sink, slots)
        finally
          destroy(statement, slots)
          if following != 0 then destroy(following, slots)
        statement = next(statements, slots)
        if statement != 0 && mayBeDeep then
          try limitDepth(slots)
          catch
            case failure: Throwable =>
              destroy(statement, slots)
              throw failure
    finally
      DuckDbApi.done(
        DuckDbApi.statementIteratorDestroy.invokeExact(slots.holding(statements)).asInstanceOf[Int]
      )
    end try
  end ran

  /** Throws if a text with values has more than one statement, or not a parameter for each value.
    */
  private def checkCount(statement: Long, following: Long, values: Int, slots: OutParams): Unit =
    if following != 0 then
      throw IllegalArgumentException(
        s"SQL with values must be a single statement; this has $values values and several statements"
      )
    val count = slots.answer(
      DuckDbApi.sqlStatementGetParameterCount.invokeExact(statement, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    if count != values then
      throw IllegalArgumentException(
        s"SQL must use each of its $values values once; it uses $count: a value inside quotes or " +
          "a comment is text"
      )

  /** Throws if a text with values has parameters of its own: `?` would be the first value. */
  private def checkMarkers(text: String, values: Int): Unit =
    val markers = SqlMarkers.count(text)
    if markers > values then
      throw IllegalArgumentException(
        s"SQL with values must have no other parameters; this has $values values and $markers " +
          "parameters, each `?`, `$1` or `$name`: interpolate a value in place of each"
      )

  private def destroy(statement: Long, slots: OutParams): Unit =
    DuckDbApi.done(
      DuckDbApi.sqlStatementDestroy.invokeExact(slots.holding(statement)).asInstanceOf[Int]
    )

  private def next(statements: Long, slots: OutParams): Long =
    slots.answer(
      DuckDbApi.statementIteratorNext.invokeExact(statements, slots.out, slots.error)
        .asInstanceOf[Int]
    )

  private def execute(
      statement: Long,
      values: Long,
      count: Int,
      sink: ResultSink,
      slots: OutParams
  ): Unit =
    val kind = statementType(statement, slots)
    val isExplained = kind == Statements.Explain
    if !Statements.Harmless.contains(kind) then mayBeDeep = true
    explanation.begin(isExplained)
    val result = slots.answer(
      DuckDbApi.statementExecute
        .invokeExact(connection, statement, 0L, values, count.toLong, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    try
      var chunk = fetched(result, slots)
      try
        // The result's columns are known once it is executing.
        val fields = this.fields(result, slots)
        sink.begin(fields)
        while chunk != 0 do
          val size = slots.answer(
            DuckDbApi.dataChunkGetSize.invokeExact(chunk, slots.out, slots.error).asInstanceOf[Int]
          ).toInt
          sink.add(vectors(chunk, fields, size, slots), size)
          destroyChunk(chunk, slots)
          chunk = 0
          chunk = fetched(result, slots)
      finally if chunk != 0 then destroyChunk(chunk, slots)
      if isExplained then sink.addTexts(explanation.end())
    finally
      DuckDbApi.done(DuckDbApi.resultDestroy.invokeExact(slots.holding(result)).asInstanceOf[Int])
    end try
  end execute

  private def vectors(
      chunk: Long,
      fields: Vector[ResultField],
      size: Int,
      slots: OutParams
  ): Vector[ResultVector] =
    fields.indices.toVector.map: column =>
      val vector = slots.answer(
        DuckDbApi.dataChunkGetVector.invokeExact(chunk, column.toLong, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      ResultVector(vector, fields(column).tpe, size, slots)

  private def destroyChunk(chunk: Long, slots: OutParams): Unit =
    DuckDbApi.done(DuckDbApi.dataChunkDestroy.invokeExact(slots.holding(chunk)).asInstanceOf[Int])

  private def statementType(statement: Long, slots: OutParams): Int =
    slots.check(
      DuckDbApi.sqlStatementGetType.invokeExact(statement, slots.out, slots.error)
        .asInstanceOf[Int]
    )
    slots.int

  private def fetched(result: Long, slots: OutParams): Long =
    slots.answer(
      DuckDbApi.resultFetchChunk.invokeExact(result, slots.out, slots.error).asInstanceOf[Int]
    )

  private def fields(result: Long, slots: OutParams): Vector[ResultField] =
    val schema = slots.answer(
      DuckDbApi.resultGetSchema.invokeExact(result, slots.out, slots.error).asInstanceOf[Int]
    )
    try
      val count = slots.answer(
        DuckDbApi.schemaGetCount.invokeExact(schema, slots.out, slots.error).asInstanceOf[Int]
      )
      Vector.tabulate(count.toInt): i =>
        slots.check(
          DuckDbApi.schemaGetField
            .invokeExact(schema, i.toLong, slots.out, slots.secondOut, slots.error)
            .asInstanceOf[Int]
        )
        // The name and the type are owned by the schema: neither is destroyed here.
        val (name, tpe) = (CString.at(slots.word, slots.second), slots.moreWord)
        ResultField(name, ResultType.of(tpe, slots))
    finally
      DuckDbApi.done(DuckDbApi.schemaDestroy.invokeExact(slots.holding(schema)).asInstanceOf[Int])
  end fields
end Statements

private[duckdb] object Statements:
  /** DuckDB's number of the type of an `explain`. */
  private inline val Explain = 14

  /** The numbers of types that cannot change a setting: select, insert, update, create, delete,
    * alter, transaction, copy, drop.
    */
  private val Harmless = Set(1, 2, 3, 4, 5, 8, 9, 10, 15)

  /** The setting for the depth of expressions; deeper ones overflow the stack, which ends the JVM.
    */
  private[duckdb] inline val DepthSetting = "max_expression_depth"

  /** DuckDB's default for it, for which [[SqlThread.StackBytes]] suffice. */
  private inline val DefaultDepth = 1000

  /** Statements that end a transaction. */
  private val Ends = Vector("rollback", "abort")
end Statements
