package outside.duckdb

import java.nio.file.{Files, Path}
import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

/** Queries repeated in one JVM neither crash it nor leak memory. */
class RepeatedTest extends undercroft.tools.Suite:

  test("a thousand queries of enum, struct and array columns neither crash the JVM nor leak".tag(
    LongTest
  )):
    val outcome = CheckedHeap.run(classOf[Repeated], "1000")
    assertEquals(outcome.exit, 0, outcome.output)
    assert(outcome.output.contains("all queries ran 1000 times"), outcome.output)

/** Repeats queries and measures the resident memory of the process. */
object Repeated:
  private val queries = Seq(
    "select color from cars",
    "select engine, doors from cars where engine.power > 5",
    "select spare, change, change.tag from cars where color = 'Red'",
    "select days from points",
    "select days[3], id from points where id > 7 and days[2] is not null",
    "select owner, doors[1] from cars where id in (1, 2, 3) and spare is not null",
    "select a.color, count(*) from cars a join cars b on a.id = b.id group by a.color",
    "create or replace temp view red as from cars where color = 'Red'; from red",
    "prepare named as select color, engine from cars where id = $1; execute named(7)",
    "explain select color from cars where id in (1, 2, 3) and engine.power > 5 or color = 'Red'",
    "select {'a': [1, 2]}, ['x'], null, 1.5, 'a text that is not inlined'"
  )
  private val refused = Seq("selekt color from cars", "select colour from cars")

  /** The most bytes by which the resident memory may grow, from the first tenth of the rounds to
    * their end.
    */
  private val MostGrowth = 64L << 20

  private def resident(): Long =
    val pages = Files.readString(Path.of("/proc/self/statm")).split(" ")(1).toLong
    pages * 4096

  def main(arguments: Array[String]): Unit =
    val rounds = arguments(0).toInt
    val isLinux = Files.exists(Path.of("/proc/self/statm"))
    Region.scoped:
      val cars = Columns.tabulate[Car](40)(Car.of)
      val points = Columns.tabulate[Large.Points](40)(i => Large.points(i.toInt))
      val duckdb = DuckDb()
      duckdb.query("set threads = 2")
      var early = 0L
      for round <- 0 until rounds do
        if round == rounds / 10 && isLinux then
          System.gc()
          early = resident()
        if round % 10 == 0 then
          duckdb.register("cars", cars)
          duckdb.register("points", points)
        for sql <- queries do duckdb.query(sql)
        for sql <- refused do
          try throw AssertionError(s"ran: $sql: ${duckdb.query(sql)}")
          catch case _: DuckDbException => ()
      if isLinux then
        System.gc()
        val growth = resident() - early
        println(s"resident memory grew by ${growth >> 10} KiB")
        if growth > MostGrowth then
          println(s"more than ${MostGrowth >> 10} KiB")
          System.exit(1)
      duckdb.close()
    println(s"all queries ran $rounds times")
  end main
end Repeated

final class Repeated
