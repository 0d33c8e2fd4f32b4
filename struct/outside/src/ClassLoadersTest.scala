package outside.struct

import undercroft.memory.*
import undercroft.struct.*
import undercroft.tools.DroppedLoaders

/** Class loaders that load the library and are dropped. */
class ClassLoadersTest extends undercroft.tools.RoundsSuite:
  testRounds("dropped class loaders that used tables, maps and parallel operations leave nothing")(
    3,
    20
  ): loaders =>
    DroppedLoaders.run(classOf[TableUser], loaders).check()

final case class Weighed(id: Long, weight: Double) derives Struct, CanEqual

final class TableUser extends Runnable:
  def run(): Unit = Region.scoped:
    val region = Region.shared("kept open")
    val shared = Rows.tabulate[Weighed](100_000)(i => Weighed(i, i))(using region)
    assert(shared.parAggregate(0L)((sum, row) => sum + row.id)(_ + _) > 0)
    val table = Rows.tabulate[Weighed](100_000)(i => Weighed(i, i))
    assert(table.parSortBy(row => -row.weight)(0).id == 99_999)
    val growing = Rows.growing[Weighed]
    growing += Weighed(1, 2)
    val counts = StructMap[Text[40], Long]()
    for i <- 1 to 1000 do counts(Text(s"a key with the number $i")) = i
    assert(counts(Text("a key with the number 7")) == 7)
