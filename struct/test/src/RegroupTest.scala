package undercroft.struct

import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.forAll
import undercroft.memory.{Region, StaleReferenceException}

class RegroupTest extends undercroft.tools.PropertySuite:

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(60)

  private val trade =
    for
      ticket <- Gen.choose(0, 1000)
      amount <- Gen.choose(-3, 3)
      price <- Gen.choose(0, 9)
      buy <- Gen.oneOf(true, false)
    yield Trade(ticket, amount, price, buy)

  /** Includes sizes on both sides of a 64-bit word. */
  private val trades =
    for
      size <- Gen.oneOf(Gen.choose(0, 20), Gen.oneOf(63, 64, 65, 127, 128, 300))
      values <- Gen.listOfN(size, trade)
    yield values.toVector

  private inline def agrees[L <: Layout](inline tables: TableFactory[L]): Prop =
    forAll(trades, Gen.choose(0, 70)): (values, n) =>
      Region.scoped:
        // A slice, so that its first row is not the first row of its memory.
        val table = tables.from(Trade(-1, -1, -1, false) +: values).slice(1, values.size + 1)
        val (yes, no) = table.partition(_.buy)
        assertEquals((yes.toVector, no.toVector), values.partition(_.buy))
        assertEquals(table.distinctBy(_.price).toVector, values.distinctBy(_.price))
        assertEquals(
          table.distinctBy(t => (t.price, t.buy)).toVector,
          values.distinctBy(t => (t.price, t.buy))
        )
        assertEquals(table.distinct.toVector, values.distinct)
        assertEquals(table.topBy(n)(_.price).toVector, values.sortBy(-_.price).take(n))
        assertEquals(table.topBy(n)(t => -t.balance).toVector, values.sortBy(_.balance).take(n))
        assertEquals(table.toVector, values)
        true

  property("partition, distinct and topBy of rows agree with a Vector")(agrees(Rows))
  property("partition, distinct and topBy of packed rows agree with a Vector")(agrees(PackedRows))
  property("partition, distinct and topBy of columns agree with a Vector")(agrees(Columns))

  private inline def groups[L <: Layout, K](inline tables: TableFactory[L], values: Vector[Trade])(
      inline key: Trade => K
  )(using CanEqual[K, K]): Unit =
    Region.scoped:
      val table = tables.from(values)
      val groups = table.groupBy(key)
      val expected = values.groupBy(key)
      assertEquals(groups.size, expected.size.toLong)
      var keys = Vector.empty[K]
      groups.foreach: (key, rows) =>
        keys :+= key
        assertEquals(rows.toVector, expected(key))
      assertEquals(keys, values.map(key).distinct)
      for (key, rows) <- expected do
        assertEquals(groups(key).toVector, rows)
        assertEquals(groups.get(key).map(_.toVector), Some(rows))
        assert(groups.contains(key))
      val sums = table.groupMapReduce(key)(_.price.toLong)(_ + _)
      val model = values.groupMapReduce(key)(_.price.toLong)(_ + _)
      assertEquals(sums.size, model.size.toLong)
      for (key, sum) <- model do assertEquals(sums(key), sum)
      assertEquals(table.toVector, values)

  private inline def allGroups[L <: Layout](inline tables: TableFactory[L]): Prop =
    forAll(trades): values =>
      groups(tables, values)(_.amount)
      groups(tables, values)(_.buy)
      groups(tables, values)(t => (t.price, t.amount.toLong))
      true

  property("groupBy of rows agrees with a Vector")(allGroups(Rows))
  property("groupBy of packed rows agrees with a Vector")(allGroups(PackedRows))
  property("groupBy of columns agrees with a Vector")(allGroups(Columns))

  test("groupBy and distinctBy accept a Text key and functions in variables"):
    Region.scoped:
      val names = Vector("a", "é", "a", "", "é").map(Text[4](_))
      val items = names.zipWithIndex.map((name, i) => Labelled(name, i))
      val rows = Columns.from(items)
      val key: Labelled => Text[4] = _.name
      val groups = rows.groupBy(key)
      assertEquals(groups(Text[4]("a")).map(_.number).toVector, Vector(0, 2))
      assertEquals(groups.get(Text[4]("b")).isEmpty, true)
      assertEquals(rows.distinctBy(key).map(_.number).toVector, Vector(0, 1, 3))
      val add: (Int, Int) => Int = _ + _
      assertEquals(rows.groupMapReduce(_.name)(_.number)(add)(Text[4]("é")), 5)

  test("groupMapReduce reduces whole structs"):
    Region.scoped:
      val rows = Rows.from(Vector.tabulate(7)(i => Trade(i, i % 2, i, true)))
      val last =
        rows.groupMapReduce(_.amount)(row => row)((a, b) => if a.price > b.price then a else b)
      assertEquals((last(0), last(1)), (Trade(6, 0, 6, true), Trade(5, 1, 5, true)))

  private def generic[T, L <: Layout](table: Table[T, L])(p: T => Boolean, key: T => Long)(using
      Region
  ): (Vector[T], Vector[T], Vector[T], Vector[T]) =
    val (yes, no) = table.partition(p)
    val groups = table.groupBy(key)
    var grouped = Vector.empty[T]
    groups.foreach((_, rows) => grouped ++= rows.toVector)
    (
      yes.toVector ++ no.toVector,
      table.distinctBy(key).toVector,
      table.topBy(3)(key).toVector,
      grouped
    )

  property("generic code over any struct and layout uses partition, groupBy and topBy"):
    forAll(trades): values =>
      Region.scoped:
        def expected =
          val (yes, no) = values.partition(_.buy)
          val keys = values.map(_.price).distinct
          (
            yes ++ no,
            values.distinctBy(_.price),
            values.sortBy(-_.price).take(3),
            keys.flatMap(key => values.filter(_.price == key))
          )
        assertEquals(generic(Rows.from(values))(_.buy, _.price.toLong), expected)
        assertEquals(generic(Columns.from(values))(_.buy, _.price.toLong), expected)
        true

  test("an exception of a key function is rethrown and leaves the table unchanged"):
    Region.scoped:
      val rows = Rows.from(Vector.tabulate(100)(i => Trade(i, i, i, true)))
      def fails(trade: Trade): Int = sys.error(s"no answer for ${trade.ticket}")
      val errors = Vector(
        intercept[RuntimeException](rows.partition(t => fails(t) > 0)),
        intercept[RuntimeException](rows.distinctBy(fails(_))),
        intercept[RuntimeException](rows.groupBy(fails(_))),
        intercept[RuntimeException](rows.topBy(2)(fails(_))),
        intercept[RuntimeException](rows.groupMapReduce(_.price)(fails(_))(_ + _))
      )
      assertEquals(errors.map(_.getMessage).distinct, Vector("no answer for 0"))
      assertEquals(rows.map(_.ticket).toVector, (0 until 100).toVector)

  test("partition and groupBy omit rows that their function appends to the table"):
    Region.scoped:
      val rows = Rows.growing[Trade]
      rows.appendAll(List(Trade(1, 2, 3, true), Trade(2, 3, 4, false)))
      def grow(trade: Trade): Int =
        rows += trade
        trade.price
      val (yes, no) = rows.partition(grow(_) > 3)
      assertEquals(
        (yes.toVector, no.toVector),
        (Vector(Trade(2, 3, 4, false)), Vector(Trade(1, 2, 3, true)))
      )
      assertEquals(rows.size, 4L)
      assertEquals(rows.groupBy(grow(_)).size, 2L)
      assertEquals(rows.size, 8L)
      assertEquals(rows.topBy(9)(grow(_)).size, 8L)
      assertEquals(rows.distinctBy(grow(_)).size, 2L)

  test("using tables and groups of a closed region throws an exception that names the region"):
    val (rows, groups) = Region.named("morning"):
      val rows = Rows.from(Vector(Trade(1, 2, 3, true)))
      (rows, rows.groupBy(_.price))
    Region.scoped:
      for operation <- Vector[() => Any](
          () => rows.partition(_.buy),
          () => rows.distinctBy(_.price),
          () => rows.groupBy(_.price),
          () => rows.topBy(1)(_.price),
          () => rows.groupMapReduce(_.price)(_.price)(_ + _),
          () => groups(3),
          () => groups.foreach((_, _) => ())
        )
      do
        val error = intercept[StaleReferenceException](operation())
        assert(error.getMessage.contains("morning"), error.getMessage)

  test("an unknown key function, a key without an order and a negative count are rejected"):
    val top = compileErrors("def f(rows: Rows[Line])(using Region) = rows.topBy(3)(_.from)")
    assert(top.contains("topBy needs a function to a primitive"), top)
    val group =
      compileErrors("def f[K](rows: Rows[Line], key: Line => K)(using Region) = rows.groupBy(key)")
    assert(group.contains("make the method around it inline"), group)
    assertEquals(
      Region.scoped(
        intercept[IllegalArgumentException](Rows[Trade](2).topBy(-1)(_.price)).getMessage
      ),
      "count must be at least 0, but is -1"
    )
end RegroupTest

final case class Labelled(name: Text[4], number: Int) derives Struct, CanEqual
