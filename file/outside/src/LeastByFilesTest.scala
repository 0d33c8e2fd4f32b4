package outside.file

import java.nio.file.Path
import undercroft.file.format.ErrorKind
import undercroft.struct.*
import undercroft.file.*

final case class Parcel(id: Int, town: Text[13], weight: Double, day: Long)
    derives Struct,
      CanEqual

/** `minBy`, `last` and iterators of tables in files and folders, beside a Vector. */
class LeastByFilesTest extends undercroft.tools.Suite:
  import Trades.inFolder

  private val seed = java.util.concurrent.ThreadLocalRandom.current.nextLong()
  private val random = scala.util.Random(seed)
  private def parcels(count: Int): Vector[Parcel] = Vector.tabulate(count): id =>
    val town = Vector("", "Ulm", "Aachen", "Łódź", "Aachen Mitte")(random.nextInt(5))
    Parcel(id, Text[13](town), random.nextInt(3) - 1.5, random.nextLong(3))

  private inline def check(inline view: View[Parcel], values: Vector[Parcel]): Unit =
    given Ordering[Double] = Ordering.Double.TotalOrdering
    given Ordering[String] = (a, b) =>
      java.util.Arrays.compareUnsigned(a.getBytes("UTF-8"), b.getBytes("UTF-8"))
    assertEquals(view.minByOption(_.town), values.minByOption(_.town.string), s"seed $seed")
    assertEquals(
      view.maxByOption(p => (p.weight, p.town, desc(p.id))),
      values.maxByOption(p => (p.weight, p.town.string, -p.id)),
      s"seed $seed"
    )
    assertEquals(
      view.minByOption(p => (p.day, p.weight)),
      values.minByOption(p => (p.day, p.weight)),
      s"seed $seed"
    )
    assertEquals(view.lastOption, values.lastOption)
    assertEquals(view.iterator.toVector, values)
    assertEquals((view.size, view.isEmpty), (values.size.toLong, values.isEmpty))

  private def inFile[L <: Layout](tables: TableFactory[L], path: Path)(
      body: (FileTable[Parcel, L], Vector[Parcel]) => Unit
  ): Unit =
    for count <- List(0, 1, 300) do
      val values = parcels(count)
      val table = tables.create[Parcel](path.resolveSibling(s"$count.parcels"), maxRows = 300)
      table.appendAll(values)
      body(table, values)
      table.close()

  test("files of rows are searched for the least and the last row"):
    inFolder: folder =>
      inFile(Rows, folder.resolve("parcels")): (table, values) =>
        check(table, values)
        check(table.filter(_.weight > 0), values.filter(_.weight > 0))

  test("files of packed rows are searched for the least and the last row"):
    inFolder: folder =>
      inFile(PackedRows, folder.resolve("parcels"))((table, values) => check(table, values))

  test("files of columns are searched for the least and the last row"):
    inFolder: folder =>
      inFile(Columns, folder.resolve("parcels")): (table, values) =>
        check(table, values)
        check(table.reverse, values.reverse)

  test("a folder's table is searched for the least and the last row"):
    inFolder: folder =>
      val values = parcels(100)
      val shop = Columns.folder[Parcel](folder, maxRows = 1000)
      for part <- values.grouped(30) do
        shop.addTo((part = part.head.id))(file => file.appendAll(part))
      val table = Columns.openAll[Parcel](folder)
      check(table, table.toVector)
      check(table.filter(_.day > 0), table.toVector.filter(_.day > 0))
      assertEquals(table.toVector.sortBy(_.id), values)
      table.close()

  test("a file that is cut is an error of minBy and of an iterator"):
    inFolder: folder =>
      val path = folder.resolve("cut.parcels")
      val writer = Rows.create[Parcel](path)
      writer.appendAll(parcels(20_000))
      writer.seal()
      val table = Rows.openReadOnly[Parcel](path)
      val iterator = table.iterator
      assertEquals(iterator.next().id, 0)
      val file = java.io.RandomAccessFile(path.toFile, "rw")
      file.setLength(100_000)
      file.close()
      assertEquals(Trades.failure(table.minBy(p => (p.town, p.id)))._1, ErrorKind.TRUNCATED)
      assertEquals(Trades.failure(iterator.foreach(_ => ()))._1, ErrorKind.TRUNCATED)
      table.close()
end LeastByFilesTest
