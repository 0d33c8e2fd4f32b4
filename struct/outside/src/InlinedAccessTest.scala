package outside.struct

import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.ForkedJvm

/** The JIT does not inline a method while a class that its signature names is not loaded, however
  * small the method is. A program that has no file loads no class of files.
  */
class InlinedAccessTest extends undercroft.tools.Suite:

  test("the JIT inlines each method of an access in a program without files"):
    val flags =
      ForkedJvm.Granted ++ Seq("-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintInlining", "-Xbatch")
    val result = ForkedJvm.run("outside.struct.HotAccesses", flags)
    assertEquals(result.exit, 0, result.output.takeRight(2000))
    val decisions = result.output.linesIterator.filter(_.contains("undercroft.")).toVector
    val inlined =
      decisions.filter(line => line.contains("inline (hot)") || line.contains("accessor"))
    val methods = Seq("Table::source", "Table::refAt", "Table::referable", "GrowingTable::next")
    for method <- methods.map("struct." + _) do
      assert(inlined.exists(_.contains(s"undercroft.$method ")), s"$method is not inlined")
    assertEquals(decisions.filter(_.contains("unloaded signature classes")), Vector())

/** Reads and writes rows in each way, until the JIT has compiled the loops. */
object HotAccesses:
  private val count = 1000

  def main(arguments: Array[String]): Unit =
    Region.scoped:
      val rows = Rows.tabulate[Tick](count)(i => Tick(i, i.toInt))
      val columns = Columns.tabulate[Tick](count)(i => Tick(i, i.toInt))
      val prices = StructMap[Long, Int](count)
      var sum = 0L
      for _ <- 1 to 300 do
        sum += byIndex(rows) + byField(rows) + byReference(rows) + byColumn(columns) + byKey(prices)
        change(rows)
        sum += Region.scoped(append())
      println(sum)

  private def byIndex(rows: Rows[Tick]): Long =
    var sum = 0L
    var i = 0
    while i < count do
      sum += rows(i).price
      i += 1
    sum

  private def byField(rows: Rows[Tick]): Long =
    var sum = 0L
    var i = 0
    while i < count do
      sum += rows.ref(i).price
      i += 1
    sum

  private def byReference(rows: Rows[Tick]): Long =
    var sum = 0L
    var i = 0
    while i < count do
      val tick = rows.ref(i)
      sum += tick.price
      i += 1
    sum

  private def byColumn(columns: Columns[Tick]): Long =
    columns.filter(_.price > 5).sumOf(_.at) + columns.map(_.price).max

  private def byKey(prices: StructMap[Long, Int]): Long =
    var sum = 0L
    var i = 0
    while i < count do
      prices(i % 100) = i
      sum += prices(i % 100)
      i += 1
    sum

  private def change(rows: Rows[Tick]): Unit =
    var i = 0
    while i < count do
      rows(i) = Tick(i, i)
      rows.updateAt(i)(_.price)(_ + 1)
      rows.transformAt(i)(_.copy(at = i + 1L))
      i += 1

  private def append()(using Region): Long =
    val rows = Rows.growing[Tick]
    var i = 0
    while i < count do
      rows += Tick(i, i)
      i += 1
    rows.size
end HotAccesses
