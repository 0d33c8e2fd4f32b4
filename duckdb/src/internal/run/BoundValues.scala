package undercroft.duckdb
package internal.run

import internal.api.{CString, DuckDbApi, DuckDbValues, OutParams}
import internal.sql.SqlText
import java.lang.foreign.{Arena, ValueLayout}

/** The values of a statement's parameters as handles of DuckDB. */
private[duckdb] object BoundValues:

  /** Creates the values, runs `body` on the address of their handles, and destroys them. */
  def use[A](connection: Long, values: Vector[Sql.Value], slots: OutParams)(body: Long => A)(using
      arena: Arena
  ): A =
    if values.isEmpty then body(0L)
    else
      val factory = slots.answer(
        DuckDbApi.connectionGetFactory.invokeExact(connection, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val handles = arena.allocate(8L * values.size, 8).nn
      var created = 0
      try
        for value <- values do
          handles.setAtIndex(ValueLayout.JAVA_LONG, created, create(factory, value, slots))
          created += 1
        body(handles.address)
      finally
        for i <- 0 until created do
          DuckDbValues.destroy(handles.getAtIndex(ValueLayout.JAVA_LONG, i), slots)

  private def create(factory: Long, value: Sql.Value, slots: OutParams)(using Arena): Long =
    val (out, error) = (slots.out, slots.error)
    def answered(code: Int): Long = slots.answer(code)
    value match
      case value: Boolean =>
        answered(
          DuckDbApi.valueCreateBool.invokeExact(factory, value, out, error).asInstanceOf[Int]
        )
      case value: Int =>
        answered(
          DuckDbApi.valueCreateInt.invokeExact(factory, value, out, error).asInstanceOf[Int]
        )
      case value: Long =>
        answered(
          DuckDbApi.valueCreateBigint.invokeExact(factory, value, out, error).asInstanceOf[Int]
        )
      case value: Double =>
        answered(
          DuckDbApi.valueCreateDouble.invokeExact(factory, value, out, error).asInstanceOf[Int]
        )
      case value: String =>
        SqlText.check(value)
        answered(
          DuckDbApi.valueCreateVarchar.invokeExact(factory, CString.make(value), out, error)
            .asInstanceOf[Int]
        )
    end match
  end create
end BoundValues
