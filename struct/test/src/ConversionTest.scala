package undercroft.struct

import java.nio.{ByteBuffer, ByteOrder}
import org.scalacheck.{Arbitrary, Gen, Prop}
import org.scalacheck.Prop.forAll
import undercroft.memory.{Region, StaleReferenceException}

class ConversionTest extends undercroft.tools.PropertySuite:

  private val trades = Gen.listOf(
    for
      ticket <- Arbitrary.arbitrary[Int]
      price <- Arbitrary.arbitrary[Int]
      buy <- Gen.oneOf(true, false)
    yield Trade(ticket, ticket ^ price, price, buy)
  )

  /** Converts from every kind of collection, and back. */
  private def agrees[L <: Layout](tables: TableFactory[L]): Prop =
    forAll(trades): values =>
      Region.scoped:
        val vector = values.toVector
        val sources = Vector(
          tables.from(values),
          tables.from(vector),
          tables.from(values.toSet).slice(0, values.toSet.size),
          tables.from(values.toArray),
          tables.from(IArray.from(values)),
          tables.from(values.iterator),
          tables.from(values.iterator.filter(_ => true)),
          tables.from(values.view.filter(_ => true)),
          tables.from(values.to(LazyList))
        )
        for (table, i) <- sources.zipWithIndex if i != 2 do
          assertEquals(table.toVector, vector, s"of source $i")
        assertEquals(sources(2).to(Set), values.toSet)
        val table = sources(6)
        assertEquals(table.iterator.toList, values)
        assertEquals(table.iterator.knownSize, values.size)
        assertEquals(table.to(List), values)
        assertEquals(table.toArray.toList, values)
        assertEquals(table.toIArray.toList, values)
        assertEquals(
          table.map(trade => trade.ticket -> trade).to(Map),
          values.map(trade => trade.ticket -> trade).toMap
        )
        true

  property("rows are converted from collections and back")(agrees(Rows))
  property("packed rows are converted from collections and back")(agrees(PackedRows))
  property("columns are converted from collections and back")(agrees(Columns))

  private def bytes[L <: Aligned | Packed](tables: RowTableFactory[L])(
      buffer: Table[Trade, L] => ByteBuffer
  ): Prop =
    forAll(trades, Gen.oneOf(true, false)): (values, direct) =>
      Region.scoped:
        val bytes = buffer(tables.from(values))
        val copy =
          if direct then ByteBuffer.allocateDirect(bytes.remaining + 3).nn
          else ByteBuffer.allocate(bytes.remaining + 3).nn
        copy.position(3).nn.put(bytes).nn.position(3): Unit
        val back = tables.from[Trade](copy)
        assertEquals(copy.position, 3)
        assertEquals(back.toVector, values.toVector)
        true

  property("rows are converted to byte buffers and back")(bytes(Rows)(_.byteBuffer))
  property("packed rows are converted to byte buffers and back")(bytes(PackedRows)(_.byteBuffer))

  test("byteBuffer returns a view of the table's memory in native byte order"):
    val buffer = Region.named("morning"):
      val rows = Rows.from(List(Trade(1, 2, 3, true), Trade(4, 5, 6, false))).slice(1, 2)
      val buffer = rows.byteBuffer
      assertEquals((buffer.remaining, buffer.order), (16, ByteOrder.nativeOrder))
      buffer.putInt(8, 251): Unit
      assertEquals(rows(0), Trade(4, 5, 251, false))
      buffer
    intercept[IllegalStateException](buffer.get(0))

  test("creating rows from a partial row of bytes throws IllegalArgumentException"):
    Region.scoped:
      assertEquals(
        intercept[IllegalArgumentException](
          PackedRows.from[Trade](ByteBuffer.allocate(20).nn)
        ).getMessage,
        "20 bytes are not a multiple of the row size, 13 bytes"
      )

  test("from rethrows an iterator's exception, and next at the end throws NoSuchElementException"):
    Region.scoped:
      def failing =
        Iterator.tabulate(5)(i => if i == 3 then sys.error("row 3") else Trade(i, 1, 1, true))
      assertEquals(
        intercept[RuntimeException](Rows.from(failing.filter(_ => true))).getMessage,
        "row 3"
      )
      val iterator = Rows.from(failing.take(2)).iterator
      assertEquals(iterator.toList.map(_.ticket), List(0, 1))
      assertEquals(
        intercept[NoSuchElementException](iterator.next()).getMessage,
        "no row 2: there are 2 rows"
      )

  test("an iterator of a table in a closed region throws an exception that names the region"):
    val rows = Region.named("morning")(Rows.from(List(Trade(1, 2, 3, true))))
    val error = intercept[StaleReferenceException](rows.iterator.next())
    assert(error.getMessage.contains("morning"), error.getMessage)
end ConversionTest
