package undercroft.struct

import undercroft.memory.Region
import undercroft.testkit.{assertAllocates, bytesPerCall}

class AllocationTest extends undercroft.tools.Suite:
  var sink = 0L

  test("the allocation canary detects a row that escapes"):
    Region.scoped:
      val rows = Rows[Trade](10)
      var trade: Trade | Null = null
      assertAllocates(32) { trade = rows(3) }
      assert(Option(trade).isDefined)

  test("stores, loads and matches of rows allocate nothing"):
    Region.scoped:
      val (rows, packed, columns) = (Rows[Trade](10), PackedRows[Trade](10), Columns[Trade](10))
      assertAllocates(0) { rows(3) = Trade(1, 2, 3, buy = true) }
      assertAllocates(0) { packed(3) = Trade(1, 2, 3, buy = true) }
      assertAllocates(0) { columns(3) = Trade(1, 2, 3, buy = true) }
      assertAllocates(0) { sink += rows(3).balance }
      assertAllocates(0) { sink += packed(3).balance }
      assertAllocates(0) { sink += columns(3).balance }
      assertAllocates(0) {
        rows(3) match
          case Trade(ticket, _, price, true) => sink += ticket + price
          case Trade(_, amount, _, _)        => sink += amount
      }

  test("reads and writes through references allocate nothing"):
    Region.scoped:
      val rows = Rows[Trade](10)
      val lines = PackedRows[Line](10)
      assertAllocates(0) { sink += rows.ref(3).price }
      assertAllocates(0) { rows.ref(3).price = 251 }
      assertAllocates(0) { rows.ref(3).update(_.price)(_ + 1) }
      assertAllocates(0) { lines.ref(3).from.x = 2 }
      assertAllocates(0) { sink += lines.ref(3).to.x }
      assertAllocates(0) { rows.ref(3)() = Trade(1, 2, 3, buy = true) }

  test("reads and stores of a table's row by name allocate nothing"):
    Region.scoped:
      val (rows, columns) = (Rows[Trade](10), Columns[Trade](10))
      assertAllocates(0) { sink += rows.row(3).price }
      assertAllocates(0) { columns.row(3).price = 251 }
      assertAllocates(0) { columns.row(3).update(_.price)(_ + 1) }
      assertAllocates(0) { columns.row(3)() = Trade(1, 2, 3, buy = true) }

  test("a pointer to a struct allocates at most the bytes that its documentation states"):
    Region.scoped:
      val rows = Rows[Trade](10)
      val bytes = bytesPerCall(rows.ref(3).withPointer(pointer => sink += pointer.byteSize))
      assert(bytes > 0 && bytes <= 250, s"$bytes bytes")
      val shared = Region.shared()
      val trade = Ref.zeroed[Trade](using shared)
      val sharedBytes = bytesPerCall(trade.withPointer(pointer => sink += pointer.byteSize))
      shared.close()
      assert(sharedBytes > 0 && sharedBytes <= 250, s"$sharedBytes bytes")

  test("reading and storing references of a RefArray allocates nothing"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](10)(i => Trade(i.toInt, 2, 3, buy = true))
      val refs = RefArray[Trade](10)
      assert(Ref.isNone(refs(0)))
      for i <- 0 until refs.length do refs(i) = rows.ref(9 - i)
      assertEquals(refs(0).ticket, 9)
      assertAllocates(0) { sink += refs(3).ticket }
      assertAllocates(0) { refs(3) = rows.ref(5) }

  test("loops over the structs of a RefArray allocate nothing, near and far"):
    for size <- List(100, 2_000_000) do
      Region.scoped:
        val rows = Rows.tabulate[Trade](size)(i => Trade(i.toInt, 2, 3, buy = true))
        val refs = RefArray[Trade](1000)
        for i <- 0 until 1000 do refs(i) = rows.ref(i * 7919L % size)
        assertAllocates(0) { sink += refs.view.sumOf(_.balance) }
        assertAllocates(0) { sink += refs.view.count(_.buy) }
        assertAllocates(0) { refs.view.foreach(trade => sink += trade.ticket) }

  test("loops over rows, columns and slices allocate nothing"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](100)(i => Trade(i.toInt, 2, 3, i % 2 == 0))
      val columns = Columns.tabulate[Trade](100)(i => Trade(i.toInt, 2, 3, i % 2 == 0))
      assertAllocates(0) { sink += rows.sumOf(_.balance) }
      assertAllocates(0) { sink += columns.sumOf(_.balance) }
      assertAllocates(0) { sink += rows.slice(10, 20).sumOf(_.price) }
      assertAllocates(0) { sink += rows.foldLeft(0L)((sum, trade) => sum + trade.price) }
      assertAllocates(0) { sink += rows.count(_.buy) }
      assertAllocates(0) { sink += rows.filter(_.buy).map(_.price).max }
      assertAllocates(0) { sink += columns.filter(_.buy).map(_.price).min }
      assertAllocates(0) { if rows.exists(_.price == 7) then sink += 1 }
      assertAllocates(0) { rows.updateAll(_.price)(_ + 1) }
      assertAllocates(0) { columns.updateAll(_.price)(_ + 1) }
      assertAllocates(0) { columns.setFrom(rows)(trade => trade) }
      assertAllocates(0) { rows.foreach(trade => trade.price) }

  test("appending rows allocates nothing"):
    Region.scoped:
      val rows = Rows.growingTo[Trade](50_000_000)
      assertAllocates(0) { rows += Trade(1, 2, 3, buy = true) }
      val block = Rows.growingTo[Trade](500_000_000)
      assertAllocates(0) { block.appendAll(10)(i => Trade(i.toInt, 2, 3, buy = true)) }
      val batches = PackedRows.growingTo[Trade](500_000_000)
      assertAllocates(0):
        batches.appending(maxRows = 10): batch =>
          var i = 0
          while i < 10 do
            if i % 3 != 0 then batch += Trade(i, 2, 3, buy = true)
            i += 1

  test("appending a view of rows allocates nothing"):
    Region.scoped:
      val source = Columns.tabulate[Trade](10)(i => Trade(i.toInt, 2, 3, i % 2 == 0))
      val rows = Rows.growingTo[Trade](500_000_000)
      assertAllocates(0) { rows.appendAll(source.filter(_.buy)) }
      val columns = PackedRows.growingTo[Trade](500_000_000)
      assertAllocates(0) { columns.appendAll(source.map(t => Trade(t.price, 1, 1, buy = true))) }

  test("storing, folding and referencing a struct of 64 fields allocates nothing"):
    Region.scoped:
      val rows = Rows[Wide64](100)
      val value = rows(0)
      assertAllocates(0) { rows(3) = value }
      assertAllocates(0) { sink += rows.sumOf(_.f63) }
      assertAllocates(0) { sink += rows.sumOf(wide => wide.f0 + wide.f31 + wide.f63) }
      assertAllocates(0) { rows.ref(3).f63 = 7 }
      assertAllocates(0) { sink += rows.ref(3).f63 }
      assertAllocates(0) { rows.updateAll(_.f17)(_ + 1) }

  test("reading whole rows of 8 and 16 fields allocates nothing"):
    Region.scoped:
      val (a, b) = (Rows[Wide8](10), Rows[Wide16](10))
      assertAllocates(0) { sink += a(3).f7 + a(4).f1 }
      assertAllocates(0) { sink += b(3).f15 }
end AllocationTest
