package undercroft.duckdb
package internal.api

import java.lang.foreign.{FunctionDescriptor, Linker, MemoryLayout, MemorySegment, ValueLayout}
import java.lang.invoke.MethodHandle
import scala.annotation.unused

/** The whole address space as a segment. Only memory that DuckDB lends to a callback is written
  * through it, within the sizes that `vector_set_size` and `arena_allocate` have accepted.
  */
private[undercroft] object Addresses:
  val memory: MemorySegment = MemorySegment.NULL.nn.reinterpret(Long.MaxValue).nn

/** Decorates each downcall when [[DuckDbApi]] is first used: the tests count handles by it. */
private[duckdb] object Downcalls:
  @volatile var wrap: (String, MethodHandle) => MethodHandle = (_, handle) => handle

/** Functions of DuckDB's second C interface, version 2.0: pointers and sizes are Longs, and each
  * returns an error code, or 0. Available only if [[DuckDbLibrary.symbols]] is a Right.
  *
  * Each handle has one owner, which destroys it once. A destroy function takes the address of the
  * handle. DuckDB frees the lent handles with their owner: destroying a lent handle is a double
  * free.
  *
  * ```text
  * handle        created or lent by                               destroyed by          owner
  * environment   environment_create                               environment_destroy   DuckDb.close
  * instance      instance_create                                  instance_destroy      DuckDb.close
  * connection    connection_create                                connection_destroy    DuckDb.close
  * factory       connection_get_factory                           lent                  connection
  * logical type  factory_create_type_from_text                    logical_type_destroy  TableSource.close
  * logical type  value_get_logical_type                           logical_type_destroy  DuckDbValues.typeOf
  * logical type  schema_get_field                                 lent                  schema
  * logical type  value_get_type                                   logical_type_destroy  ResultType.of
  * value         logical_type_get_param                           value_destroy         ResultType.of
  * field name    schema_get_field                                 lent                  schema
  * function      table_function_create                            table_function_destroy TableFunction.register
  * statements    parse_sql                                        statement_iterator_destroy Statements.run
  * statement     statement_iterator_next (0 at the end)           sql_statement_destroy Statements.run
  * result        statement_execute                                result_destroy        Statements.executed
  * schema        result_get_schema (outlives its result)          schema_destroy        Statements.fields
  * chunk         result_fetch_chunk (0 at the end)                data_chunk_destroy    Statements.executed
  * chunk         table_function_exec_get_output_chunk             lent                  the callback
  * vector        data_chunk_get_vector                            lent                  chunk
  * vector        vector_get_child                                 lent                  vector
  * data, bits    vector_get_data_mutable, .._get_validity_mutable lent                  vector, until it is resized
  * data, bits    vector_get_view                                  lent                  vector, until it is flattened
  * arena         vector_get_arena                                 lent                  vector
  * bytes         arena_allocate                                   lent                  vector
  * value         vector_get_value, expression_constant_get_value  value_destroy         ResultVector.value, PushDown
  * value         value_create_bool and the like                   value_destroy         BoundValues.use
  * text          value_get_varchar                                lent                  value
  * expression    .._filter_pushdown_get_filter                    lent                  the callback
  * expression    expression_get_child                             lent                  the callback
  * function name expression_function_get_name                     lent                  the callback
  * error info    any call that fails, in its error slot           error_info_destroy    OutParams.check
  * error text    error_info_get_text                              lent                  error info
  * error info    the last argument of a callback                  lent                  the callback
  * callback info the first arguments of a callback                lent                  the callback
  * our objects   .._set_user_data, .._set_bind_data, .._state     Callbacks.forgotten   DuckDB, from success on
  * ```
  *
  * Logical types without parameters share one handle for each kind. DuckDB does not detect a double
  * free of such a handle, but it is a defect all the same.
  *
  * Inputs are lent for the duration of the call: DuckDB copies names, types, strings and the
  * registered function. `HandleCounter` of the tests has this table as data and checks each call by
  * it.
  */
