package outside.struct

import scala.compiletime.testing.typeCheckErrors
import undercroft.memory.*
import undercroft.struct.*

opaque type Symbol8 = Text[8]
object Symbol8:
  def apply(name: String): Symbol8 = Text[8](name)
  extension (symbol: Symbol8) def name: String = symbol.string

final case class Iban(value: String)
object Iban:
  given Struct.StoredAs[Iban, Text[20]]:
    def encode(iban: Iban): Text[20] = Text(iban.value)
    def decode(stored: Text[20]): Iban = Iban(stored.string)

final case class Payment(
    id: Int,
    direction: Direction,
    amount: Double,
    time: Long,
    payee: Text[21],
    symbol: Symbol8,
    iban: Iban,
    isOpen: Boolean
) derives Struct

/** `minBy` and `maxBy` by keys of any length, beside a Vector. */
class LeastByTest extends undercroft.tools.Suite:

  private given Ordering[Double] = Ordering.Double.TotalOrdering
  private given Ordering[Direction] = Ordering.by(_.ordinal)

  private val seed = java.util.concurrent.ThreadLocalRandom.current.nextLong()
  private val random = scala.util.Random(seed)

  private def text(): String =
    val alphabet = Vector("a", "b", "z", "é", "€", "😀", "\uffff")
    List.fill(random.nextInt(4))(alphabet(random.nextInt(alphabet.size))).mkString

  private def payments(count: Int): Vector[Payment] = Vector.tabulate(count): id =>
    Payment(
      id,
      Direction.fromOrdinal(random.nextInt(2)),
      Vector(-0.0, 0.0, -1.5, Double.NaN, random.nextInt(3).toDouble)(random.nextInt(5)),
      random.nextLong(4) - 2,
      Text.truncated[21](if random.nextBoolean() then text() else "same start, " + text()),
      Symbol8(Text.truncated[8](text()).string),
      Iban(text()),
      random.nextBoolean()
    )

  private def codePoints(a: String, b: String): Int =
    java.util.Arrays.compareUnsigned(a.getBytes("UTF-8"), b.getBytes("UTF-8"))
  private given Ordering[String] = (a, b) => codePoints(a, b)

  /** Compares the ids that operations find; None for an empty view. */
  private def compare(found: (String, Option[Payment])*)(expected: Option[Payment]*): Unit =
    for ((name, payment), other) <- found.zip(expected) do
      assertEquals(payment.map(_.id), other.map(_.id), s"$name, seed $seed")
    assertEquals(found.size, expected.size)

  private inline def check(inline view: View[Payment], values: Vector[Payment]): Unit =
    compare(
      "payee" -> view.minByOption(_.payee),
      "desc(payee)" -> view.minByOption(p => desc(p.payee)),
      "most payee" -> view.maxByOption(_.payee),
      "(time, id)" -> view.minByOption(p => (p.time, desc(p.id))),
      "(isOpen, payee, amount)" -> view.maxByOption(p => (p.isOpen, p.payee, p.amount)),
      "(amount, direction)" -> view.minByOption(p => (p.amount, p.direction)),
      "(desc(amount), time)" -> view.minByOption(p => (desc(p.amount), p.time, desc(p.payee))),
      "computed" -> view.maxByOption(p => (p.time * 2, -p.id.toLong % 3)),
      "symbol" -> view.minByOption(_.symbol),
      "(symbol, payee)" -> view.maxByOption(p => (p.symbol, desc(p.payee))),
      "iban" -> view.minByOption(_.iban),
      "isOpen" -> view.minByOption(_.isOpen)
    )(
      values.minByOption(_.payee.string),
      values.minByOption(_.payee.string)(using Ordering[String].reverse),
      values.maxByOption(_.payee.string),
      values.minByOption(p => (p.time, -p.id)),
      values.maxByOption(p => (p.isOpen, p.payee.string, p.amount)),
      values.minByOption(p => (p.amount, p.direction)),
      values.minByOption(p => (p.amount, p.time, p.payee.string))(using
        Ordering.Tuple3(using
          Ordering[Double].reverse,
          Ordering.Long,
          Ordering[String].reverse
        )
      ),
      values.maxByOption(p => (p.time * 2, -p.id.toLong % 3)),
      values.minByOption(_.symbol.name),
      values.maxByOption(p => (p.symbol.name, p.payee.string))(using
        Ordering.Tuple2(using Ordering[String], Ordering[String].reverse)
      ),
      values.minByOption(_.iban.value),
      values.minByOption(_.isOpen)
    )
    if values.nonEmpty then
      compare(
        "minBy" -> Some(view.minBy(p => (p.payee, p.time))),
        "maxBy" -> Some(view.maxBy(p => (p.time, p.payee)))
      )(
        Some(values.minBy(p => (p.payee.string, p.time))),
        Some(values.maxBy(p => (p.time, p.payee.string)))
      )
    else
      for
        (name, operation) <- List[(String, () => Payment)](
          "minBy" -> (() => view.minBy(_.payee)),
          "maxBy" -> (() => view.maxBy(p => (p.time, p.id)))
        )
      do
        val error = intercept[NoSuchElementException](operation())
        assertEquals(error.getMessage, s"$name requires at least one value")
  end check

  for count <- List(0, 1, 2, 60) do
    val values = payments(count)

    test(s"minBy and maxBy by long keys agree with a Vector of $count values in each layout"):
      Region.scoped:
        check(Rows.from(values), values)
        check(PackedRows.from(values), values)
        check(Columns.from(values), values)

    test(s"minBy and maxBy by long keys agree with a Vector on views of $count values"):
      Region.scoped:
        val (rows, columns) = (Rows.from(values), Columns.from(values))
        check(rows.filter(_.isOpen), values.filter(_.isOpen))
        check(columns.filter(_.time > 0).map(p => p.copy(id = -p.id)), mapped(values))
        check(columns.reverse, values.reverse)
        check(
          rows.drop(1).strided(2),
          values.drop(1).zipWithIndex.filter(_._2 % 2 == 0).map(_._1)
        )
        check(columns.concat(columns.take(3), columns), values ++ values.take(3) ++ values)
        check(RowsRef.from(values), values)
        val refs = RefArray[Payment](values.size)
        for i <- values.indices do refs(i) = rows.ref(i)
        check(refs.view, values)
        val view: View[Payment] = columns
        check(view, values)
        check(rows.zip(columns.drop(1)).map((p, _) => p), values.dropRight(1))
  end for

  private def mapped(values: Vector[Payment]): Vector[Payment] =
    values.filter(_.time > 0).map(p => p.copy(id = -p.id))

  test("pairs of rows are compared by fields of both"):
    Region.scoped:
      val values = payments(50)
      val (rows, columns) = (Rows.from(values), Columns.from(values.drop(1)))
      val (a, b) = rows.zip(columns).minBy((a, b) => (a.payee, b.payee, a.time))
      val (c, d) =
        values.zip(values.drop(1)).minBy((a, b) => (a.payee.string, b.payee.string, a.time))
      assertEquals((a.id, b.id), (c.id, d.id), s"seed $seed")

  test("texts as elements of a table are keys"):
    Region.scoped:
      val words = Vector("kiwi", "apple", "pear", "a longer name", "apple")
      val rows = Rows.from(words.map(Text[16](_)))
      assertEquals(rows.minBy(word => word).string, "a longer name")
      assertEquals(rows.maxBy(word => (word, word)).string, "pear")
      assertEquals(rows.filter(_.byteLength == 5).minBy(word => desc(word)).string, "apple")

  test("a key may be another function or bind names first"):
    Region.scoped:
      val values = payments(40)
      val rows = Columns.from(values)
      val key = (p: Payment) => (p.payee, desc(p.time))
      val expected = values.minBy(p => (p.payee.string, -p.time)).id
      assertEquals(rows.minBy(key).id, expected, s"seed $seed")
      assertEquals(rows.minBy(key(_)).id, expected, s"seed $seed")
      val found = rows.minBy: p =>
        val late = desc(p.time)
        (p.payee, late)
      assertEquals(found.id, expected, s"seed $seed")

  test("the key is called once for each value, in order"):
    Region.scoped:
      val rows = Rows.from(payments(20))
      val seen = Vector.newBuilder[Int]
      val _ = rows.minBy: p =>
        seen += p.id
        (p.time, p.payee)
      assertEquals(seen.result(), Vector.range(0, 20))

  test("minOption and maxOption are None when empty"):
    Region.scoped:
      val rows = Rows.from(List(3, 1, 2))
      assertEquals((rows.minOption, rows.maxOption), (Some(1), Some(3)))
      assertEquals(rows.filter(_ > 3).map(_ + 1).minOption, None)
      assertEquals(rows.filter(_ > 3).map(_ + 1).maxOption, None)

  test("a key of another type is rejected"):
    val errors = typeCheckErrors("""
      import undercroft.memory.*
      Region.scoped:
        Rows.from(List.empty[Payment]).minBy(p => (p.time, List(p.id)))
    """).map(_.message).mkString
    assert(errors.contains("minBy needs a function to a primitive"), errors)
    val option = typeCheckErrors("""
      import undercroft.memory.*
      Region.scoped:
        Rows.from(List.empty[Payment]).maxByOption(p => "" + p.payee)
    """).map(_.message).mkString
    assert(option.contains("maxByOption needs a function to a primitive"), option)
end LeastByTest
