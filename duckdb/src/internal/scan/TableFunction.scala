package undercroft.duckdb
package internal.scan

import internal.api.{CString, DuckDbApi, OutParams}
import java.lang.foreign.Arena

/** Registers a table with DuckDB as a table function. The function has no arguments: DuckDB assumes
  * that calls with the same arguments return the same rows, even if different filters were pushed
  * down.
  */
private[duckdb] object TableFunction:

  /** Registers a function that returns a table's rows. */
  def register(
      connection: Long,
      factory: Long,
      name: String,
      source: TableSource,
      slots: OutParams
  )(using
      Arena
  ): Unit =
    val function = slots.answer(
      DuckDbApi.tableFunctionCreate.invokeExact(factory, slots.out, slots.error).asInstanceOf[Int]
    )
    try
      val error = slots.error
      slots.check(
        DuckDbApi.tableFunctionSetName.invokeExact(
          function,
          CString.make(name),
          error
        ).asInstanceOf[Int]
      )
      Callbacks.keeping(source, slots): data =>
        DuckDbApi.tableFunctionSetUserData.invokeExact(function, data, error).asInstanceOf[Int]
      slots.check(
        DuckDbApi.tableFunctionSetBindCallback.invokeExact(function, Callbacks.bind, error)
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.tableFunctionSetInitGlobalCallback.invokeExact(function, Callbacks.start, error)
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.tableFunctionSetInitLocalCallback.invokeExact(
          function,
          Callbacks.startThread,
          error
        )
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.tableFunctionSetExecCallback.invokeExact(function, Callbacks.fill, error)
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.tableFunctionSetPartitionDataCallback.invokeExact(
          function,
          Callbacks.order,
          error
        )
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.tableFunctionSetFilterPushdownCallback
          .invokeExact(function, Callbacks.pushDown, error)
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.tableFunctionSetProjectionPushdown.invokeExact(function, true, error)
          .asInstanceOf[Int]
      )
      slots.check(
        DuckDbApi.connectionRegisterTableFunction.invokeExact(connection, function, error)
          .asInstanceOf[Int]
      )
    finally
      DuckDbApi.done(
        DuckDbApi.tableFunctionDestroy.invokeExact(slots.holding(function)).asInstanceOf[Int]
      )
    end try
  end register
end TableFunction
