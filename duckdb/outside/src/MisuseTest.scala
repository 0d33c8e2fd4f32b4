package outside.duckdb

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference
import scala.concurrent.duration.*
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

class MisuseTest extends undercroft.tools.Suite:

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  /** A query that ends only when it is interrupted. */
  private val endless = "select sum(a.range * b.range) from range(10000000) a, range(10000000) b"

  private def thread(body: => Unit): Thread =
    val thread = Thread(() => body)
    thread.start()
    thread

  private def end(thread: Thread): Unit =
    thread.join(120_000)
    assert(!thread.isAlive, "the thread has not ended")

  test("a result stays readable after its DuckDb and the table's region were closed"):
    val result = Region.scoped:
      use: duckdb =>
        duckdb.register("cars", Rows.tabulate[Car](5)(Car.of))
        duckdb.query("select color, engine, doors from cars order by id")
    assertEquals(result.columns, Vector("color", "engine", "doors"))
    assertEquals(
      result.rows(4).map(_.show),
      Vector("Green", "{'power': 40, 'electric': true}", "[4, 1, 2]")
    )

  test("DuckDb.close ends a query that runs on another thread"):
    val duckdb = DuckDb()
    val startLatch = CountDownLatch(1)
    val failure = AtomicReference[Throwable]()
    val running = thread:
      startLatch.countDown()
      try
        duckdb.query(endless)
        ()
      catch case error: Throwable => failure.set(error)
    assert(startLatch.await(60, TimeUnit.SECONDS))
    end(thread(duckdb.close()))
    end(running)
    failure.get match
      // The database may have been closed before the query began.
      case _: (DuckDbException | IllegalStateException) => ()
      case other                                        => fail(s"$other")

  test("DuckDb.interrupt ends the running query and does not affect the next one"):
    use: duckdb =>
      duckdb.interrupt()
      assertEquals(duckdb.query("select 1")(0, 0).long, 1L)
      val failure = AtomicReference[Throwable]()
      val running = thread:
        try
          duckdb.query(endless)
          ()
        catch case error: Throwable => failure.set(error)
      val deadline = System.nanoTime + 120_000_000_000L
      while running.isAlive && System.nanoTime < deadline do
        duckdb.interrupt()
        running.join(1)
      assert(failure.get.isInstanceOf[DuckDbException], s"${failure.get}")
      assertEquals(duckdb.query("select 2")(0, 0).long, 2L)

  test("interrupting the thread that waits for a query ends the query"):
    use: duckdb =>
      val failure = AtomicReference[Throwable]()
      var wasInterrupted = false
      val running = thread:
        try
          duckdb.query(endless)
          ()
        catch case error: Throwable => failure.set(error)
        wasInterrupted = Thread.interrupted()
      running.interrupt()
      end(running)
      assert(failure.get.isInstanceOf[DuckDbException], s"${failure.get}")
      assert(wasInterrupted)
      assertEquals(duckdb.query("select 3")(0, 0).long, 3L)

  test("a query that waits for an earlier one ends at its time limit, and by an interrupt"):
    use: duckdb =>
      val running = thread:
        try
          duckdb.query(endless)
          ()
        catch case _: DuckDbException => ()
      try
        // Until it waits for DuckDB, with the lock.
        val deadline = System.nanoTime + 60_000_000_000L
        while running.getState != Thread.State.TIMED_WAITING && System.nanoTime < deadline do
          running.join(1)
        def failed(timeLimit: Duration, isInterrupted: Boolean): (Throwable, Boolean) =
          val failure = AtomicReference[Throwable]()
          @volatile var wasInterrupted = false
          val waiting = thread:
            try
              duckdb.query("select 1", timeLimit = timeLimit)
              ()
            catch case error: Throwable => failure.set(error)
            wasInterrupted = Thread.interrupted()
          if isInterrupted then waiting.interrupt()
          waiting.join(60_000)
          assert(!waiting.isAlive, "the query still waits")
          (failure.get, wasInterrupted)
        val (late, _) = failed(20.millis, false)
        assert(late.isInstanceOf[DuckDbException], s"$late")
        assertEquals(
          late.getMessage,
          "the query has not begun, because an earlier call did not end within the time limit of " +
            "20 milliseconds"
        )
        val (interrupted, wasInterrupted) = failed(Duration.Inf, true)
        assert(interrupted.isInstanceOf[DuckDbException], s"$interrupted")
        assertEquals(
          interrupted.getMessage,
          "the query has not begun, because its thread was interrupted while it waited for an " +
            "earlier call"
        )
        assert(wasInterrupted)
        assert(running.isAlive, "the earlier query has ended")
      finally
        running.interrupt()
        end(running)
      end try
      assertEquals(duckdb.query("select 1")(0, 0).long, 1L)

  test("a DuckDbException has the stack trace of the caller"):
    use: duckdb =>
      val error = intercept[DuckDbException](duckdb.query("selekt 1"))
      assert(error.getStackTrace.exists(_.getClassName.contains("MisuseTest")), error)

  test("queries of four threads on one DuckDb return correct results"):
    val region = Region.shared("cars")
    use: duckdb =>
      locally:
        given Region = region
        duckdb.register("cars", Columns.tabulate[Car](5000)(Car.of))
      val wrong = AtomicReference[Any]()
      val threads =
        for k <- 1 to 4 yield thread:
          for _ <- 1 to 25 do
            try
              val result =
                duckdb.query(s"select count(*), any_value(color) from cars where id < ${k * 100}")
              if result(0, 0).long != k * 100 then wrong.set(result)
            catch case error: Throwable => wrong.set(error)
      threads.foreach(end)
      assertEquals(wrong.get, null)
    region.close()

  test("SQL that contains U+0000 throws IllegalArgumentException and is not truncated"):
    use: duckdb =>
      val error = intercept[IllegalArgumentException](duckdb.query("select 1\u0000, 2"))
      assertEquals(error.getMessage, "SQL must not contain U+0000: it does at index 8")
      val named = intercept[IllegalArgumentException]:
        Region.scoped(duckdb.register("ca\u0000rs", Rows.tabulate[Car](1)(Car.of)))
      assert(named.getMessage.contains("U+0000"), named.getMessage)

  test("a prepared statement reads the rows that exist when it is executed"):
    Region.scoped:
      val cars = Rows.growing[Car]
      use: duckdb =>
        for i <- 0 until 3 do cars += Car.of(i)
        duckdb.register("cars", cars)
        duckdb.query("prepare counted as select count(*), max(id) from cars where id >= $1")
        def counted = duckdb.query("execute counted(0)").rows.head.map(_.long)
        assertEquals(counted, Vector(3L, 2L))
        for i <- 3 until 100_000 do cars += Car.of(i)
        assertEquals(counted, Vector(100_000L, 99_999L))

  test("executing a prepared statement over a closed region throws MemoryException"):
    use: duckdb =>
      val region = Region.shared("parked")
      locally:
        given Region = region
        duckdb.register("cars", Rows.tabulate[Car](1000)(Car.of))
      duckdb.query("prepare counted as select sum(id) from cars")
      duckdb.query("execute counted")
      region.close()
      val error = intercept[MemoryException](duckdb.query("execute counted"))
      assert(error.getMessage.contains("parked"), error.getMessage)
      assertEquals(duckdb.query("select 1")(0, 0).long, 1L)

  test("a prepared statement over another thread's scoped table throws"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("cars", Rows.tabulate[Car](10)(Car.of))
        duckdb.query("prepare counted as select count(id) from cars")
        val failure = AtomicReference[Throwable]()
        end(thread:
          try
            duckdb.query("execute counted")
            ()
          catch case error: Throwable => failure.set(error))
        assert(failure.get.isInstanceOf[WrongThreadException], s"${failure.get}")
        assertEquals(duckdb.query("execute counted")(0, 0).long, 10L)

  test("a name refers to the table registered last, regardless of letter case"):
    Region.scoped:
      use: duckdb =>
        for count <- 1 to 50 do
          duckdb.register(
            if count % 2 == 0 then "cars" else "CARS",
            Rows.tabulate[Car](count)(Car.of)
          )
          assertEquals(duckdb.query("select count(*) from Cars")(0, 0).long, count.toLong)

  test("calling the function of a replaced table throws and leaves the new table intact"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("cars", Rows.tabulate[Car](1)(Car.of))
        duckdb.register("cars", Rows.tabulate[Car](2)(Car.of))
        val error = intercept[IllegalStateException](duckdb.query("from undercroft_1()"))
        assertEquals(error.getMessage, "another table was registered under the name of this table")
        assertEquals(duckdb.query("select count(*) from cars")(0, 0).long, 2L)

  test("a table cannot be registered within a transaction, whose rollback would lose it"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("cars", Rows.tabulate[Car](1)(Car.of))
        duckdb.query("begin")
        val error = intercept[IllegalStateException]:
          duckdb.register("cars", Rows.tabulate[Car](2)(Car.of))
        assertEquals(
          error.getMessage,
          "`cars` cannot be registered within a transaction: commit it or roll it back first"
        )
        duckdb.query("rollback")
        assertEquals(duckdb.query("select count(*) from cars")(0, 0).long, 1L)
        // The transaction continues after the refused registration.
        duckdb.query("create table notes (text varchar)")
        duckdb.query("begin")
        duckdb.query("insert into notes values ('kept')")
        intercept[IllegalStateException](
          duckdb.register("cars", Rows.tabulate[Car](2)(Car.of))
        )
        duckdb.query("insert into notes values ('kept too')")
        duckdb.query("commit")
        assertEquals(duckdb.query("select count(*) from notes")(0, 0).long, 2L)
        // A transaction that has failed refuses it, too.
        duckdb.query("begin")
        intercept[DuckDbException](duckdb.query("select missing"))
        intercept[IllegalStateException](
          duckdb.register("cars", Rows.tabulate[Car](2)(Car.of))
        )
        duckdb.query("rollback")
        duckdb.register("cars", Rows.tabulate[Car](2)(Car.of))
        assertEquals(duckdb.query("select count(*) from cars")(0, 0).long, 2L)

  test("a negative limit of rows, a null and a UUID in a short form are refused"):
    use: duckdb =>
      for maxRows <- Seq(-1, Int.MinValue) do
        val error = intercept[IllegalArgumentException](duckdb.query("select 1", maxRows))
        assertEquals(error.getMessage, s"maxRows must be >= 0; it is $maxRows")
      assertEquals(duckdb.query("select 1 where false", maxRows = 0).rows, Vector())
      val missing = intercept[IllegalArgumentException](duckdb.query(null.asInstanceOf[String]))
      assertEquals(missing.getMessage, "sql must be a statement; it is null")
      val uuid = intercept[IllegalArgumentException]:
        duckdb.query("select '1-1-1-1-1'").as[java.util.UUID]
      assert(uuid.getMessage.contains("1-1-1-1-1 is not a UUID"), uuid.getMessage)
end MisuseTest
