package outside.struct

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*

case class Stop(x: Int, y: Long, note: Byte) derives Struct, CanEqual
case class Broad(before: InlineArray[Long, 5000], last: Int) derives Struct
case class Hop(id: Int, next: Ref[Hop]) derives Struct

/** Loops over the structs of a RefArray, against a Vector of the same values. */
class RefViewTest extends undercroft.tools.Suite:
  private val seed = Random.nextLong()
  private val random = Random(seed)
  private def clue = s"seed $seed"
  var sink = 0L

  private def stop(i: Long): Stop = Stop(i.toInt, i * 10, (i % 100).toByte)

  /** References to rows in random order, and their indices. */
  private def drawn(rows: Rows[Stop], count: Int): (RefArray[Stop], Vector[Int]) =
    val indices = Vector.fill(count)(random.nextInt(rows.size.toInt))
    val refs = RefArray[Stop](count)
    for i <- 0 until count do refs(i) = rows.ref(indices(i))
    (refs, indices)

  test("the loops of a view have the results of a Vector's, of near and of far structs"):
    // 24 bytes a struct: all in 24 KB, and in 36 MB, of which a block touches most.
    for rowCount <- List(1000, 1_500_000); count <- List(0, 1, 2, 255, 256, 257, 5000) do
      Region.scoped:
        val rows = Rows.tabulate[Stop](rowCount)(stop)
        val (refs, indices) = drawn(rows, count)
        val values = indices.map(i => stop(i))
        assertEquals(refs.view.size, count.toLong)
        assertEquals(refs.view.toVector, values, clue)
        assertEquals(refs.view.sumOf(_.y), values.map(_.y).sum, clue)
        assertEquals(refs.view.map(_.x).toVector, values.map(_.x), clue)
        assertEquals(refs.view.count(_.note > 50), values.count(_.note > 50).toLong, clue)
        assertEquals(refs.view.exists(_.x < 0), false)
        assertEquals(refs.view.find(_.note == 7), values.find(_.note == 7), clue)
        assertEquals(refs.view.indexWhere(_.note == 7), values.indexWhere(_.note == 7).toLong)
        assertEquals(
          refs.view.filter(_.x % 3 == 0).foldLeft(1L)(_ * 31 + _.y),
          values.filter(_.x % 3 == 0).foldLeft(1L)(_ * 31 + _.y),
          clue
        )
        var sum = 0L
        for stop <- refs.view do sum += stop.x - stop.y
        assertEquals(sum, values.map(value => value.x - value.y).sum, clue)
        assertEquals(Rows.from(refs.view).toVector, values, clue)
        // A view and a function in a val take ordinary calls.
        val view: View[Stop] = refs.view
        val isOdd = (stop: Stop) => stop.x % 2 != 0
        assertEquals(view.filter(isOdd).toVector, values.filter(isOdd), clue)
        assertEquals(view.exists(isOdd), values.exists(isOdd), clue)

  test("structs in blocks of Malloc, in scoped and shared regions are mixed in one array"):
    val shared = Region.shared("shared")
    Region.scoped:
      val refs = RefArray[Stop](300)
      val blocks = Vector.tabulate(100)(i => Ref(stop(i))(using Malloc))
      for i <- 0 until 100 do
        refs(i * 3) = blocks(i)
        refs(i * 3 + 1) = Ref(stop(i))
        refs(i * 3 + 2) = Ref(stop(i))(using shared)
      assertEquals(refs.view.sumOf(_.y), 3L * 49_500)
      blocks.foreach(block => Malloc.free(Ref.address(block)))
      intercept[StaleReferenceException](refs.view.sumOf(_.y)): Unit
    shared.close()

  test("a loop ends with an error at the first null or stale reference, after the ones before it"):
    val region = Region.shared("morning")
    Region.scoped:
      val rows = Rows.tabulate[Stop](1_500_000)(stop)
      val stale = Ref(stop(-1))(using region)
      region.close()
      for at <- List(0, 1, 255, 256, 700, 999); bad <- List(Ref.none[Stop], stale) do
        val (refs, indices) = drawn(rows, 1000)
        refs(at) = bad
        val before = Vector.newBuilder[Int]
        val error = intercept[MemoryException](refs.view.foreach(stop => before += stop.x))
        assertEquals(before.result(), indices.take(at), clue)
        if Ref.isNone(bad) then assert(error.isInstanceOf[NullReferenceException], error.toString)
        else
          assertEquals(
            intercept[StaleReferenceException](refs.view.sumOf(_.y)).owner,
            Some("region \"morning\"")
          )
        // A loop that ends before that reference does not read it.
        if at > 0 then assert(refs.view.exists(_.x == indices(at - 1)))
      val nulls = RefArray[Stop](3)
      intercept[NullReferenceException](nulls.view.sumOf(_.y)): Unit
      intercept[NullReferenceException](nulls.view.toVector): Unit
      val view: View[Stop] = nulls.view
      intercept[NullReferenceException](view.exists((_: Stop) => true)): Unit
      assertEquals(nulls.view.count(_ => true), 3L) // reads no field

  test("a close on another thread ends a loop with an error, and no loop sees another owner"):
    for round <- 1 to 20 do
      val region = Region.shared("day")
      val rows = Rows[Stop](1_000_000)(using region)
      rows.fill(Stop(7, 7, 7))
      val (refs, _) = drawn(rows, 100_000)
      val hasStarted = CountDownLatch(1)
      val problem = AtomicReference[String]()
      val closer = Thread.ofPlatform.start: () =>
        hasStarted.await()
        region.close()
        Region.scoped(Rows[Stop](1_000_000).fill(Stop(-1, -1, -1))): Unit
      try
        hasStarted.countDown()
        for _ <- 1 to 1000 do
          refs.view.foreach(stop => if stop.x != 7 || stop.y != 7 then problem.set(s"$stop"))
        fail("the region was not closed")
      catch case _: StaleReferenceException => ()
      finally closer.join()
      assertEquals(Option(problem.get), None, s"round $round")

  test("the references of a view are those of the array when the loop comes to them"):
    Region.scoped:
      val rows = Rows.tabulate[Stop](100)(stop)
      val refs = RefArray[Stop](2)
      val view = refs.view
      for i <- 0 until 2 do refs(i) = rows.ref(i)
      assertEquals(view.map(_.x).toVector, Vector(0, 1))
      refs(1) = rows.ref(99)
      rows(99) = Stop(-5, 0, 0)
      assertEquals(view.map(_.x).toVector, Vector(0, -5))
      assertEquals(view.toString, "RefView of 2 references to Stop")

  test("a loop in a loop, and far fields of wide structs"):
    Region.scoped:
      val rows = Rows.tabulate[Stop](1_500_000)(stop)
      val (outer, outerIndices) = drawn(rows, 300)
      val (inner, innerIndices) = drawn(rows, 300)
      var sum = 0L
      outer.view.foreach(a => inner.view.foreach(b => sum += a.x.toLong * b.x))
      assertEquals(
        sum,
        (for a <- outerIndices; b <- innerIndices yield a.toLong * b).sum,
        clue
      )
      val broad = Rows[Broad](1000)
      for i <- 0 until 1000 do broad.updateAt(i)(_.last)(_ => i)
      val refs = RefArray[Broad](1000)
      for i <- 0 until 1000 do refs(i) = broad.ref((i * 7) % 1000)
      assertEquals(refs.view.sumOf(_.last), 499_500L)
      assertEquals(refs.view.map(_.last).head, 0)
      assertEquals(refs.view.exists(_.before(3) != 0), false)

  test("a view of structs that refer to others follows their references"):
    Region.scoped:
      val last = Ref(Hop(9, Ref.none))
      val refs = RefArray[Hop](10)
      for i <- 0 until 10 do refs(i) = Ref(Hop(i, last))
      assertEquals(refs.view.sumOf(_.next.id), 90L)
      assertEquals(refs.view.filter(_.id > 7).map(_.next().id).toVector, Vector(9, 9))
end RefViewTest
