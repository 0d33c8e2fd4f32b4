package undercroft.duckdb

import java.lang.foreign.Arena

/** Tells DuckDB of a table as a table function: without arguments, because DuckDB takes calls with
  * the same arguments for the same rows, whatever conditions were left to them.
  */
private[duckdb] object TableFunction:

  /** Registers a function that answers a table's rows; its name. */
  def register(connection: Long, factory: Long, name: String, source: Source, slots: Slots)(using
      Arena
  ): String =
    val function = slots.answer(
      Native.tableFunctionCreate.invokeExact(factory, slots.out, slots.error).asInstanceOf[Int]
    )
    try
      val error = slots.error
      slots.check(
        Native.tableFunctionSetName.invokeExact(function, Text.make(name), error).asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetUserData
          .invokeExact(function, Callbacks.owned(source, slots), error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetBindCallback.invokeExact(function, Callbacks.bind, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetInitGlobalCallback.invokeExact(function, Callbacks.start, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetInitLocalCallback.invokeExact(function, Callbacks.startThread, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetExecCallback.invokeExact(function, Callbacks.fill, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetPartitionDataCallback.invokeExact(function, Callbacks.order, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetFilterPushdownCallback
          .invokeExact(function, Callbacks.pushDown, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionSetProjectionPushdown.invokeExact(function, true, error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.connectionRegisterTableFunction.invokeExact(connection, function, error)
          .asInstanceOf[Int]
      )
      name
    finally
      Native.done(
        Native.tableFunctionDestroy.invokeExact(slots.holding(function)).asInstanceOf[Int]
      )
    end try
  end register
end TableFunction
