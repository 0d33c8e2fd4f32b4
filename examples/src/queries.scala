import java.nio.file.Files
import java.time.{Duration, LocalDate}
import scala.concurrent.duration.DurationInt
import undercroft.duckdb.*
import undercroft.file.format.Checksums
import undercroft.memory.*
import undercroft.struct.*
import undercroft.file.*

case class Receipt(ticket: Int, amount: Int, price: Int) derives Struct
case class Total(ticket: Int, amount: Long) derives Struct
case class Shift(name: Text[8], worked: Duration) derives Struct
case class Rota(name: Text[8], days: InlineArray[Option[LocalDate], 2]) derives Struct

@main def queries(): Unit =
  val path = Files.createTempDirectory("shop").resolve("day.receipts")
  val file = Rows.create[Receipt](path)
  for i <- 0 until 1000 do file += Receipt(i % 3, i, 250)
  file.seal()

  Region.scoped:
    val live = Columns.tabulate[Receipt](1000)(i => Receipt(i.toInt % 3, 1, 100))
    val day = Rows.openReadOnly[Receipt](path)
    val duckdb = DuckDb()
    duckdb.register("live", live) // in memory, without a copy
    duckdb.register("day", day) // in the file
    val result = duckdb.query("""
      select day.ticket, sum(day.amount) as amount, any_value(live.price) as price
      from day join live on day.ticket = live.ticket and live.amount = 1
      where day.amount < 10
      group by day.ticket order by day.ticket""")
    println(result.columns.mkString(" "))
    for row <- result.rows do println(row.map(_.show).mkString(" "))
    println(result(0, 1).long)

    val (tickets, least) = (List(0, 2), 990)
    val totals = duckdb.query(
      sql"""select ticket, sum(amount) as amount from day
            where ticket in $tickets and amount >= $least
            group by ticket order by ticket""",
      timeLimit = 10.seconds
    )
    for total <- totals.as[Total] do println(total) // a case class by the names of its fields
    val table = Columns.readSql[Total](duckdb, "select ticket, amount from day") // off-heap
    println(table.map(_.amount).sum)

    val plan = duckdb.query("explain select sum(price) from day where amount >= 990 and ticket = 0")
    for case Vector(key, condition) <- plan.rows if key.show == "scan" do println(condition.show)

    val unchecked = Rows.openReadOnly[Receipt](path, Checksums.NEVER) // trusts the disk
    duckdb.register("unchecked", unchecked)
    println(duckdb.query("select sum(amount) from unchecked")(0, 0).long)

    val shifts =
      List(Shift(Text("Ada"), Duration.ofMinutes(450)), Shift(Text("Bo"), Duration.ofHours(6)))
    duckdb.register("shifts", Rows.from(shifts))
    val long =
      duckdb.query(sql"select name, worked from shifts where worked > ${Duration.ofHours(7)}")
    println(long.as[(String, Duration)])
    val sum = "select to_microseconds(sum(epoch_us(worked))::bigint) from shifts" // of INTERVALs
    println(duckdb.query(sum).as[Duration].head)

    val monday = LocalDate.of(2026, 11, 23)
    val rotas = List(
      Rota(Text("Ada"), InlineArray(Some(monday), None)),
      Rota(Text("Bo"), InlineArray(Some(monday.plusDays(1)), Some(monday.plusDays(2))))
    )
    duckdb.register("rotas", Rows.from(rotas)) // days: DATE[2]
    println(duckdb.query("select name, days[2] from rotas").as[(String, Option[LocalDate])])

    val pairs = "select sum(a.range * b.range) from range(10000000) a, range(10000000) b"
    val endless = Thread.ofPlatform.start: () =>
      try println(duckdb.query(pairs)(0, 0).show)
      catch case _: DuckDbException => println("interrupted")
    while !endless.join(Duration.ofMillis(10)) do duckdb.interrupt() // from any thread
    println(duckdb.query("select 1")(0, 0).show) // later queries run

    duckdb.close()
    unchecked.close()
    day.close()
end queries
// prints:
// ticket amount price
// 0 6012 100
// 1 3996 100
// 2 4995 100
// 6012
// Total(0,3978)
// Total(2,2985)
// 499500
// day: amount >= 990 and ticket = 0; reads 1000 of 1000 rows
// 499500
// Vector((Ada,PT7H30M))
// PT13H30M
// Vector((Ada,None), (Bo,Some(2026-11-25)))
// interrupted
// 1
