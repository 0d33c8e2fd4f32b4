package undercroft.duckdb

import internal.api.Addresses
import java.lang.foreign.ValueLayout
import java.lang.invoke.{MethodHandle, MethodHandles, MethodType}
import scala.collection.mutable

/** Checks each downcall against the table of owners in [[DuckDbApi]]: a handle is created, used
  * while it is live and destroyed once by its owner; a lent handle is never destroyed, and not used
  * after its lender was destroyed. A violation is recorded, and the call is not made.
  */
private[duckdb] object HandleCounter:
  /** An argument of a function. */
  private enum Argument derives CanEqual:
    /** A plain value, or an address known only to the callback. */
    case Plain

    /** A handle that must be live. */
    case Uses(kind: String)

    /** The address that receives a new handle; 0 if there is none. */
    case Creates(kind: String)

    /** The address that receives a handle lent by the first argument. */
    case Lends(kind: String)

    /** The address of a handle that is destroyed. */
    case Destroys(kind: String)

    /** The address of the error slot. */
    case Error
  end Argument

  import Argument.*

  /** `kind` uses, `+kind` creates, `~kind` lends, `-kind` destroys, `e` the error slot, `.` plain.
    */
  private val table: Map[String, Vector[Argument]] =
    """environment_create +environment e
      |environment_destroy -environment
      |instance_create environment +instance e
      |instance_attach instance . . . . e
      |instance_destroy -instance
      |connection_create instance +connection e
      |connection_destroy -connection
      |connection_get_factory connection ~factory e
      |connection_register_table_function connection function e
      |connection_interrupt connection e
      |error_info_get_text error .
      |error_info_set_code . .
      |error_info_set_text . .
      |error_info_destroy -error
      |factory_create_type_from_text factory . +type e
      |logical_type_get_id type . e
      |logical_type_get_param_count type . e
      |logical_type_get_param type . . +value e
      |logical_type_destroy -type
      |table_function_create factory +function e
      |table_function_destroy -function
      |table_function_set_name function . e
      |table_function_set_user_data function . e
      |table_function_set_bind_callback function . e
      |table_function_set_init_global_callback function . e
      |table_function_set_init_local_callback function . e
      |table_function_set_exec_callback function . e
      |table_function_set_filter_pushdown_callback function . e
      |table_function_set_partition_data_callback function . e
      |table_function_set_projection_pushdown function . e
      |function_bind_get_user_data . . e
      |function_bind_set_bind_data . . e
      |table_function_bind_add_result_column . . type e
      |table_function_bind_set_cardinality . . . e
      |table_function_init_global_get_bind_data . . e
      |table_function_init_global_get_column_count . . e
      |table_function_init_global_get_column_index . . . e
      |table_function_init_global_set_global_state . . e
      |table_function_init_global_set_max_threads . . e
      |table_function_init_local_get_global_state . . e
      |table_function_init_local_set_local_state . . e
      |table_function_exec_get_local_state . . e
      |table_function_exec_get_output_chunk . . e
      |table_function_partition_data_get_local_state . . e
      |table_function_partition_data_set_batch_index . . e
      |table_function_filter_pushdown_get_bind_data . . e
      |table_function_filter_pushdown_get_filter_count . . e
      |table_function_filter_pushdown_get_filter . . . e
      |table_function_filter_pushdown_accept . . e
      |table_function_filter_pushdown_get_column_index . . . e
      |expression_get_type . . e
      |expression_get_child_count . . e
      |expression_get_child . . . e
      |expression_constant_get_value . +value e
      |expression_function_get_name . . e
      |expression_column_ref_get_index . . e
      |value_create_bool factory . +value e
      |value_create_int factory . +value e
      |value_create_bigint factory . +value e
      |value_create_double factory . +value e
      |value_create_varchar factory . +value e
      |value_get_logical_type value +type e
      |value_get_type value +type e
      |value_is_null value . e
      |value_destroy -value
      |value_to_string value . . . e
      |value_get_bool value . e
      |value_get_tinyint value . e
      |value_get_smallint value . e
      |value_get_int value . e
      |value_get_bigint value . e
      |value_get_utinyint value . e
      |value_get_usmallint value . e
      |value_get_uint value . e
      |value_get_float value . e
      |value_get_double value . e
      |value_get_varchar value . e
      |parse_sql connection . +statements e
      |statement_iterator_next statements +statement e
      |statement_iterator_destroy -statements
      |sql_statement_destroy -statement
      |sql_statement_get_type statement . e
      |sql_statement_get_parameter_count statement . e
      |statement_execute connection statement . . . +result e
      |result_fetch_chunk result +chunk e
      |result_get_schema result +schema e
      |result_destroy -result
      |schema_get_count schema . e
      |schema_get_field schema . . ~type e
      |schema_destroy -schema
      |data_chunk_get_size chunk . e
      |data_chunk_get_vector . . . e
      |data_chunk_destroy -chunk
      |vector_get_data_mutable . . e
      |vector_flatten . e
      |vector_get_view . . e
      |vector_set_size . . e
      |vector_flat_get_validity_mutable . . e
      |vector_get_child . . . e
      |vector_get_arena . . e
      |vector_get_value . . +value e
      |arena_allocate . . . e""".stripMargin.linesIterator
      .map(_.split(" ").toVector)
      .map: words =>
        words.head -> words.tail.map:
          case "."                          => Plain
          case "e"                          => Error
          case kind if kind.startsWith("+") => Creates(kind.drop(1))
          case kind if kind.startsWith("~") => Lends(kind.drop(1))
          case kind if kind.startsWith("-") => Destroys(kind.drop(1))
          case kind                         => Uses(kind)
      .toMap

  /** Owned handles: kind and number of creations. DuckDB has one handle for all logical types of a
    * kind without parameters; every other handle is created once.
    */
  private val owned = mutable.HashMap[Long, (String, Int)]()

  /** Lent handles by address: kind and lender. */
  private val loans = mutable.HashMap[Long, (String, Long)]()
  private val violations = mutable.ArrayBuffer[String]()
  private var creations = 0L

  /** Handles that were created and not destroyed, by kind. */
  def live: Map[String, Int] =
    synchronized(owned.values.groupMapReduce(_._1)(_._2)(_ + _))

  def faults: Vector[String] = synchronized(violations.toVector)
  def created: Long = synchronized(creations)

  def wrap(name: String, handle: MethodHandle): MethodHandle =
    val arguments = table.getOrElse(name, throw AssertionError(s"no owner is known for $name"))
    val tpe = handle.`type`.nn
    if tpe.parameterCount != arguments.size then
      throw AssertionError(
        s"$name has ${tpe.parameterCount} arguments, the table ${arguments.size}"
      )
    val call =
      Call(name, handle.asSpreader(classOf[Array[Object]], tpe.parameterCount).nn, arguments)
    MethodHandles.lookup.nn
      .findVirtual(
        classOf[Call],
        "run",
        MethodType.methodType(classOf[Int], classOf[Array[Object]])
      )
      .nn
      .bindTo(call)
      .nn
      .asCollector(classOf[Array[Object]], tpe.parameterCount)
      .nn
      .asType(tpe)
      .nn
  end wrap

  private def word(address: Long): Long = Addresses.memory.get(ValueLayout.JAVA_LONG, address)

  final class Call private[HandleCounter] (
      name: String,
      handle: MethodHandle,
      arguments: Vector[Argument]
  ):
    def run(values: Array[Object]): Int =
      val longs = values.map:
        case number: java.lang.Long => number.longValue
        case _                      => 0L
      val errorBefore = arguments.indexOf(Error) match
        case -1 => 0L
        case at => word(longs(at))
      if !HandleCounter.synchronized(before(longs)) then 0
      else
        val code = handle.invoke(values).asInstanceOf[Int]
        HandleCounter.synchronized(after(longs, code, errorBefore))
        code

    /** Checks a call; returns whether to make it. */
    private def before(values: Array[Long]): Boolean =
      val faultsBefore = violations.size
      for (argument, value) <- arguments.zip(values) do
        argument match
          case Uses(kind) =>
            if !owned.get(value).exists(_._1 == kind) && !loans.get(value).map(_._1).contains(kind)
            then
              violations += s"$name uses a $kind that does not live"
          case Destroys(kind) =>
            val target = word(value)
            if owned.get(target).exists(_._1 == kind) then
              if owned(target)._2 > 1 then owned(target) = (kind, owned(target)._2 - 1)
              else owned -= target
              loans.filterInPlace((_, lender) => lender._2 != target)
            else if loans.contains(target) then violations += s"$name destroys a lent $kind"
            else violations += s"$name destroys a $kind that does not live"
          case _ => ()
      violations.size == faultsBefore

    private def after(values: Array[Long], code: Int, errorBefore: Long): Unit =
      for (argument, value) <- arguments.zip(values) do
        argument match
          case Creates(kind) if code == 0 && word(value) != 0 => add(word(value), kind)
          case Lends(kind) if code == 0    => loans(word(value)) = (kind, values(0))
          case Destroys(kind) if code != 0 => violations += s"$name of a $kind failed with $code"
          case Error if code != 0 && word(value) != 0 && errorBefore == 0 =>
            add(word(value), "error")
          case _ => ()

    private def add(address: Long, kind: String): Unit =
      loans -= address
      creations += 1
      owned.get(address) match
        case Some(("type", count)) if kind == "type" => owned(address) = (kind, count + 1)
        case earlier =>
          owned(address) = (kind, 1)
          earlier.foreach: (earlierKind, _) =>
            violations += s"$name created a $kind at the address of a living $earlierKind"
  end Call
end HandleCounter
