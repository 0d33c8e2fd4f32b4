package outside.struct

import java.util.concurrent.CountDownLatch
import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.*
import undercroft.struct.*

enum Direction derives Struct, CanEqual:
  case Buy, Sell

final case class Fill(
    id: Int,
    direction: Direction,
    price: Double,
    time: Long,
    venue: Text[10],
    isOpen: Boolean
) derives Struct

final case class LongTexts(
    a: Text[4096],
    b: Text[4096],
    c: Text[4096],
    d: Text[4096],
    e: Text[4096]
) derives Struct

final case class ManyTexts(
    a: Text[4096],
    b: Text[4096],
    c: Text[4096],
    d: Text[4096],
    e: Text[4096],
    f: Text[4096],
    g: Text[4096],
    h: Text[4096],
    i: Text[4096],
    j: Text[4096],
    k: Text[4096],
    l: Text[4096],
    id: Int
) derives Struct

final case class LongTitled(title: Text[4096], id: Int) derives Struct

final case class Titled(title: Text[40], author: Text[24], id: Int) derives Struct

/** Keys of several values, as a user writes them; beside Scala's own sort. */
class SortKeysTest extends undercroft.tools.Suite:

  private given Ordering[Double] = Ordering.Double.TotalOrdering
  private given Ordering[Direction] = Ordering.by(_.ordinal)
  private val backwards = Ordering.String.reverse

  private val seed = java.util.concurrent.ThreadLocalRandom.current.nextLong()
  private val random = scala.util.Random(seed)
  private val fills = Vector.tabulate(2000): id =>
    Fill(
      id,
      Direction.fromOrdinal(random.nextInt(2)),
      Seq(-0.0, 0.0, -1.5, 7.25, Double.NaN, random.nextInt(20) - 10.0)(random.nextInt(6)),
      random.nextLong(40) - 20,
      Text[10](Seq("", "a", "a€", "nyse", "xetra", "verylongna")(random.nextInt(6))),
      random.nextBoolean()
    )

  /** Doubles that equal NaN are not equal: compares texts. */
  private def assertSame(found: Iterable[Fill], expected: Iterable[Fill]): Unit =
    assertEquals(found.map(_.toString).toVector, expected.map(_.toString).toVector, s"seed $seed")

  test("sortBy by a tuple sorts by its values in their order, in each layout"):
    Region.scoped:
      val expected = fills.sortBy(f => (f.direction, f.time, f.isOpen))
      assertSame(Rows.from(fills).sortBy(f => (f.direction, f.time, f.isOpen)).toVector, expected)
      assertSame(
        PackedRows.from(fills).sortBy(f => (f.direction, f.time, f.isOpen)).toVector,
        expected
      )
      assertSame(
        Columns.from(fills).sortBy(f => (f.direction, f.time, f.isOpen)).toVector,
        expected
      )

  test("a value in desc descends; equal keys keep their order"):
    Region.scoped:
      val rows = Rows.from(fills)
      assertSame(
        rows.sortBy(f => (desc(f.direction), f.id % 7)).toVector,
        fills.sortBy(f => (-f.direction.ordinal, f.id % 7))
      )
      assertSame(
        rows.sortBy(f => (f.isOpen, desc(f.id % 7))).toVector,
        fills.sortBy(f => (f.isOpen, -(f.id % 7)))
      )
      assertSame(rows.sortBy(f => desc(f.time)).toVector, fills.sortBy(f => -f.time))
      assertSame(
        rows.sortBy(f => desc(f.price)).toVector,
        fills.sortBy(f => f.price)(using Ordering.Double.TotalOrdering.reverse)
      )
      assertSame(
        rows.sortBy(f => (f.direction, desc(f.price), f.time)).toVector,
        fills.sortBy(f => (f.direction, f.price, f.time))(using
          Ordering.Tuple3(using summon, Ordering.Double.TotalOrdering.reverse, summon)
        )
      )

  test("texts are values of a key, ascending and descending"):
    Region.scoped:
      val rows = Columns.from(fills)
      assertSame(
        rows.sortBy(f => desc(f.venue)).toVector,
        fills.sortBy(_.venue.toString)(using backwards)
      )
      assertSame(
        rows.sortBy(f => (f.venue, desc(f.time), f.direction)).toVector,
        fills.sortBy(f => (f.venue.toString, -f.time, f.direction))
      )
      assertSame(
        rows.sortBy(f => (f.isOpen, desc(f.venue), f.id)).toVector,
        fills.sortBy(f => (f.isOpen, f.venue.toString, f.id))(using
          Ordering.Tuple3(using summon, backwards, summon)
        )
      )

  test("a key may be computed, bound to names first, or another function"):
    Region.scoped:
      val rows = Rows.from(fills)
      val expected = fills.sortBy(f => (f.id % 5, -f.direction.ordinal))
      val key = (f: Fill) => (f.id % 5, desc(f.direction))
      assertSame(rows.sortBy(key).toVector, expected)
      assertSame(rows.sortBy(key(_)).toVector, expected)
      val sorted = rows.sortBy: f =>
        val group = f.id % 5
        (group, desc(f.direction))
      assertSame(sorted.toVector, expected)

  test("rows are sorted in place by several fields, in each layout"):
    Region.scoped:
      val expected = fills.sortBy(f => (f.direction, -f.time, f.venue.toString, f.id))
      val rows = Rows.from(fills)
      rows.sortInPlaceBy(f => (f.direction, desc(f.time), f.venue, f.id))
      assertSame(rows.toVector, expected)
      val packed = PackedRows.from(fills)
      packed.sortInPlaceBy(f => (f.direction, desc(f.time), f.venue, f.id))
      assertSame(packed.toVector, expected)
      val columns = Columns.from(fills)
      columns.parSortInPlaceBy(f => (f.direction, desc(f.time), f.venue, f.id))
      assertSame(columns.toVector, expected)

  test("rows whose long texts are equal are sorted in place on a small stack"):
    var sorted = Vector.empty[String]
    def texts(text: String) = LongTexts(Text(text), Text(text), Text(text), Text(text), Text(text))
    val task: Runnable = () =>
      Region.scoped:
        val rows = Rows.from(List("y", "x", "x").map(texts))
        rows.sortInPlaceBy(r => (r.a, r.b, r.c, r.d, r.e))
        val up = rows.map(_.e.toString).toVector
        rows.sortInPlaceBy(r => (desc(r.a), r.b, desc(r.c), r.d, desc(r.e)))
        sorted = up ++ rows.map(_.e.toString).toVector
    val thread = Thread(null, task, "small stack", 512L << 10)
    thread.start()
    thread.join()
    assertEquals(sorted, Vector("x", "x", "y", "y", "x", "x"))

  test("rows whose long texts are equal are sorted into a new table on a small stack"):
    var sorted = Vector.empty[Int]
    val (x, long) = (Text[4096]("x"), Text[4096]("x" * 4096))
    def texts(id: Int) =
      ManyTexts(x, x, x, x, x, long, x, x, x, x, x, Text(s"${id % 3}"), id)
    val task: Runnable = () =>
      Region.scoped:
        val rows = Rows.from(Vector.tabulate(60)(texts))
        val up = rows.sortBy: r =>
          (r.a, r.b, r.c, r.d, r.e, r.f, r.g, r.h, r.i, r.j, r.k, r.l)
        val down = rows.parSortBy: r =>
          (desc(r.a), r.b, r.c, r.d, r.e, desc(r.f), r.g, r.h, r.i, r.j, r.k, desc(r.l))
        sorted = up.map(_.id).toVector ++ down.map(_.id).toVector
    val thread = Thread(null, task, "small stack", 512L << 10)
    thread.start()
    thread.join()
    val ids = Vector.range(0, 60)
    assertEquals(sorted, ids.sortBy(_ % 3) ++ ids.sortBy(-_ % 3))

  test("sortBy and parSortBy sort texts that are prefixes of each other"):
    Region.scoped:
      val values = random.shuffle(Vector.range(0, 600))
        .map(id => LongTitled(Text("x" * (id * 6)), id))
      val rows = Rows.from(values ++ values)
      val up = Vector.tabulate(1200)(_ / 2)
      assertEquals(rows.sortBy(_.title).map(_.id).toVector, up, s"seed $seed")
      assertEquals(rows.sortBy(t => desc(t.title)).map(_.id).toVector, up.reverse, s"seed $seed")
      assertEquals(rows.parSortBy(t => (t.title, t.id)).map(_.id).toVector, up, s"seed $seed")

  test("rows are sorted by texts with many duplicates and common prefixes"):
    val prefixes = Vector("", "a", "a common prefix of ", "a common prefix of many titles ")
    def text() = prefixes(random.nextInt(4)) + "xyz".take(random.nextInt(3)) + random.nextInt(3)
    val values =
      Vector.tabulate(5000)(id => Titled(Text(text()), Text(text().takeRight(24)), id))
    def title(row: Titled) = row.title.toString
    def author(row: Titled) = row.author.toString
    Region.scoped:
      val rows = Columns.from(values)
      val stable = values.sortBy(t => (title(t), author(t))).map(_.id)
      assertEquals(rows.sortBy(t => (t.title, t.author)).map(_.id).toVector, stable, s"seed $seed")
      assertEquals(
        rows.parSortBy(t => (t.title, t.author)).map(_.id).toVector,
        stable,
        s"seed $seed"
      )
      rows.sortInPlaceBy(_.title)
      assertEquals(rows.map(title(_)).toVector, values.map(title).sorted, s"seed $seed")
      assertEquals(rows.map(_.id).toVector.sorted, values.map(_.id), s"seed $seed")
      rows.sortInPlaceBy(t => (t.title, t.author, t.id))
      val up = values.sortBy(t => (title(t), author(t), t.id))
      assertEquals(rows.map(_.id).toVector, up.map(_.id), s"seed $seed")
      rows.sortInPlaceBy(t => (desc(t.author), t.title, t.id))
      val down = values.sortBy(t => (author(t), title(t), t.id))(using
        Ordering.Tuple3(using backwards, summon, summon)
      )
      assertEquals(rows.map(_.id).toVector, down.map(_.id), s"seed $seed")

  test("topBy and parSortBy take the same keys"):
    Region.scoped:
      val rows = Rows.from(fills)
      assertSame(
        rows.topBy(30)(f => (f.direction, desc(f.time))).toVector,
        fills.sortBy(f => (-f.direction.ordinal, f.time)).take(30)
      )
      assertSame(
        rows.topBy(30)(f => (f.isOpen, desc(f.id % 100))).toVector,
        fills.sortBy(f => (!f.isOpen, f.id % 100)).take(30)
      )
      assertSame(
        rows.parSortBy(f => (f.venue, desc(f.time), f.direction)).toVector,
        fills.sortBy(f => (f.venue.toString, -f.time, f.direction))
      )
      assertSame(
        rows.parSortBy(f => (f.direction, desc(f.id % 9))).toVector,
        fills.sortBy(f => (f.direction, -(f.id % 9)))
      )

  test("topBy by a text beside a close of the rows' region succeeds or names the region"):
    val values = Vector.tabulate(5000)(id => Titled(Text("a common prefix"), Text(""), id))
    def rowsIn(region: Region) = Rows.from(values)(using region)
    def top(rows: Rows[Titled]): Unit =
      Region.scoped(assertEquals(rows.topBy(5000)(t => (t.title, t.id)).size, 5000L))
    val region = Region.shared("open")
    val rows = rowsIn(region)
    for _ <- 1 to 3 do top(rows)
    val start = System.nanoTime
    top(rows)
    val nanos = System.nanoTime - start
    region.close()
    var rejected = 0
    for round <- 0 until 20 do
      val closed = Region.shared("ranked")
      val closing = rowsIn(closed)
      val begin = CountDownLatch(1)
      val thread = Thread.ofPlatform.daemon.start: () =>
        begin.await()
        val end = System.nanoTime + nanos * round / 20
        while System.nanoTime - end < 0 do Thread.onSpinWait()
        closed.close()
      begin.countDown()
      if round == 0 then thread.join() // one close certainly precedes
      try top(closing)
      catch
        case error: StaleReferenceException =>
          assert(error.getMessage.contains("ranked"), error.getMessage)
          rejected += 1
      finally
        val _ = Thread.interrupted() // a close beside a read interrupts the thread that reads
        thread.join()
    assert(rejected > 0)

  test("minBy and maxBy compare enums, Booleans and tuples"):
    Region.scoped:
      val rows = Rows.from(fills)
      assertSame(
        List(rows.minBy(f => (f.direction, desc(f.id))), rows.maxBy(f => (f.isOpen, desc(f.id)))),
        List(fills.minBy(f => (f.direction, -f.id)), fills.maxBy(f => (f.isOpen, -f.id)))
      )
      assertSame(
        List(rows.maxBy(_.price), rows.minBy(_.direction)),
        List(fills.maxBy(_.price), fills.minBy(_.direction))
      )
      val (count, evenCount) = (fills.map(_.time).max, rows.map(_.time).maxBy(time => desc(time)))
      assert(evenCount < count)

  test("binarySearchBy finds a tuple in rows that are sorted by it"):
    Region.scoped:
      val rows = Rows.from(fills).sortBy(f => (f.venue, desc(f.time)))
      val sorted = fills.sortBy(f => (f.venue.toString, -f.time))
      for fill <- fills.take(200) do
        val found = rows.binarySearchBy(f => (f.venue, desc(f.time)))((fill.venue, desc(fill.time)))
        val expected =
          sorted.indexWhere(f => f.venue.toString == fill.venue.toString && f.time == fill.time)
        assertEquals(found, expected.toLong, s"seed $seed, $fill")
      val absent = rows.binarySearchBy(f => (f.venue, desc(f.time)))((Text[10]("a"), desc(99L)))
      assertEquals(-absent - 1, sorted.indexWhere(_.venue.toString == "a").toLong)

  test("groupBy, distinctBy and groupMapReduce take tuples of fields"):
    Region.scoped:
      val rows = Rows.from(fills)
      val keys = fills.map(f => (f.direction, f.isOpen)).distinct
      assertEquals(rows.groupBy(f => (f.direction, f.isOpen)).size, keys.size.toLong)
      assertEquals(rows.distinctBy(f => (f.direction, f.isOpen)).size, keys.size.toLong)

  test("a tuple of one value is a key"):
    Region.scoped:
      val rows = Rows.from(fills)
      val descending = fills.map(_.id).reverse
      assertEquals(rows.sortBy(f => Tuple1(-f.id)).map(_.id).toVector, descending)
      assertEquals(rows.minBy(f => Tuple1(-f.id)).id, descending.head)
      val ids = Rows.from(fills.map(f => Tuple1(-f.id)))
      assertEquals(ids.minBy(key => key)._1, -descending.head)
      rows.sortInPlaceBy(f => Tuple1(desc(f.id)))
      assertEquals(rows.map(_.id).toVector, descending)

  test("a computed key of more than 8 bytes is rejected with the alternatives"):
    val errors = typeCheckErrors("""
      import undercroft.memory.*
      Region.scoped:
        Rows.from(List.empty[Fill]).sortBy(f => (f.price * 2, f.time))
    """).map(_.message).mkString
    assert(
      errors.contains(
        "sortBy needs fields as the values of this key, for example `row => (row.name, desc(row.price))`"
      ),
      errors
    )
    val in = typeCheckErrors("""
      import undercroft.memory.*
      Region.scoped:
        Rows.from(List.empty[Fill]).sortInPlaceBy(f => (f.id + 1, f.time))
    """).map(_.message).mkString
    assert(in.contains("sortInPlaceBy needs fields as the values of this key"), in)
    val kinds = typeCheckErrors("""
      import undercroft.memory.*
      Region.scoped:
        Rows.from(List.empty[Fill]).sortBy(f => (f.id, List(f.time)))
    """).map(_.message).mkString
    assert(kinds.contains("sortBy needs a function to a primitive"), kinds)
end SortKeysTest
