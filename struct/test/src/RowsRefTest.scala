package undercroft.struct

import undercroft.memory.*
import undercroft.testkit.assertAllocates

case class Pack(x: Int, y: Long) derives Struct, CanEqual
case class Packs(first: RowsRef[Pack], second: Option[RowsRef[Pack]]) derives Struct, CanEqual

class RowsRefTest extends undercroft.tools.Suite:
  var sink = 0L

  private def packs(count: Int): Vector[Pack] = Vector.tabulate(count)(i => Pack(i, i * 10L))

  test("reads and loops of runs allocate nothing"):
    Region.scoped:
      val run = RowsRef.from(packs(100))
      val rows = Rows.tabulate[Packs](10)(i => Packs(RowsRef.from(packs(i.toInt + 1)), None))
      assertAllocates(0) { sink += run(7).y }
      assertAllocates(0) { sink += run.sumOf(_.y) }
      assertAllocates(0) { sink += run.count(_.x > 50) }
      assertAllocates(0) { run.foreach(pack => sink += pack.x) }
      assertAllocates(0) { if run.exists(_.x == 99) then sink += 1 }
      assertAllocates(0) { sink += run.filter(_.x > 3).map(_.y).sum }
      assertAllocates(0) { sink += rows.ref(7).first.sumOf(_.y) }
      assertAllocates(0) { sink += rows.ref(7).first.size }
      assertAllocates(0) { sink += rows(7).first(3).y }
      assertAllocates(0) { rows.foreach(pack => sink += pack.first.sumOf(_.x)) }

  test("a run with the layout hash or the size of other structs is rejected"):
    Region.scoped:
      val run = RowsRef.from(packs(3))
      val bytes = new BytesRef(run.address, run.byteLength)
      val pairs = RowsRef.stored[(Int, Long, Byte)].decode(bytes)
      for use <- List[() => Any](() => pairs(0), () => pairs.map(_._1).sum, () => pairs.toVector) do
        val error = intercept[IllegalStateException](use())
        assert(error.isInstanceOf[LayoutMismatchException], error.toString)
      val longs = RowsRef.stored[(Long, Int)].decode(bytes) // structs of the same size
      val error = intercept[LayoutMismatchException](longs(0))
      assert(error.getMessage.nn.contains("another layout, with the hash "), error.getMessage)
      intercept[LayoutMismatchException](longs.map(_._1).sum): Unit
      val short = RowsRef.stored[Pack].decode(new BytesRef(run.address, run.byteLength - 1))
      val wrong = intercept[IllegalStateException](short.size)
      assertEquals(
        wrong.getMessage,
        "a run has a header of 8 bytes and structs of 12 bytes, not 43 bytes"
      )
      intercept[IllegalStateException](short.map(_.x).sum): Unit

  test("bytes of a run at any address hold the same structs"):
    Region.scoped:
      // As copied from another process: unaligned, and over the ends of pages.
      val run = RowsRef.from(packs(20_000))
      val bytes = new BytesRef(run.address, run.byteLength).toArray
      for distance <- List(1, 3, 7) do
        val padded = BytesRef(new Array[Byte](distance) ++ bytes)
        val part = padded.slice(distance, padded.length)
        val copy = RowsRef.stored[Pack].decode(part)
        assertEquals(copy, run)
        assertEquals(copy.sumOf(_.y), run.sumOf(_.y))
        assertEquals(copy.toVector, run.toVector)
end RowsRefTest
