package outside.struct

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicReference
import scala.util.Random
import undercroft.memory.*
import undercroft.struct.*

enum Unit2 derives Struct, CanEqual:
  case Piece
  case Weight(grams: Int)
  case Box(width: Double, height: Double)

case class Item(
    article: Int,
    amount: Long,
    name: Text[6],
    unit: Unit2,
    discount: Option[Byte],
    @bigEndian code: Short
) derives Struct,
      CanEqual

case class Purchase(id: Long, items: RowsRef[Item], note: Byte) derives Struct, CanEqual
case class Small(x: Int, y: Long) derives Struct, CanEqual
case class Basket(first: RowsRef[Small], second: Option[RowsRef[Small]]) derives Struct, CanEqual
case class Generic[A](id: Int, runs: RowsRef[A]) derives Struct
case class Arrays(runs: InlineArray[RowsRef[Small], 2], last: Int) derives Struct
enum Route derives Struct, CanEqual:
  case Empty
  case Path(id: Int, steps: RowsRef[Small])
  case Loop(steps: RowsRef[Small])
case class Widest(numbers: InlineArray[Int, 100], last: Int) derives Struct, CanEqual
case class Named(id: Int, name: TextRef) derives Struct
case class Linked(id: Int, next: Ref[Linked]) derives Struct
case class NestedRun(id: Int, inner: RowsRef[Small]) derives Struct

