package undercroft.duckdb

import internal.api.Downcalls
import internal.scan.HandleRegistry
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.samples.*
import undercroft.tools.ForkedJvm

/** Every handle of DuckDB's C interface is destroyed once, by its owner. */
class HandlesTest extends undercroft.tools.Suite:

  test(
    "queries, rejected SQL and failing callbacks leak no handle and free none twice".tag(LongTest)
  ):
    val outcome = ForkedJvm.run(classOf[Handles], ForkedJvm.Granted :+ "-Xmx512m")
    assertEquals(outcome.exit, 0, outcome.output)
    assert(outcome.output.contains("handles created: "), outcome.output)

  test("a query whose callback fails throws the exception of the table"):
    Region.scoped:
      val region = Region.shared("gone")
      Samples.use: duckdb =>
        locally:
          given Region = region
          duckdb.register("day", Columns.tabulate[Trade](10)(Trade.of))
        region.close()
        val before = HandleRegistry.count
        for _ <- 1 to 20 do
          val error = intercept[MemoryException](duckdb.query("select count(ticket) from day"))
          assert(error.getSuppressed.nn.exists(_.isInstanceOf[DuckDbException]), error)
        assertEquals(HandleRegistry.count, before)
end HandlesTest

/** Counts the handles of many queries; a violation is printed and sets the exit code. */
object Handles:
  private val queries = Seq(
    "select * from things",
    "select color, change, things.array from things where int < 0",
    "select color from things where color in ('Red', 'Blue') and option is not null",
    "select count(*) from things where double between -3 and 7 or bool",
    "select count(*) from day a join day b on a.ticket = b.ticket and a.price = 3",
    "prepare below as select count(*) from day where price < $1; execute below(7)",
    "create or replace temp view cheap as from day where price < 3; from cheap limit 3",
    "explain select sum(short) from things where int > 5",
    "select 1; select null, 'a long text that is not inlined', [1, 2], {'a': 1.5}",
    "set threads = 4"
  )
  private val refused =
    Seq("select form", "from nothing", "select 1; selekt", "select 1 / color from things")

  private val bound = Seq(
    sql"select ${true}, ${1}, ${2L}, ${1.5}, ${"text"}, ${None}, ${List(1, 2)}",
    sql"select count(*) from things where int < ${0} and color = ${"Red"}"
  )
  private val refusedBound = Seq(
    sql"select ${1} + ${"text"}",
    sql"select '${1}', ${2}",
    sql"select ${1}; select 2",
    sql"select ${1}, ${"\uD83D"}"
  )

  def main(arguments: Array[String]): Unit =
    Downcalls.wrap = HandleCounter.wrap
    Region.scoped:
      for _ <- 1 to 2 do
        val duckdb = DuckDb()
        val things = Columns.tabulate[Everything](700)(i => Everything.of(i.toInt))
        duckdb.register("things", things)
        duckdb.register("day", Rows.tabulate[Trade](3000)(Trade.of))
        for _ <- 1 to 10 do
          for sql <- queries do duckdb.query(sql): Unit
          for sql <- bound do duckdb.query(sql): Unit
          for sql <- refused ++ refusedBound do
            try throw AssertionError(s"ran: $sql: ${duckdb.query(sql)}")
            catch case _: (DuckDbException | IllegalArgumentException) => ()
          try throw AssertionError(s"ran: ${duckdb.query("from things", 5)}")
          catch case _: IllegalStateException => ()
          duckdb.register("THINGS", things)
          locally:
            val region = Region.shared("gone")
            locally:
              given Region = region
              duckdb.register("gone", Columns.tabulate[Trade](10)(Trade.of))
            region.close()
            try throw AssertionError(s"ran: ${duckdb.query("from gone")}")
            catch case _: MemoryException => ()
        duckdb.close()
        duckdb.close()
    val live = HandleCounter.live
    for fault <- HandleCounter.faults.distinct do println(s"fault: $fault")
    if live.nonEmpty then println(s"not destroyed: $live")
    println(s"handles created: ${HandleCounter.created}, objects kept: ${HandleRegistry.count}")
    if HandleCounter.faults.nonEmpty || live.nonEmpty || HandleRegistry.count > 0 then
      System.exit(1)
  end main
end Handles

/** The main class of [[Handles]]. */
final class Handles