private[duckdb] object DuckDbApi:
  private val linker = Linker.nativeLinker.nn

  /** Discards the result of a call that cannot fail. Without a use of the result, the compiler
    * would infer another type for the call.
    */
  def done(@unused code: Int): Unit = ()

  /** A downcall. `arguments` has `P` for a pointer, a size or a bigint, `I` for an int, `D` for a
    * double, `B` for a bool.
    */
  private def call(name: String, arguments: String, isShort: Boolean = false): MethodHandle =
    val layouts: Seq[MemoryLayout] = arguments.map:
      case 'P' => ValueLayout.JAVA_LONG
      case 'I' => ValueLayout.JAVA_INT
      case 'D' => ValueLayout.JAVA_DOUBLE
      case _   => ValueLayout.JAVA_BOOLEAN
    val descriptor = FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts*)
    val lookup = DuckDbLibrary.symbols.fold(reason => throw DuckDbException(reason, 0), identity)
    // Short functions are called without a thread state transition, hence without safepoints.
    val options = if isShort then Seq(Linker.Option.critical(false)) else Seq()
    val handle =
      linker.downcallHandle(lookup.findOrThrow(s"duckdb_v2_$name"), descriptor, options*).nn
    Downcalls.wrap(name, handle)

  val environmentCreate: MethodHandle = call("environment_create", "PP")
  val environmentDestroy: MethodHandle = call("environment_destroy", "P")
  val instanceCreate: MethodHandle = call("instance_create", "PPP")
  val instanceAttach: MethodHandle = call("instance_attach", "PPPPBP")
  val instanceDestroy: MethodHandle = call("instance_destroy", "P")
  val connectionCreate: MethodHandle = call("connection_create", "PPP")
  val connectionDestroy: MethodHandle = call("connection_destroy", "P")
  val connectionGetFactory: MethodHandle = call("connection_get_factory", "PPP")
  val connectionRegisterTableFunction: MethodHandle =
    call("connection_register_table_function", "PPP")
  val connectionInterrupt: MethodHandle = call("connection_interrupt", "PP")
  val errorInfoGetText: MethodHandle = call("error_info_get_text", "PP")
  val errorInfoSetCode: MethodHandle = call("error_info_set_code", "PI")
  val errorInfoSetText: MethodHandle = call("error_info_set_text", "PP")
  val errorInfoDestroy: MethodHandle = call("error_info_destroy", "P")
  val factoryCreateTypeFromText: MethodHandle = call("factory_create_type_from_text", "PPPP")
  val logicalTypeGetId: MethodHandle = call("logical_type_get_id", "PPP")
  val logicalTypeGetParamCount: MethodHandle = call("logical_type_get_param_count", "PPP")
  val logicalTypeGetParam: MethodHandle = call("logical_type_get_param", "PPPPP")
  val logicalTypeDestroy: MethodHandle = call("logical_type_destroy", "P")
  val tableFunctionCreate: MethodHandle = call("table_function_create", "PPP")
  val tableFunctionDestroy: MethodHandle = call("table_function_destroy", "P")
  val tableFunctionSetName: MethodHandle = call("table_function_set_name", "PPP")
  val tableFunctionSetUserData: MethodHandle = call("table_function_set_user_data", "PPP")
  val tableFunctionSetBindCallback: MethodHandle = call("table_function_set_bind_callback", "PPP")
  val tableFunctionSetInitGlobalCallback: MethodHandle =
    call("table_function_set_init_global_callback", "PPP")
  val tableFunctionSetInitLocalCallback: MethodHandle =
    call("table_function_set_init_local_callback", "PPP")
  val tableFunctionSetExecCallback: MethodHandle = call("table_function_set_exec_callback", "PPP")
  val tableFunctionSetFilterPushdownCallback: MethodHandle =
    call("table_function_set_filter_pushdown_callback", "PPP")
  val tableFunctionSetPartitionDataCallback: MethodHandle =
    call("table_function_set_partition_data_callback", "PPP")
  val tableFunctionSetProjectionPushdown: MethodHandle =
    call("table_function_set_projection_pushdown", "PBP")
  val functionBindGetUserData: MethodHandle = call("function_bind_get_user_data", "PPP")
  val functionBindSetBindData: MethodHandle = call("function_bind_set_bind_data", "PPP")
  val tableFunctionBindAddResultColumn: MethodHandle =
    call("table_function_bind_add_result_column", "PPPP")
  val tableFunctionBindSetCardinality: MethodHandle =
    call("table_function_bind_set_cardinality", "PPBP")
  val tableFunctionInitGlobalGetBindData: MethodHandle =
    call("table_function_init_global_get_bind_data", "PPP")
  val tableFunctionInitGlobalGetColumnCount: MethodHandle =
    call("table_function_init_global_get_column_count", "PPP")
  val tableFunctionInitGlobalGetColumnIndex: MethodHandle =
    call("table_function_init_global_get_column_index", "PPPP")
  val tableFunctionInitGlobalSetGlobalState: MethodHandle =
    call("table_function_init_global_set_global_state", "PPP")
  val tableFunctionInitGlobalSetMaxThreads: MethodHandle =
    call("table_function_init_global_set_max_threads", "PPP")
  val tableFunctionInitLocalGetGlobalState: MethodHandle =
    call("table_function_init_local_get_global_state", "PPP")
  val tableFunctionInitLocalSetLocalState: MethodHandle =
    call("table_function_init_local_set_local_state", "PPP")
  val tableFunctionExecGetLocalState: MethodHandle =
    call("table_function_exec_get_local_state", "PPP", true)
  val tableFunctionExecGetOutputChunk: MethodHandle =
    call("table_function_exec_get_output_chunk", "PPP", true)
  val tableFunctionPartitionDataGetLocalState: MethodHandle =
    call("table_function_partition_data_get_local_state", "PPP")
  val tableFunctionPartitionDataSetBatchIndex: MethodHandle =
    call("table_function_partition_data_set_batch_index", "PPP")
  val tableFunctionFilterPushdownGetBindData: MethodHandle =
    call("table_function_filter_pushdown_get_bind_data", "PPP")
  val tableFunctionFilterPushdownGetFilterCount: MethodHandle =
    call("table_function_filter_pushdown_get_filter_count", "PPP")
  val tableFunctionFilterPushdownGetFilter: MethodHandle =
    call("table_function_filter_pushdown_get_filter", "PPPP")
  val tableFunctionFilterPushdownAccept: MethodHandle =
    call("table_function_filter_pushdown_accept", "PPP")
  val tableFunctionFilterPushdownGetColumnIndex: MethodHandle =
    call("table_function_filter_pushdown_get_column_index", "PPPP")
  val expressionGetType: MethodHandle = call("expression_get_type", "PPP")
  val expressionGetChildCount: MethodHandle = call("expression_get_child_count", "PPP")
  val expressionGetChild: MethodHandle = call("expression_get_child", "PPPP")
  val expressionConstantGetValue: MethodHandle = call("expression_constant_get_value", "PPP")
  val expressionFunctionGetName: MethodHandle = call("expression_function_get_name", "PPP")
  val expressionColumnRefGetIndex: MethodHandle = call("expression_column_ref_get_index", "PPP")
  val valueCreateBool: MethodHandle = call("value_create_bool", "PBPP")
  val valueCreateInt: MethodHandle = call("value_create_int", "PIPP")
  val valueCreateBigint: MethodHandle = call("value_create_bigint", "PPPP")
  val valueCreateDouble: MethodHandle = call("value_create_double", "PDPP")
  val valueCreateVarchar: MethodHandle = call("value_create_varchar", "PPPP")
  val valueGetLogicalType: MethodHandle = call("value_get_logical_type", "PPP")
  val valueGetType: MethodHandle = call("value_get_type", "PPP")
  val valueIsNull: MethodHandle = call("value_is_null", "PPP")
  val valueDestroy: MethodHandle = call("value_destroy", "P")
  val valueToString: MethodHandle = call("value_to_string", "PPPPP")
  val valueGetBool: MethodHandle = call("value_get_bool", "PPP")
  val valueGetTinyint: MethodHandle = call("value_get_tinyint", "PPP")
  val valueGetSmallint: MethodHandle = call("value_get_smallint", "PPP")
  val valueGetInt: MethodHandle = call("value_get_int", "PPP")
  val valueGetBigint: MethodHandle = call("value_get_bigint", "PPP")
  val valueGetUtinyint: MethodHandle = call("value_get_utinyint", "PPP")
  val valueGetUsmallint: MethodHandle = call("value_get_usmallint", "PPP")
  val valueGetUint: MethodHandle = call("value_get_uint", "PPP")
  val valueGetFloat: MethodHandle = call("value_get_float", "PPP")
  val valueGetDouble: MethodHandle = call("value_get_double", "PPP")
  val valueGetVarchar: MethodHandle = call("value_get_varchar", "PPP")
  val parseSql: MethodHandle = call("parse_sql", "PPPP")
  val statementIteratorNext: MethodHandle = call("statement_iterator_next", "PPP")
  val statementIteratorDestroy: MethodHandle = call("statement_iterator_destroy", "P")
  val sqlStatementDestroy: MethodHandle = call("sql_statement_destroy", "P")
  val sqlStatementGetType: MethodHandle = call("sql_statement_get_type", "PPP")
  val sqlStatementGetParameterCount: MethodHandle =
    call("sql_statement_get_parameter_count", "PPP")
  val statementExecute: MethodHandle = call("statement_execute", "PPPPPPP")
  val resultFetchChunk: MethodHandle = call("result_fetch_chunk", "PPP")
  val resultGetSchema: MethodHandle = call("result_get_schema", "PPP")
  val resultDestroy: MethodHandle = call("result_destroy", "P")
  val schemaGetCount: MethodHandle = call("schema_get_count", "PPP")
  val schemaGetField: MethodHandle = call("schema_get_field", "PPPPP")
  val schemaDestroy: MethodHandle = call("schema_destroy", "P")
  val dataChunkGetSize: MethodHandle = call("data_chunk_get_size", "PPP")
  val dataChunkGetVector: MethodHandle = call("data_chunk_get_vector", "PPPP", true)
  val dataChunkDestroy: MethodHandle = call("data_chunk_destroy", "P")
  val vectorGetDataMutable: MethodHandle = call("vector_get_data_mutable", "PPP", true)
  val vectorFlatten: MethodHandle = call("vector_flatten", "PP")
  val vectorGetView: MethodHandle = call("vector_get_view", "PPP", true)
  val vectorSetSize: MethodHandle = call("vector_set_size", "PPP")
  val vectorFlatGetValidityMutable: MethodHandle = call("vector_flat_get_validity_mutable", "PPP")
  val vectorGetChild: MethodHandle = call("vector_get_child", "PPPP", true)
  val vectorGetArena: MethodHandle = call("vector_get_arena", "PPP", true)
  val vectorGetValue: MethodHandle = call("vector_get_value", "PPPP")
  val arenaAllocate: MethodHandle = call("arena_allocate", "PPPP")
end DuckDbApi
