package undercroft.duckdb

import java.nio.file.Path
import undercroft.struct.*
import undercroft.file.samples.*

final case class Trade(ticket: Int, amount: Int, price: Int, buy: Boolean) derives Struct, CanEqual:
  def balance: Long = amount.toLong * price * (if buy then 1 else -1)

object Trade:
  def of(i: Long): Trade =
    Trade((i % 1000).toInt, (i * 7 % 1009).toInt, (i % 251).toInt, i % 3 == 0)

object Samples:
  /** A path in a temporary folder that is created for the test. */
  def path(name: String): Path =
    undercroft.tools.TemporaryFolders.create("undercroft-duckdb").resolve(name).nn

  /** Runs a body with a database, which is closed afterwards. */
  def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  /** DuckDB's text form of row `i`, by column. */
  def shown(i: Int): Vector[String] =
    val traded =
      if i % 3 == 1 then s"{'price': ${i * 1000}, 'color': ${Color.fromOrdinal(i % 2)}}" else "NULL"
    val renamed = if i % 3 == 2 then s"{'name': a longer name $i}" else "NULL"
    Vector(
      s"${i % 2 == 0}",
      s"${(-i).toByte}",
      s"${(i * 100).toShort}",
      "233",
      s"${-i * 1000}",
      s"${Long.MaxValue - i}",
      s"${i * 0.25}",
      s"${i * -0.125}",
      if i % 2 == 0 then s"naïve $i" else s"a longer text $i",
      if i % 2 == 0 then s"$i" else "null",
      if i % 3 == 0 then s"{'x': $i, 'y': 1}" else "null",
      if i % 4 == 0 then "null" else s"{'get': ${if i % 4 > 1 then s"$i" else "NULL"}}",
      if i % 5 > 0 then s"n$i" else "null",
      Color.fromOrdinal(i % 3).toString,
      if i % 3 == 1 then "Blue" else "null",
      s"{'tag': ${Seq("Opened", "Traded", "Renamed")(i % 3)}, 'Traded': $traded, 'Renamed': $renamed}",
      s"{'x': $i, 'y': 7}",
      s"[$i, 0, ${-i}]",
      s"[${i % 2 == 0}, true, ${i % 3 == 0}]",
      s"[[$i, 1], [2, 3]]",
      s"[{'x': 1, 'y': 2}, {'x': $i, 'y': 3}]",
      s"{'_1': $i, '_2': 5}",
      s"${0x01020304 + i}"
    )
  end shown
end Samples