/** A RowsRef against a Vector of the same values. */
class RowsRefTest extends undercroft.tools.Suite:
  private val seed = Random.nextLong()
  private val random = Random(seed)
  private def clue = s"seed $seed"
  var sink = 0L

  private def item(): Item =
    val unit = random.nextInt(3) match
      case 0 => Unit2.Piece
      case 1 => Unit2.Weight(random.nextInt())
      case _ => Unit2.Box(random.nextDouble(), -random.nextDouble())
    val discount = Option.when(random.nextBoolean())(random.nextInt().toByte)
    val name = Text[6]("article".take(random.nextInt(7)))
    Item(random.nextInt(), random.nextInt(), name, unit, discount, random.nextInt().toShort)

  private def smalls(count: Int): Vector[Small] = Vector.tabulate(count)(i => Small(i, i * 10L))

  test("a run holds the values of a Vector, of any size, from every source"):
    Region.scoped:
      // The structs of 44 bytes do not end at the ends of pages.
      for size <- List(0, 1, 2, 7, 1000, 5000) do
        val values = Vector.fill(size)(item())
        val rows = Rows.from(values)
        val runs = List(
          RowsRef.from(values),
          RowsRef.from(values.toArray),
          RowsRef.from(IArray.from(values)),
          RowsRef.from(values.iterator),
          RowsRef.from(rows),
          RowsRef.from(Columns.from(values)),
          RowsRef.from(rows.filter(_ => true)),
          RowsRef(values*)
        )
        for run <- runs do
          assertEquals(run.size, size.toLong, clue)
          assertEquals(run.isEmpty, size == 0)
          assertEquals(run.nonEmpty, size != 0)
          assertEquals(run.toVector, values, clue)
          assertEquals(Vector.tabulate(size)(i => run(i)), values, clue)
          assertEquals(run, runs.head, clue)
          assertEquals(run.hashCode, runs.head.hashCode, clue)
          assertEquals(run.toString, s"RowsRef($size Item)")

  test("the loops of a run have the results of a Vector's"):
    Region.scoped:
      val values = Vector.fill(3000)(item())
      val run = RowsRef.from(values)
      var sum = 0L
      for item <- run do sum += item.amount
      assertEquals(sum, values.map(_.amount).sum, clue)
      assertEquals(run.sumOf(_.amount), sum)
      assertEquals(run.count(_.discount.isEmpty), values.count(_.discount.isEmpty).toLong, clue)
      assertEquals(run.exists(_.code == values.last.code), true)
      assertEquals(run.forall(_.amount != 0), values.forall(_.amount != 0))
      assertEquals(
        run.filter(_.article > 0).map(_.name.string).toVector,
        values.filter(_.article > 0).map(_.name.string),
        clue
      )
      assertEquals(run.foldLeft(1L)(_ * 31 + _.article), values.foldLeft(1L)(_ * 31 + _.article))
      assertEquals(run.map(_.article).max, values.map(_.article).max)
      assertEquals(run.find(_.article < 0), values.find(_.article < 0))
      assertEquals(run.head, values.head)
      assertEquals(Rows.from(run)(2999), values.last)
      val weights = run.count: item =>
        item.unit match
          case Unit2.Weight(grams) => grams > 0
          case _                   => false
      val expected = values.count: item =>
        item.unit match
          case Unit2.Weight(grams) => grams > 0
          case _                   => false
      assertEquals(weights, expected.toLong, clue)
      // A view and a function in a val take ordinary calls.
      val view: View[Item] = run
      val isPositive = (item: Item) => item.article > 0
      assertEquals(view.filter(isPositive).toVector, values.filter(isPositive))

  test("a run is a field in every layout, in Options and behind references, and copies share it"):
    Region.scoped:
      def holds[L <: Layout](tables: TableFactory[L]): Unit =
        val table = tables[Purchase](100)
        assertEquals(table(7).items.size, 0L)
        val values = Vector.tabulate(100)(i => Vector.fill(i % 5)(item()))
        for i <- 0 until 100 do table(i) = Purchase(i, RowsRef.from(values(i)), -1)
        assertEquals(table.toVector.map(_.items.toVector), values, clue)
        assertEquals(table(9).note, (-1).toByte)
      holds(Rows)
      holds(PackedRows)
      holds(Columns)
      val basket = Ref(Basket(RowsRef.from(smalls(3)), Some(RowsRef.from(smalls(4)))))
      assertEquals(basket.first.size, 3L)
      assertEquals(basket.first(2), Small(2, 20))
      assertEquals(basket.first.sumOf(_.y), 30L)
      assertEquals(basket().second.map(_.size), Some(4L))
      basket.first = RowsRef(Small(9, 9))
      assertEquals(basket(_.first(0).x), 9)
      basket.transform(_.copy(second = None))
      assertEquals(basket().second, None)
      basket.update(_.first)(first => RowsRef.from(first.toVector ++ smalls(2)))
      assertEquals(basket.first.map(_.x).toVector, Vector(9, 0, 1))
      val copy = Ref(basket())
      assertEquals(RowsRef.address(copy.first), RowsRef.address(basket.first))
      assertEquals(Struct[Basket].size, 40)
      // Runs in a class with a type parameter.
      val generic = Rows.from(List(Generic(1, RowsRef.from(smalls(3)))))
      assertEquals(generic(0).runs(2), Small(2, 20))
      assertEquals(generic.ref(0).runs.size, 3L)
      def sizes[A: Struct](rows: Rows[Generic[A]]): List[Long] =
        rows.toVector.map(_.runs.size).toList
      assertEquals(sizes(generic), List(3L))
      assertEquals(Struct[Generic[Small]].size, 24)
      // Rows of runs, and a run of primitives and of tuples.
      val runs = Rows.tabulate[RowsRef[Small]](10)(i => RowsRef.from(smalls(i.toInt)))
      assertEquals(runs.map(_.size).toVector, Vector.tabulate(10)(_.toLong))
      val numbers = RowsRef.from((0 until 1000).map(_ * 3))
      assertEquals(numbers.sum, 3L * 499_500)
      assertEquals(RowsRef((1, 2.5), (2, 3.5)).map(_._2).toVector, Vector(2.5, 3.5))

  test("a run is a part of arrays, cases, tuples, map values and opaque types"):
    Region.scoped:
      val pair = InlineArray[RowsRef[Small], 2](RowsRef.from(smalls(2)), RowsRef.from(smalls(3)))
      val arrays = Rows.from(List(Arrays(pair, 7)))
      assertEquals(arrays(0).runs(1).size, 3L)
      assertEquals(arrays(0).runs(1)(2), Small(2, 20))
      assertEquals(arrays(0).last, 7)
      arrays.updateAt(0)(_.runs(0))(_ => RowsRef(Small(5, 6)))
      assertEquals(arrays.ref(0)(_.runs(0)(0)), Small(5, 6))
      val routes = Columns.from(
        List(Route.Empty, Route.Path(1, RowsRef.from(smalls(4))), Route.Loop(RowsRef.empty))
      )
      val sums = routes.map:
        case Route.Empty           => -1L
        case Route.Path(id, steps) => id + steps.sumOf(_.y)
        case Route.Loop(steps)     => steps.size
      assertEquals(sums.toVector, Vector(-1L, 61L, 0L))
      assertEquals(routes(1), Route.Path(1, RowsRef.from(smalls(4))))
      val tuples = PackedRows.from(List((1, RowsRef.from(smalls(2)))))
      assertEquals(tuples(0)._2.map(_.x).toVector, Vector(0, 1))
      val map = StructMap[Int, RowsRef[Small]]()
      for i <- 0 until 100 do map(i) = RowsRef.from(smalls(i))
      assertEquals(map.get(7).map(_.toVector), Some(smalls(7)))
      val growing = Rows.growing[Purchase]
      for i <- 0 until 1000 do growing += Purchase(i, RowsRef.from(Vector.fill(i % 3)(item())), 0)
      assertEquals(growing.sumOf(_.items.size), 999L)
      growing.updateAll(_.items)(items => RowsRef.from(items.filter(_ => false)))
      assertEquals(growing.sumOf(_.items.size), 0L)
      val sorted = growing.sortBy(purchase => desc(purchase.id))
      assertEquals(sorted(0).id, 999L)
      val groups = growing.groupBy(_.id % 2)
      assertEquals(groups(1L).size, 500L)

  test("parallel operations read runs"):
    Region.scoped:
      val rows = Rows.tabulate[Basket](50_000)(i => Basket(RowsRef.from(smalls(3)), None))
      assertEquals(rows.parAggregate(0L)(_ + _.first.sumOf(_.y))(_ + _), 50_000L * 30)

  test("equality and hashes are by content, also of structs with runs"):
    Region.scoped:
      val values = Vector.fill(50)(item())
      val (a, b) = (Purchase(1, RowsRef.from(values), 2), Purchase(1, RowsRef.from(values), 2))
      val other = Purchase(1, RowsRef.from(values.updated(49, item())), 2)
      assertEquals(a, b)
      assertEquals(a.hashCode, b.hashCode)
      assertNotEquals(a, other)
      val rows = Rows.from(List(a, b, other, a.copy(items = RowsRef.empty)))
      assert(rows.contentEqualsAt(0, 1))
      assert(!rows.contentEqualsAt(0, 2))
      assert(!rows.contentEqualsAt(0, 3))
      assertEquals(rows.hashAt(0), rows.hashAt(1))
      assertEquals(rows.compareAt(0, 1), 0)
      assert(rows.compareAt(0, 2) == -rows.compareAt(2, 0) && rows.compareAt(0, 2) != 0)
      assert(Ref.contentEquals(rows.ref(0), rows.ref(1)))
      // -0.0 and 0.0 differ by their bits, as for whole structs.
      assertNotEquals(RowsRef(0.0), RowsRef(-0.0))
      assertEquals(RowsRef(Double.NaN), RowsRef(Double.NaN))

  test("an index outside a run throws, whatever it is"):
    Region.scoped:
      val run = RowsRef.from(smalls(10))
      for index <- List(-1L, 10L, Long.MinValue, Long.MaxValue, 1L << 44, (1L << 60) + 3) do
        val error = intercept[IndexOutOfBoundsException](run(index))
        assert(error.getMessage.nn.contains("10"), error.getMessage)
      intercept[IndexOutOfBoundsException](RowsRef.empty[Small](0)): Unit
      assertEquals(RowsRef.empty[Small].toVector, Vector.empty)
      assertEquals(RowsRef.empty[Small].sumOf(_.y), 0L)
      assertEquals(RowsRef.empty[Small], RowsRef.from(Vector.empty[Small]))

  test("a run of a closed region, and a freed run, is an error in every use"):
    def assertStale(run: RowsRef[Small]): Unit =
      val uses = List[() => Any](
        () => run(0),
        () => run(0).x,
        () => run(99).y,
        () => run.sumOf(_.x),
        () => run.foreach(small => sink += small.y),
        () => run.exists(_.x == 3),
        () => run.toVector,
        () => (run: View[Small]).filter((_: Small) => true).toVector,
        () => run.hashCode,
        () => run == RowsRef.from(smalls(100))(using Malloc)
      )
      for use <- uses do intercept[StaleReferenceException](use()): Unit
    val region = Region.shared("day")
    val run = RowsRef.from(smalls(100))(using region)
    val order = Purchase(1, RowsRef.from(Vector.fill(3)(item()))(using region), 2)
    region.close()
    assertStale(run)
    val error = intercept[StaleReferenceException](order.items(2))
    assertEquals(error.owner, Some("region \"day\""))
    for _ <- 1 to 100 do // other owners of the same pages
      Region.scoped:
        Rows[Small](1000).fill(Small(-1, -1))
        assertStale(run)
    val block = RowsRef.from(smalls(100))(using Malloc)
    assertEquals(block(99), Small(99, 990))
    Malloc.free(RowsRef.address(block))
    assertStale(block)
    val reused = RowsRef.from(smalls(100).map(small => small.copy(x = -1)))(using Malloc)
    assertStale(block)
    Malloc.free(RowsRef.address(reused))

  test("a loop during which the region is closed throws, and never shows another owner's values"):
    var throwing = 0
    for round <- 1 to 200 do
      val region = Region.shared()
      val run = RowsRef.from(Vector.tabulate(20_000)(i => Small(7, 7)))(using region)
      val failure = AtomicReference[Throwable | Null](null)
      val started = CountDownLatch(1)
      val reader = Thread: () =>
        try
          started.countDown()
          var passes = 0
          while passes < 100_000 do
            run.foreach(small =>
              if small.x != 7 || small.y != 7 then throw AssertionError(s"$small")
            )
            passes += 1
        catch case error: Throwable => failure.set(error)
      reader.start()
      started.await()
      region.close()
      Region.scoped(Rows[Small](20_000).fill(Small(-1, -1)))
      reader.join()
      failure.get match
        case _: StaleReferenceException => throwing += 1
        case null                       => ()
        case error                      => throw AssertionError("another owner's value", error)
    end for
    assertEquals(throwing, 200)

  test("a run in an exhausted budget throws, and changes nothing"):
    val budget = Budget("runs", limitBytes = 1.MiB)
    Region.within(budget):
      val order = Ref(Basket(RowsRef.from(smalls(2)), None))
      intercept[MemoryLimitException](
        order.first = RowsRef.from(Iterator.tabulate(200_000)(i => Small(i, i)))
      ): Unit
      assertEquals(order.first.toVector, smalls(2))
      intercept[ArithmeticException](
        order.first = RowsRef.from(Iterator.tabulate(10)(i => Small(1 / (5 - i), 0)))
      ): Unit
      assertEquals(order.first.toVector, smalls(2))
    intercept[RegionClosedException]:
      val closed = Region.shared("closed")
      closed.close()
      RowsRef(Small(1, 2))(using closed)

  test("a null run is not stored"):
    Region.scoped:
      val rows = Rows.from(List(Purchase(1, RowsRef.from(List(item())), 2)))
      intercept[NullPointerException](rows(0) = Purchase(5, null, 6)): Unit
      assertEquals(rows(0).id, 1L)
      assertEquals(rows(0).items.size, 1L)

  test("structs that are too wide for a word-wise load are elements, too"):
    Region.scoped:
      val values = Vector.tabulate(50)(i => Widest(InlineArray.tabulate[Int, 100](_ + i), i))
      val run = RowsRef.from(values)
      assertEquals(run.toVector, values)
      assertEquals(run(49), values(49))
      assertEquals(run.sumOf(_.last), 1225L)
      assertEquals(run.map(_.numbers(99)).toVector, values.map(_.numbers(99)))

  private def says(errors: String, parts: String*)(using munit.Location): Unit =
    assert(!errors.contains("Exception occurred"), errors)
    for part <- parts do assert(errors.contains(part), errors)

  test("elements that refer to other memory do not compile, and the error names alternatives"):
    val reason = "cannot be in a RowsRef, whose structs are compared and copied as bytes: "
    says(
      compileErrors("Region.scoped(RowsRef(Named(1, TextRef.empty)))"),
      s"Named $reason`name` is a TextRef, which refers to other memory; keep a key, an index, a Text[N]"
    )
    says(
      compileErrors("Region.scoped(RowsRef.from(List(Linked(1, Ref.none))))"),
      s"Linked $reason`next` is a Reference"
    )
    says(
      compileErrors("Region.scoped(RowsRef(NestedRun(1, RowsRef.empty)))"),
      s"NestedRun $reason`inner` is a RowsRef"
    )
    says(
      compileErrors("def f[T: Struct](t: T)(using Region) = RowsRef(t)"),
      "the elements of a RowsRef must be a known type, not T: make the method around it inline"
    )
    says(
      compileErrors("case class Bad(id: Int, values: RowsRef[java.util.Date]) derives Struct"),
      "field `values` is a RowsRef of Date, which has no Struct: say how it is stored"
    )

  test("a run is neither a key of a map nor a member of a union, and the errors say so"):
    says(
      compileErrors("Region.scoped(StructMap[NestedRun, Int]())"),
      "a map's key is compared by its own bytes, and NestedRun.inner refers to others"
    )
    says(compileErrors("Union[(a: RowsRef[Small], b: Int)](b = 1)"), "RowsRef")
    val map =
      compileErrors("Region.scoped(StructMap[Int, NestedRun]()(1) = NestedRun(1, RowsRef.empty))")
    assertEquals(map, "") // as a value, a run is allowed
    says(compileErrors("Region.scoped(RowsRef(Small(1, 2))(0) = Small(2, 3))"), "update")
end RowsRefTest
