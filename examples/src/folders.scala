import java.nio.file.Files
import java.time.LocalDate
import undercroft.duckdb.DuckDb
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.file.*

object Exchange:
  case class Deal(ticket: Int, amount: Int, price: Int) derives Struct:
    def value: Long = amount.toLong * price

@main def folders(): Unit =
  import Exchange.Deal
  val folder = Files.createTempDirectory("exchange").resolve("deals")
  val monday = LocalDate.of(2026, 11, 23)

  val days = Columns.folder[Deal](folder, maxRows = 1_000_000)
  for day <- 0 until 5; hour <- 0 until 8 do
    days.addTo((day = monday.plusDays(day))): file => // day=2026-11-23/part-...
      for i <- 0 until 1000 do file += Deal(hour * 1000 + i, 10, 250 + day)

  val deals = Columns.openAll[Deal](folder) // all files as one table
  println(s"${deals.files.size} files, ${deals.size} deals")
  println(deals.filter(_.ticket < 1000).sumOf(_.value)) // one loop over the memory
  println(deals(39_999)) // the last row of the last file

  type Day = (day: LocalDate)
  val late = deals.where[Day](_.day.isAfter(monday.plusDays(2))) // reads names only
  println(late.sumOf(_.value))
  for (key, rows) <- deals.partitions[Day] do println(s"${key.day} ${rows.maxOf(_.price)}")

  println(s"${days.compact()} files replaced") // by one for each day, atomically
  println(deals.count(_.price > 250)) // readers keep the files that they have open
  println(s"${deals.refresh()} deals in ${deals.files.size} files")

  days.replace((day = monday))(file => file += Deal(1, 1, 1)) // one file replaces the day's
  val old = days.removeWhere[Day](_.day == monday.plusDays(1))
  println(s"$old file removed, ${deals.refresh()} deals left")

  val duckdb = DuckDb()
  duckdb.register("deals", deals) // `day` is a column
  val recent = "select day, sum(amount) from deals where day >= date '2026-11-26' group by day"
  for row <- duckdb.query(s"$recent order by day").rows do println(row.map(_.show).mkString(" "))
  duckdb.close()

  Region.scoped:
    val byPrice = deals.groupMapReduce(_.price)(_.value)(_ + _)
    println(byPrice(252))
    println(deals.copy.sortBy(deal => desc(deal.price)).head.price) // in memory, to be sorted
  deals.close()
end folders
// prints:
// 40 files, 40000 deals
// 12600000
// Deal(7999,10,254)
// 40560000
// 2026-11-23 250
// 2026-11-24 251
// 2026-11-25 252
// 2026-11-26 253
// 2026-11-27 254
// 40 files replaced
// 32000
// 40000 deals in 5 files
// 1 file removed, 24001 deals left
// 2026-11-26 80000
// 2026-11-27 80000
// 20160000
// 254
