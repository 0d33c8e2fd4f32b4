package outside.struct

import java.util.ConcurrentModificationException
import undercroft.memory.*
import undercroft.struct.*

/** A collection whose iterator returns `count` values, whatever its size is. */
final class Miscounted(override val size: Int, count: Int) extends Iterable[Deal]:
  override def knownSize: Int = size
  def iterator: Iterator[Deal] = Iterator.range(0, count).map(Deal(_, 10))

/** Allocators that are passed by `using` where the region of the scope is not meant. */
class AllocatorArgumentTest extends undercroft.tools.Suite:

  private val deals = List(Deal(1, 10), Deal(2, 20))

  test("a table, a reference and a map are in the allocator that is passed by `using`"):
    val shared = Region.shared("deals")
    val zeros = Rows[Deal](2)(using shared)
    val steps = Columns.tabulate[Deal](2)(i => deals(i.toInt))(using shared)
    val copies = PackedRows.from(deals)(using shared)
    val growing = Rows.growing[Deal](using shared)
    val bounded = Columns.growingTo[Deal](2)(using shared)
    val bytes = java.nio.ByteBuffer.allocate(16)
    val read = Rows.from[Deal](bytes)(using shared)
    val ref = Ref(deals(0))(using shared)
    val zero = Ref.zeroed[Deal](using shared)
    val map = StructMap[Int, Deal]()(using shared)
    growing += deals(1)
    bounded += deals(1)
    map(1) = deals(0)
    assertEquals((zeros(1), steps(1), copies(1)), (Deal(0, 0), deals(1), deals(1)))
    assertEquals((growing(0), bounded(0), read(1)), (deals(1), deals(1), Deal(0, 0)))
    assertEquals((ref(), zero(), map(1)), (deals(0), Deal(0, 0), deals(0)))
    shared.close()
    intercept[StaleReferenceException](ref()): Unit
    intercept[StaleReferenceException](zero()): Unit
    intercept[StaleReferenceException](zeros(0)): Unit
    intercept[StaleReferenceException](map(1)): Unit

  test("an allocator that is passed by `using` takes precedence over the region of the scope"):
    val shared = Region.shared("outer deals")
    val rows = Region.scoped:
      Rows.from(deals)(using shared)
    assertEquals(rows(1), deals(1))
    shared.close()

  test("an operation of which a function throws leaves no table in Malloc"):
    Region.scoped:
      val rows = Rows.tabulate[Deal](100_000)(i => Deal(i.toInt, 10))
      def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
      val before = live
      def fails(operation: Allocator => Any): Unit =
        assertEquals(intercept[IllegalStateException](operation(Malloc)).getMessage, "no deal")
        assert(live - before < 100_000, s"$live bytes, $before before")
      def last(deal: Deal): Int =
        if deal.ticket == 99_999 then throw IllegalStateException("no deal") else deal.ticket
      fails(allocator => Rows.tabulate[Deal](100_000)(i => Deal(last(rows(i)), 1))(using allocator))
      fails(allocator =>
        Columns.tabulate[Deal](100_000)(i => Deal(last(rows(i)), 1))(using allocator)
      )
      fails(allocator =>
        PackedRows.from((0 until 100_000).view.map(i => Deal(last(rows(i)), 1)))(using allocator)
      )
      fails(allocator =>
        Rows.from(Iterator.range(0, 100_000).map(i => Deal(last(rows(i)), 1)))(using allocator)
      )
      fails(allocator => rows.sortBy(deal => last(deal))(using allocator))
      fails(allocator => rows.parSortBy(deal => last(deal))(using allocator))
      fails(allocator => rows.topBy(90_000)(deal => last(deal))(using allocator))
      fails(allocator => rows.parFilter(deal => last(deal) > 0)(using allocator))

  test("a collection with more or fewer values than its size leaves no table in Malloc"):
    def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
    def fails(count: Int, message: String): Unit =
      val before = live
      val error = intercept[ConcurrentModificationException]:
        Columns.from(Miscounted(100_000, count))(using Malloc)
      assertEquals(error.getMessage, message)
      assert(live - before < 100_000, s"$live bytes, $before before")
    val size = "the collection's size is 100000 values, but its iterator returns"
    fails(0, s"$size 0")
    fails(99_999, s"$size 99999")
    fails(200_000, s"$size at least 100001")
    Region.scoped:
      assertEquals(Rows.from(Miscounted(3, 3)).map(_.ticket).toVector, Vector(0, 1, 2))

  test("an operation whose table is closed by a function leaves no table in Malloc"):
    def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
    def fails(operation: (Rows[Deal], Deal => Int, Allocator) => Any): Unit =
      val region = Region.shared("deals")
      val rows = Rows.tabulate[Deal](100_000)(i => Deal(i.toInt, 10))(using region)
      val before = live
      def closing(deal: Deal): Int =
        if deal.ticket == 99_999 then region.close()
        deal.ticket % 2
      intercept[StaleReferenceException](operation(rows, closing, Malloc)): Unit
      assert(live - before < 100_000, s"$live bytes, $before before")
    fails((rows, closing, allocator) => rows.distinctBy(deal => closing(deal))(using allocator))
    fails((rows, closing, allocator) => rows.partition(deal => closing(deal) == 0)(using allocator))
    fails((rows, closing, allocator) => rows.groupBy(deal => closing(deal))(using allocator))
    fails((rows, closing, allocator) => rows.sortBy(deal => closing(deal))(using allocator))
    fails((rows, closing, allocator) => rows.topBy(90_000)(deal => closing(deal))(using allocator))

  test("the copy of a view of closed tables leaves no table in Malloc"):
    def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
    val region = Region.shared("deals")
    val rows = Rows.tabulate[Deal](100_000)(i => Deal(i.toInt, 10))(using region)
    val view = rows.concat(rows)
    region.close()
    val before = live
    intercept[StaleReferenceException](view.copy(using Malloc)): Unit
    assert(live - before < 100_000, s"$live bytes, $before before")

  test("a copy of a closed segment or buffer leaves no block in Malloc"):
    def live = Ledger.report().rows.find(_.name == Malloc.name).fold(0L)(_.liveBytes)
    val arena = java.lang.foreign.Arena.ofConfined()
    val segment = arena.allocate(1 << 20)
    val buffer = segment.asByteBuffer
    arena.close()
    val before = live
    intercept[IllegalStateException](BytesRef(segment)(using Malloc)): Unit
    intercept[IllegalStateException](Rows.from[Int](buffer)(using Malloc)): Unit
    assert(live - before < 100_000, s"$live bytes, $before before")

  test("a class without a Struct is named where the allocator is passed by `using`"):
    val errors = compileErrors("def f(region: Region) = Rows[Thread](3)(using region)")
    assert(errors.contains("Thread has no Struct"), errors)
end AllocatorArgumentTest
