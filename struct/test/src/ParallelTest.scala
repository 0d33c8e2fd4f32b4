package undercroft.struct

import internal.parallel.ParallelRunner
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll
import undercroft.memory.*

class ParallelTest extends undercroft.tools.PropertySuite:

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(12)

  private val size = 300_000

  private def shared[A](body: Region ?=> A): A =
    val region = Region.shared("parallel")
    try body(using region)
    finally if region.isOpen then region.close()

  private def trade(i: Long) =
    Trade(((i * 7919) % size).toInt, i.toInt % 11, i.toInt % 3, i % 3 == 0)

  /** Sizes of no part, one part, and several parts of different sizes. */
  private val sizes = Gen.oneOf(0, 1, 63, 64, 16_384, 16_385, 50_001)

  private inline def agrees[L <: Layout](inline tables: TableFactory[L])(
      inline within: (Region ?=> Unit) => Unit
  ): Prop =
    forAll(sizes, Gen.choose(0, 7)): (size, n) =>
      within:
        val rows = tables.tabulate[Trade](size + 1)(i => trade(i * 31)).slice(1, size + 1)
        val values = rows.toVector
        assertEquals(
          rows.parAggregate(0L)((sum, row) => sum + row.balance)(_ + _),
          values.map(_.balance).sum
        )
        assertEquals(rows.parFilter(_.amount < n).toVector, values.filter(_.amount < n))
        assertEquals(rows.parFilter(_.ticket < 0).size, 0L)
        assertEquals(rows.parSortBy(_.amount).toVector, values.sortBy(_.amount))
        assertEquals(rows.parSortBy(row => -row.balance).toVector, values.sortBy(-_.balance))
        assertEquals(rows.toVector, values)
        rows.parSortInPlaceBy(_.amount)
        assertEquals(rows.map(_.amount).toVector, values.map(_.amount).sorted)
        assertEquals(rows.toVector.sortBy(_.ticket), values.sortBy(_.ticket))
        rows.parSortInPlaceBy(_.ticket)
        assertEquals(rows.toVector, values.sortBy(_.ticket))
      true

  property("parallel operations on shared rows agree with a Vector")(agrees(Rows)(shared(_)))
  property("parallel operations on shared columns agree with a Vector"):
    agrees(Columns)(shared(_))
  property("parallel operations on confined packed rows agree with a Vector"):
    agrees(PackedRows)(body => Region.scoped(body))
  property("parallel operations on confined columns agree with a Vector"):
    agrees(Columns)(body => Region.scoped(body))

  test("parAggregate combines parts in row order, so sums of Doubles are reproducible"):
    shared:
      val rows = Rows.tabulate[Trade](size)(trade(_))
      val expected = rows.filter(_.ticket < 100).map(_.ticket).toVector
      def few = rows.parAggregate(Vector.empty[Int])((all, row) =>
        if row.ticket < 100 then all :+ row.ticket else all
      )(_ ++ _)
      def sum = rows.parAggregate(0.0)((sum, row) => sum + 1.0 / (row.ticket + 1))(_ + _)
      val first = sum
      for _ <- 1 to 5 do
        assertEquals(few, expected)
        assertEquals(sum, first)

  test("parAggregate evaluates the zero value for each part"):
    shared:
      val rows = Rows.tabulate[Trade](size)(trade(_))
      def empty = scala.collection.mutable.ArrayBuffer.empty[Int]
      val tickets = rows.parAggregate(empty)((buffer, row) =>
        if row.ticket < 50 then buffer += row.ticket else buffer
      )((a, b) => a ++= b)
      assertEquals(tickets.toVector, rows.filter(_.ticket < 50).map(_.ticket).toVector)

  test("generic code over any struct and layout uses the parallel operations"):
    def generic[T, L <: Layout](table: Table[T, L])(f: T => Long)(using Region) =
      (
        table.parAggregate(0L)((sum, row) => sum + f(row))(_ + _),
        table.parFilter(row => f(row) > 5).size,
        table.parSortBy(f)(0)
      )
    Region.scoped:
      val rows = Columns.tabulate[Trade](50_000)(trade(_))
      val (sum, count, smallest) = generic(rows)(_.amount.toLong)
      assertEquals(sum, rows.sumOf(_.amount))
      assertEquals(count, rows.count(_.amount > 5))
      assertEquals(smallest, rows(0))

  test("parallel operations that are nested deeper than there are threads end without deadlock"):
    def depth(n: Int): Long =
      Region.scoped:
        val rows = Rows.tabulate[Trade](40_000)(i => Trade(i.toInt, 1, 1, true))
        rows.parAggregate(0L)((sum, row) =>
          sum + (if n > 0 && row.ticket % 20_000 == 0 then depth(n - 1) else 1L)
        )(_ + _)
    // At each level two rows recurse, and the others count.
    def expected(n: Int): Long = if n == 0 then 40_000L else 39_998L + 2 * expected(n - 1)
    assertEquals(depth(6), expected(6))

  test(
    "an exception of a function is rethrown to the caller unchanged and leaves the table unchanged"
  ):
    for confined <- List(true, false) do
      val calls = AtomicLong()
      def body(using Region): Unit =
        val rows = Rows.tabulate[Trade](1_000_000)(i => Trade(i.toInt, 1, 1, true))
        val cause = IllegalStateException("row 0")
        def broken(row: Trade): Boolean =
          calls.incrementAndGet(): Unit
          if row.ticket == 0 then throw cause else true
        val error = intercept[IllegalStateException](rows.parFilter(broken(_)))
        assert(error eq cause)
        calls.set(0)
        assert(intercept[IllegalStateException](rows.parSortBy(broken(_))) eq cause)
        assertEquals(rows.count(_.amount == 1), 1_000_000L)
      if confined then Region.scoped(body) else shared(body)

  test("a failure skips the parts that have not begun and suppresses the other failures"):
    val starts = AtomicInteger()
    val error = intercept[IllegalStateException]:
      ParallelRunner.run(1000, confined = false): part =>
        starts.incrementAndGet(): Unit
        throw IllegalStateException(s"part $part")
    assert(
      starts.get <= ParallelRunner.width,
      s"${starts.get} parts were begun by ${ParallelRunner.width} threads"
    )
    assertEquals(error.getSuppressed.nn.length, starts.get - 1)

  test("the caller of a confined operation runs no part unless it runs all parts"):
    val caller = Thread.currentThread
    val threads = java.util.concurrent.ConcurrentHashMap.newKeySet[Thread]().nn
    ParallelRunner.run(100, confined = true)(_ => threads.add(Thread.currentThread): Unit)
    assert(!threads.contains(caller) || threads.size == 1)

  test("a thread of parallel operations inherits neither thread locals nor the class loader"):
    val local = InheritableThreadLocal[String]()
    val thread = Thread.currentThread
    val loader = thread.getContextClassLoader
    var (value, isForeign) = (Option("unset"), true)
    local.set("of the caller")
    val foreign = new ClassLoader(loader) {}
    thread.setContextClassLoader(foreign)
    try
      val helper = ParallelRunner.newThread: () =>
        value = Option(local.get)
        isForeign = Thread.currentThread.getContextClassLoader eq foreign
      assert(helper.isDaemon)
      helper.start()
      helper.join()
    finally
      thread.setContextClassLoader(loader)
      local.remove()
    assertEquals((value, isForeign), (None, false))

  test("an interrupt does not end a parallel operation, and the thread stays interrupted"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](size)(trade(_))
      Thread.currentThread.interrupt()
      val sum = rows.parAggregate(0L)((sum, row) => sum + row.ticket)(_ + _)
      assert(Thread.interrupted())
      assertEquals(sum, rows.sumOf(_.ticket))

  test("a parallel function that reads other confined memory throws WrongThreadException"):
    Region.scoped:
      val (rows, neighbours) = (Rows.tabulate[Trade](size)(trade(_)), Rows[Trade](size))
      val error = intercept[WrongThreadException](
        rows.parAggregate(0L)((sum, row) => sum + neighbours(row.ticket).price)(_ + _)
      )
      assertEquals(error.getMessage, "Attempted access outside owning thread")

  test("a parallel operation on a table of another thread throws WrongThreadException"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](10)(trade(_))
      var thrown = Option.empty[Throwable]
      val thread = Thread: () =>
        try
          val _ = rows.parAggregate(0L)((sum, row) => sum + row.price)(_ + _)
        catch case error: Throwable => thrown = Some(error)
      thread.start()
      thread.join()
      assert(thrown.exists(_.isInstanceOf[WrongThreadException]), thrown.toString)

  test("closing the region during a parallel operation throws an exception that names the region"):
    val region = Region.shared("parallel")
    val rows = Rows.tabulate[Trade](size)(trade(_))(using region)
    def closing(sum: Long, row: Trade): Long =
      if row.ticket == 1000 then region.close()
      sum + row.price
    def names(use: => Any): Unit =
      val error = intercept[StaleReferenceException](use)
      assert(error.getMessage.contains("parallel"), error.getMessage)
    names(rows.parAggregate(0L)(closing)(_ + _))
    names(rows.parAggregate(0L)((sum, row) => sum + row.price)(_ + _))
    Region.scoped:
      names(rows.parFilter(_.buy))
      names(rows.parSortBy(_.ticket))
      names(rows.parSortInPlaceBy(_.ticket))

  test("a parallel function cannot close a confined region"):
    Region.scoped:
      val region = Region.current
      val rows = Rows.tabulate[Trade](size)(trade(_))
      val error = intercept[RuntimeException]:
        rows.parAggregate(0L)((sum, row) =>
          if row.ticket == 1000 then region.close()
          sum + row.price
        )(_ + _)
      // On a machine that provides no other thread, the error is the caller's own close.
      assert(!region.isOpen || error.isInstanceOf[RegionThreadException], error.toString)

  test("a parallel sort by a key without an order does not compile"):
    val errors = compileErrors("def f(rows: Rows[Line])(using Region) = rows.parSortBy(_.from)")
    assert(errors.contains("parSortBy needs a function to a primitive"), errors)
    val generic = compileErrors(
      "def f[T, L <: Layout](rows: Table[T, L], key: T => Int) = rows.parSortInPlaceBy(key)"
    )
    assert(generic.contains("parSortInPlaceBy needs a known row type"), generic)
end ParallelTest
