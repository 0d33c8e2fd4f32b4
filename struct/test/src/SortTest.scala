package undercroft.struct

import org.scalacheck.{Arbitrary, Gen, Prop}
import org.scalacheck.Prop.forAll
import undercroft.memory.{MemoryLimitException, Region, StaleReferenceException}
import undercroft.testkit.assertAllocates

enum Way derives CanEqual:
  case Buy, Sell, Hold

case class Item(
    number: Int,
    flag: Boolean,
    tiny: Byte,
    small: Short,
    letter: Char,
    key: Int,
    long: Long,
    float: Float,
    double: Double,
    name: Text[11],
    side: Way
) derives Struct, CanEqual

class SortTest extends undercroft.tools.PropertySuite:

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(30)

  private def near[A](some: Gen[A], few: A*): Gen[A] = Gen.oneOf(some, Gen.oneOf(few))

  private val texts = Gen
    .listOf(Gen.oneOf('a', 'b', 'é', 'z'))
    .map(letters => Text.truncated[11](letters.mkString))

  private val item =
    for
      flag <- Arbitrary.arbitrary[Boolean]
      tiny <- Arbitrary.arbitrary[Byte]
      small <- Arbitrary.arbitrary[Short]
      letter <- Gen.choose(Char.MinValue, Char.MaxValue)
      key <- near(Arbitrary.arbitrary[Int], 0, 1, -1, Int.MinValue, Int.MaxValue)
      long <- near(Arbitrary.arbitrary[Long], 0L, -1L, Long.MinValue, Long.MaxValue, 1L << 40)
      float <- near(Arbitrary.arbitrary[Float], 0f, -0f, Float.NaN, Float.NegativeInfinity)
      double <- near(Arbitrary.arbitrary[Double], 0.0, -0.0, Double.NaN, Double.MinValue)
      name <- texts
      side <- Gen.oneOf(Way.values.toSeq)
    yield Item(0, flag, tiny, small, letter, key, long, float, double, name, side)

  /** Sizes on both sides of the limits at which another algorithm is used. */
  private val items =
    for
      size <- Gen.oneOf(0, 1, 2, 24, 25, 60, 300)
      values <- Gen.listOfN(size, item)
    yield values.zipWithIndex.map((value, number) => value.copy(number = number)).toVector

  private val byText: Ordering[Text[11]] = (a, b) => a.compare(b.string)
  private val byFloat: Ordering[Float] = java.lang.Float.compare(_, _)
  private val byDouble: Ordering[Double] = java.lang.Double.compare(_, _)

  /** Sorted in place, the keys are in order and the rows are the same rows; the other sorts return
    * equal rows.
    */
  private inline def agrees[L <: Layout, K](
      inline tables: TableFactory[L],
      values: Vector[Item],
      strings: Vector[String]
  )(inline key: Item => K)(using order: Ordering[K]): Unit =
    Region.scoped:
      val expected = values.sortBy(key)
      val source = tables.from(values)
      assertEquals(source.sortBy(key).toVector.map(_.number), expected.map(_.number))
      assertEquals(source.toVector.map(_.number), values.map(_.number))
      source.sortInPlaceBy(key)
      assert(source.toVector.map(key).corresponds(expected.map(key))(order.equiv))
      assertEquals(source.toVector.map(_.toString).sorted, strings)

  private inline def sorts[L <: Layout](inline tables: TableFactory[L]): Prop =
    forAll(items): values =>
      val strings = values.map(_.toString).sorted
      agrees(tables, values, strings)(_.flag)
      agrees(tables, values, strings)(_.tiny)
      agrees(tables, values, strings)(_.small)
      agrees(tables, values, strings)(_.letter)
      agrees(tables, values, strings)(_.key)
      agrees(tables, values, strings)(_.long)
      agrees(tables, values, strings)(_.float)(using byFloat)
      agrees(tables, values, strings)(_.double)(using byDouble)
      agrees(tables, values, strings)(_.name)(using byText)
      agrees(tables, values, strings)(_.side)(using Ordering.by(_.ordinal))
      true

  property("sorts of rows by every kind of key agree with a Vector")(sorts(Rows))
  property("sorts of packed rows by every kind of key agree with a Vector")(sorts(PackedRows))
  property("sorts of columns by every kind of key agree with a Vector")(sorts(Columns))

  property("sortBy accepts any key function, for known and for generic row types"):
    def generic[T, L <: Layout](table: Table[T, L], key: T => Long)(using Region): Table[T, L] =
      table.sortBy(key)
    forAll(items): values =>
      Region.scoped:
        val expected = values.sortBy(value => -(value.key.toLong + value.tiny)).map(_.number)
        val rows = Rows.from(values)
        val columns = Columns.from(values)
        def key(value: Item) = -(value.key.toLong + value.tiny)
        assertEquals(
          rows.sortBy(value => -(value.key.toLong + value.tiny)).toVector.map(_.number),
          expected
        )
        assertEquals(generic(columns, key).toVector.map(_.number), expected)

  property("binarySearchBy returns the first of equal rows or the insertion point"):
    forAll(items, item): (values, other) =>
      finds(values, other)(_.key)
      finds(values, other)(_.double)(using byDouble)
      finds(values, other)(_.name)(using byText)
      finds(values, other)(_.side)(using Ordering.by(_.ordinal))
      true

  private inline def finds[K](values: Vector[Item], other: Item)(inline key: Item => K)(using
      order: Ordering[K]
  ): Unit =
    Region.scoped:
      val sorted = values.sortBy(key)
      val rows = Rows.from(sorted)
      val columns = Columns.from(sorted)
      for wanted <- other +: values.take(5) do
        val at = sorted.indexWhere(value => order.gteq(key(value), key(wanted)))
        val place = if at < 0 then sorted.size else at
        val isThere = at >= 0 && order.equiv(key(sorted(at)), key(wanted))
        val expected = if isThere then place.toLong else -place.toLong - 1
        assertEquals(rows.binarySearchBy(key)(key(wanted)), expected)
        assertEquals(columns.binarySearchBy(key)(key(wanted)), expected)

  test("sortInPlaceBy of a slice leaves the rows outside unchanged"):
    Region.scoped:
      def check[L <: Layout](rows: Table[Trade, L], slice: Table[Trade, L])(
          sort: Table[Trade, L] => Unit
      ) =
        sort(slice)
        val numbers = rows.map(_.ticket).toVector
        assertEquals(numbers, (99 to 90 by -1).toVector ++ (20 to 89) ++ (19 to 0 by -1))
      def rows = Vector.tabulate(100)(i => Trade(99 - i, i, i, true))
      val (a, b, c) = (Rows.from(rows), PackedRows.from(rows), Columns.from(rows))
      check(a, a.slice(10, 80))(_ => a.slice(10, 80).sortInPlaceBy(_.ticket))
      check(b, b.slice(10, 80))(_ => b.slice(10, 80).sortInPlaceBy(_.ticket))
      check(c, c.slice(10, 80))(_ => c.slice(10, 80).sortInPlaceBy(_.ticket))

  test("sorts of rows with an enum field keep every row's fields"):
    Region.scoped:
      val values = Vector.tabulate(100): i =>
        val figure = if i % 2 == 0 then Mark.Circle(i) else Mark.Box(i, -i)
        Drawn(figure, (i * 37) % 100)
      val (rows, columns) = (Rows.from(values), Columns.from(values))
      assertEquals(rows.sortBy(_.order).toVector, values.sortBy(_.order))
      assertEquals(columns.sortBy(_.order).toVector, values.sortBy(_.order))
      columns.sortInPlaceBy(_.order)
      assertEquals(columns.toVector, values.sortBy(_.order))

  test("sorts of wide rows keep every row's fields"):
    Region.scoped:
      val rows = Rows[Wide128](100)
      for i <- 0 until 100 do
        rows.updateAt(i)(_.f0)(_ => (i * 37) % 100)
        rows.updateAt(i)(_.f127)(_ => (i * 37) % 100 + 1000)
      val sorted = rows.sortBy(_.f0)
      rows.sortInPlaceBy(_.f127)
      for i <- 0 until 100 do
        assertEquals((rows.ref(i).f0, rows.ref(i).f127), (i, i + 1000))
        assertEquals((sorted.ref(i).f0, sorted.ref(i).f127), (i, i + 1000))

  test("sorts by Text keys with a long common prefix are correct"):
    Region.scoped:
      val values = Vector.tabulate(1000)(i => Name(Text("x" * 30 + (i * 7919) % 1000), i))
      val expected = values.sortBy(_.name.string)
      val rows = Rows.from(values)
      assertEquals(rows.sortBy(_.name).toVector, expected)
      rows.sortInPlaceBy(_.name)
      assertEquals(rows.toVector, expected)

  test("sortBy with a key that throws changes nothing and frees its buffer"):
    Region.named("sort", limitBytes = 4 << 20):
      val rows = Rows.tabulate[Trade](10_000)(i => Trade(i.toInt, 2, 3, true))
      // The buffer takes 160 000 bytes, the result as many: forty would not fit if they were
      // leaked.
      def broken(trade: Trade): Int = if trade.ticket == 9_999 then sys.error("no key") else 1
      for _ <- 1 to 10 do
        assertEquals(intercept[RuntimeException](rows.sortBy(broken)).getMessage, "no key")
      assertEquals(rows.map(_.ticket).toVector, (0 until 10_000).toVector)

  test("sortBy beyond the budget throws MemoryLimitException and changes nothing"):
    Region.named("small", limitBytes = 300_000):
      val rows = Rows.tabulate[Trade](10_000)(i => Trade(9_999 - i.toInt, 2, 3, true))
      intercept[MemoryLimitException](rows.sortBy(_.ticket))
      assertEquals(rows.map(_.ticket).toVector, (9_999 to 0 by -1).toVector)
      rows.sortInPlaceBy(_.ticket) // needs no allocator
      assertEquals(rows.map(_.ticket).toVector, (0 until 10_000).toVector)

  test("sorting or searching a table of a closed region throws an exception that names the region"):
    val rows = Region.named("morning")(Rows.from(Vector.fill(3)(Trade(1, 2, 3, true))))
    Region.scoped:
      for use <- List(
          () => rows.sortInPlaceBy(_.price),
          () => rows.sortBy(_.price): Unit,
          () => rows.binarySearchBy(_.price)(3): Unit
        )
      do
        val error = intercept[StaleReferenceException](use())
        assert(error.getMessage.contains("morning"), error.getMessage)

  test("binarySearchBy allocates nothing"):
    Region.scoped:
      val rows = Rows.tabulate[Trade](1000)(i => Trade(i.toInt, 2, i.toInt * 2, true))
      var sink = 0L
      assertAllocates(0) { sink += rows.binarySearchBy(_.price)(500) }
      assert(sink > 0)

  test("a sort or search without a known type or primitive field does not compile"):
    val unknown = compileErrors(
      "def sort[T](rows: Rows[T])(key: T => Int): Unit = rows.sortInPlaceBy(key)"
    )
    assert(unknown.contains("sortInPlaceBy needs a known row type and layout"), unknown)
    val function = compileErrors("def sort(rows: Rows[Trade]) = rows.sortInPlaceBy(_.balance)")
    assert(function.contains("sortInPlaceBy needs a primitive field"), function)
    val struct =
      compileErrors("def find(rows: Rows[Line]) = rows.binarySearchBy(_.from)(Point(1, 2))")
    assert(
      struct.contains("binarySearchBy needs a primitive field, a field that is a Text"),
      struct
    )
end SortTest

case class Name(name: Text[40], number: Int) derives Struct, CanEqual
case class Assorted(tiny: Byte, key: Long, low: Int, name: Text[3], number: Int)
    derives Struct,
      CanEqual
case class Numbered(key: Long, number: Int) derives Struct, CanEqual
case class Drawn(figure: Mark, order: Int) derives Struct, CanEqual
