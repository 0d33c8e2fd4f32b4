package undercroft.duckdb
package internal.scan

import internal.api.{Addresses, CString, DuckDbApi, OutParams}
import java.lang.foreign.{Arena, FunctionDescriptor, Linker, ValueLayout}
import java.lang.invoke.{MethodHandles, MethodType}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import scala.annotation.unused
import undercroft.memory.internal.platform.LoaderLifetime

/** Registry of objects passed to DuckDB as opaque handles, which DuckDB never dereferences. */
private[duckdb] object HandleRegistry:
  private val objects = ConcurrentHashMap[Long, AnyRef]()
  private val numbers = AtomicLong(1)

  def keep(value: AnyRef): Long =
    val number = numbers.getAndIncrement
    val _ = objects.put(number, value)
    number

  def get(number: Long): AnyRef | Null = objects.get(number)

  def forget(number: Long): Unit =
    val _ = objects.remove(number)

  /** The number of registered objects. */
  def count: Int = objects.size
end HandleRegistry

/** The callbacks of a table function. DuckDB calls them on any of its threads. An exception that
  * left a callback would end the JVM, so each one becomes an error of the query.
  */
private[duckdb] object Callbacks:

  val bind: Long = stub("bound", 4)
  val pushDown: Long = stub("pushedDown", 3)
  val start: Long = stub("started", 3)
  val startThread: Long = stub("startedThread", 3)
  val fill: Long = stub("filled", 3)
  val order: Long = stub("ordered", 3)
  private val forget = stub("forgotten", 1)

  def bound(info: Long, result: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val source = kept[TableSource](
        slots.answer(
          DuckDbApi.functionBindGetUserData.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      source.failures.watch:
        val bound = source.bound()
        source.addColumns(result, slots)
        slots.check(
          DuckDbApi.tableFunctionBindSetCardinality
            .invokeExact(result, bound.snapshot.rows, false, slots.error)
            .asInstanceOf[Int]
        )
        keeping(bound, slots): data =>
          DuckDbApi.functionBindSetBindData.invokeExact(info, data, slots.error).asInstanceOf[Int]

  def pushedDown(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val bound = kept[BindData](
        slots.answer(
          DuckDbApi.tableFunctionFilterPushdownGetBindData.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      bound.watch(PushDown(info, bound, slots).run())

  def started(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val bound = kept[BindData](
        slots.answer(
          DuckDbApi.tableFunctionInitGlobalGetBindData.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      val count = slots.answer(
        DuckDbApi.tableFunctionInitGlobalGetColumnCount.invokeExact(info, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val columns = Array.tabulate(count.toInt): i =>
        slots.answer(
          DuckDbApi.tableFunctionInitGlobalGetColumnIndex
            .invokeExact(info, i.toLong, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      val scan = bound.watch(Scan(bound.started(), columns))
      slots.check(
        DuckDbApi.tableFunctionInitGlobalSetMaxThreads
          .invokeExact(info, scan.threads.toLong, slots.error)
          .asInstanceOf[Int]
      )
      keeping(scan, slots): data =>
        DuckDbApi.tableFunctionInitGlobalSetGlobalState.invokeExact(info, data, slots.error)
          .asInstanceOf[Int]

  def startedThread(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val scan = kept[Scan](
        slots.answer(
          DuckDbApi.tableFunctionInitLocalGetGlobalState.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      keeping(scan.bound.watch(LocalScanState(scan)), slots): data =>
        DuckDbApi.tableFunctionInitLocalSetLocalState.invokeExact(info, data, slots.error)
          .asInstanceOf[Int]

  def filled(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val worker = kept[LocalScanState](
        slots.answer(
          DuckDbApi.tableFunctionExecGetLocalState.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      worker.watch(worker.fill(info))

  /** Reports the index of the scanned part, by which DuckDB restores the order of the rows. */
  def ordered(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val worker = kept[LocalScanState](
        slots.answer(
          DuckDbApi.tableFunctionPartitionDataGetLocalState
            .invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      slots.check(
        DuckDbApi.tableFunctionPartitionDataSetBatchIndex
          .invokeExact(info, worker.part, slots.error)
          .asInstanceOf[Int]
      )

  def forgotten(number: Long): Unit =
    try HandleRegistry.forget(number)
    catch case _: Throwable => () // on an exhausted heap the registry entry is leaked

  /** Passes an object to DuckDB by a call that takes the address of `duckdb_v2_opaque`. If the call
    * succeeds, DuckDB owns the object and calls `forgotten` when it drops it; otherwise the object
    * is removed from the registry here.
    */
  def keeping(value: AnyRef, slots: OutParams)(call: Long => Int): Unit =
    val number = HandleRegistry.keep(value)
    try
      slots.set(0, number)
      slots.set(1, forget)
      slots.set(2, 0) // no comparison function
      slots.check(call(slots.out))
    catch
      case failure: Throwable =>
        HandleRegistry.forget(number)
        throw failure

  private def kept[A](number: Long)(using tag: reflect.ClassTag[A]): A =
    HandleRegistry.get(number) match
      case value: A => value
      case other =>
        throw IllegalStateException(s"handle $number must be a ${tag.runtimeClass}, but is $other")

  /** Turns every exception of the body into an error of the query. Inlined, so that nothing is
    * allocated before the `try`: an exception that left a callback would end the JVM.
    */
  private inline def guarded(error: Long)(inline body: OutParams => Unit): Unit =
    try OutParams.use((slots, _) => body(slots))
    catch case failure: Throwable => report(failure, error)

  private def report(failure: Throwable, error: Long): Unit =
    try
      // The error code alone makes the query fail, and setting it does not allocate: even on an
      // exhausted heap the query does not end as if this callback had succeeded.
      val handle = Addresses.memory.get(ValueLayout.JAVA_LONG, error)
      val isInterrupt = failure.isInstanceOf[ScanInterrupted]
      val code = if isInterrupt then Interrupt else InvalidInput
      DuckDbApi.done(DuckDbApi.errorInfoSetCode.invokeExact(handle, code).asInstanceOf[Int])
      OutParams.use: (_, arena) =>
        val text = if isInterrupt then failure.getMessage.nn else failure.toString
        val words = CString.make(text)(using arena)
        DuckDbApi.done(DuckDbApi.errorInfoSetText.invokeExact(handle, words).asInstanceOf[Int])
    catch case _: Throwable => () // the error has its code but no message

  private val InvalidInput = 2001

  /** The code of DuckDB's own error of an interrupted query. */
  inline val Interrupt = 8003

  /** An upcall stub: a C function that calls a method of this object, and does not keep it alive.
    */
  private def stub(name: String, arguments: Int): Long =
    val types = Array.fill[Class[?]](arguments)(classOf[Long])
    val method = MethodHandles.lookup.nn
      .findVirtual(getClass, name, MethodType.methodType(classOf[Unit], types))
      .nn
      .bindTo(this)
      .nn
    val layouts = Array.fill[ValueLayout](arguments)(ValueLayout.JAVA_LONG)
    val descriptor = FunctionDescriptor.ofVoid(layouts*)
    Linker.nativeLinker
      .upcallStub(LoaderLifetime.weak(method), descriptor, Arena.global)
      .nn
      .address
end Callbacks
