package undercroft.duckdb

import java.lang.foreign.{Arena, FunctionDescriptor, Linker, ValueLayout}
import java.lang.invoke.{MethodHandles, MethodType}
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import scala.annotation.unused

/** Objects that DuckDB keeps for us, as numbers that it takes for addresses and never follows. */
private[duckdb] object Kept:
  private val objects = ConcurrentHashMap[Long, AnyRef]()
  private val numbers = AtomicLong(1)

  def keep(one: AnyRef): Long =
    val number = numbers.getAndIncrement
    val _ = objects.put(number, one)
    number

  def get(number: Long): AnyRef | Null = objects.get(number)

  def forget(number: Long): Unit =
    val _ = objects.remove(number)

  /** How many there are. */
  def count: Int = objects.size
end Kept

/** What DuckDB calls of a table function, on any of its threads. An exception that got out would
  * end the JVM, so each becomes an error of the query.
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
      val source = kept[Source](
        slots.answer(
          Native.functionBindGetUserData.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      source.failures.watch:
        val bound = source.bound()
        source.addColumns(result, slots)
        slots.check(
          Native.tableFunctionBindSetCardinality
            .invokeExact(result, bound.lanes.rows, false, slots.error)
            .asInstanceOf[Int]
        )
        slots.check(
          Native.functionBindSetBindData.invokeExact(info, owned(bound, slots), slots.error)
            .asInstanceOf[Int]
        )

  def pushedDown(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val bound = kept[Bound](
        slots.answer(
          Native.tableFunctionFilterPushdownGetBindData.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      bound.watch(PushDown(info, bound, slots).run())

  def started(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val bound = kept[Bound](
        slots.answer(
          Native.tableFunctionInitGlobalGetBindData.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      val count = slots.answer(
        Native.tableFunctionInitGlobalGetColumnCount.invokeExact(info, slots.out, slots.error)
          .asInstanceOf[Int]
      )
      val columns = Array.tabulate(count.toInt): i =>
        slots.answer(
          Native.tableFunctionInitGlobalGetColumnIndex
            .invokeExact(info, i.toLong, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      val scan = bound.watch(Scan(bound, columns))
      slots.check(
        Native.tableFunctionInitGlobalSetMaxThreads
          .invokeExact(info, scan.threads.toLong, slots.error)
          .asInstanceOf[Int]
      )
      slots.check(
        Native.tableFunctionInitGlobalSetGlobalState
          .invokeExact(info, owned(scan, slots), slots.error)
          .asInstanceOf[Int]
      )

  def startedThread(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val scan = kept[Scan](
        slots.answer(
          Native.tableFunctionInitLocalGetGlobalState.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      slots.check(
        Native.tableFunctionInitLocalSetLocalState
          .invokeExact(info, owned(scan.bound.watch(Worker(scan)), slots), slots.error)
          .asInstanceOf[Int]
      )

  def filled(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val worker = kept[Worker](
        slots.answer(
          Native.tableFunctionExecGetLocalState.invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      worker.bound.watch(worker.fill(info))

  /** Says which part rows were of, so that they can be put in their order. */
  def ordered(info: Long, @unused context: Long, error: Long): Unit =
    guarded(error): slots =>
      val worker = kept[Worker](
        slots.answer(
          Native.tableFunctionPartitionDataGetLocalState
            .invokeExact(info, slots.out, slots.error)
            .asInstanceOf[Int]
        )
      )
      slots.check(
        Native.tableFunctionPartitionDataSetBatchIndex
          .invokeExact(info, worker.part, slots.error)
          .asInstanceOf[Int]
      )

  def forgotten(number: Long): Unit = Kept.forget(number)

  /** The description of an object that DuckDB keeps, until it says that it does no longer. */
  def owned(one: AnyRef, slots: Slots): Long =
    slots.set(0, Kept.keep(one))
    slots.set(1, forget)
    slots.set(2, 0)
    slots.out

  private def kept[A](number: Long)(using tag: reflect.ClassTag[A]): A = Kept.get(number) match
    case one: A => one
    case other  => throw IllegalStateException(s"$other where ${tag.runtimeClass} was kept")

  private def guarded(error: Long)(body: Slots => Unit): Unit =
    try Slots.use((slots, _) => body(slots))
    catch
      case failure: Throwable =>
        try
          Slots.use: (_, arena) =>
            val handle = Addresses.memory.get(ValueLayout.JAVA_LONG, error)
            val words = Text.make(String.valueOf(failure.getMessage).nn)(using arena)
            Native.done(Native.errorInfoSetCode.invokeExact(handle, InvalidInput).asInstanceOf[Int])
            Native.done(Native.errorInfoSetText.invokeExact(handle, words).asInstanceOf[Int])
        catch case _: Throwable => () // there is nobody to tell

  private val InvalidInput = 2001

  /** A function of C's that calls a method of ours. */
  private def stub(name: String, arguments: Int): Long =
    val types = Array.fill[Class[?]](arguments)(classOf[Long])
    val method = MethodHandles.lookup.nn
      .findVirtual(getClass, name, MethodType.methodType(classOf[Unit], types))
      .nn
      .bindTo(this)
      .nn
    val layouts = Array.fill[ValueLayout](arguments)(ValueLayout.JAVA_LONG)
    val descriptor = FunctionDescriptor.ofVoid(layouts*)
    Linker.nativeLinker.upcallStub(method, descriptor, Arena.global).nn.address
end Callbacks
