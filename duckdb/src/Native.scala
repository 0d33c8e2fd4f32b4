package undercroft.duckdb

import java.lang.foreign.{FunctionDescriptor, Linker, MemoryLayout, MemorySegment, ValueLayout}
import java.lang.invoke.MethodHandle
import scala.annotation.unused

/** All addresses of the process. Only what DuckDB said is its own is written there. */
private[duckdb] object Addresses:
  val memory: MemorySegment = MemorySegment.NULL.nn.reinterpret(Long.MaxValue).nn

/** Functions of DuckDB's second C interface, version 2.0: pointers and sizes are Longs, and each
  * answers the number of an error, or 0. To be used only where [[Library.found]] something.
  */
private[duckdb] object Native:
  private val linker = Linker.nativeLinker.nn

  /** What a call answers that cannot fail. A result that nobody takes would change the call's type.
    */
  def done(@unused code: Int): Unit = ()

  /** The type of a function: `P` for a pointer or a size, `I` for an int, `B` for a bool. */
  private def call(name: String, arguments: String, isShort: Boolean = false): MethodHandle =
    val layouts: Seq[MemoryLayout] = arguments.map:
      case 'P' => ValueLayout.JAVA_LONG
      case 'I' => ValueLayout.JAVA_INT
      case _   => ValueLayout.JAVA_BOOLEAN
    val descriptor = FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts*)
    val lookup = Library.found.fold(reason => throw DuckDbException(reason, 0), identity)
    // Those that only look something up and return, without a moment for the JVM's safepoints.
    val options = if isShort then Seq(Linker.Option.critical(false)) else Seq()
    linker.downcallHandle(lookup.findOrThrow(s"duckdb_v2_$name"), descriptor, options*).nn

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
  val errorInfoGetCode: MethodHandle = call("error_info_get_code", "PP")
  val errorInfoGetText: MethodHandle = call("error_info_get_text", "PP")
  val errorInfoSetCode: MethodHandle = call("error_info_set_code", "PI")
  val errorInfoSetText: MethodHandle = call("error_info_set_text", "PP")
  val errorInfoDestroy: MethodHandle = call("error_info_destroy", "P")
  val factoryCreateTypeFromText: MethodHandle = call("factory_create_type_from_text", "PPPP")
  val logicalTypeGetId: MethodHandle = call("logical_type_get_id", "PPP")
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
  val expressionGetReturnType: MethodHandle = call("expression_get_return_type", "PPP")
  val expressionGetChildCount: MethodHandle = call("expression_get_child_count", "PPP")
  val expressionGetChild: MethodHandle = call("expression_get_child", "PPPP")
  val expressionConstantGetValue: MethodHandle = call("expression_constant_get_value", "PPP")
  val expressionColumnRefGetIndex: MethodHandle = call("expression_column_ref_get_index", "PPP")
  val valueGetLogicalType: MethodHandle = call("value_get_logical_type", "PPP")
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
  val vectorSetSize: MethodHandle = call("vector_set_size", "PPP")
  val vectorFlatGetValidityMutable: MethodHandle = call("vector_flat_get_validity_mutable", "PPP")
  val vectorGetChild: MethodHandle = call("vector_get_child", "PPPP", true)
  val vectorGetArena: MethodHandle = call("vector_get_arena", "PPP", true)
  val vectorGetValue: MethodHandle = call("vector_get_value", "PPPP")
  val arenaAllocate: MethodHandle = call("arena_allocate", "PPPP")
end Native
