package outside.struct

import undercroft.memory.*
import undercroft.struct.*

/** Tables and views under the names of Scala's sequences, beside Vectors of the same values. */
class SequenceTest extends undercroft.tools.Suite:

  private def deal(i: Int): Deal = Deal(i, i * 7919 % 31)

  /** Compares a view with the Vector of its values, in all operations. */
  private def compare(view: View[Deal], values: Vector[Deal]): Unit =
    assertEquals(view.toList, values.toList)
    assertEquals(view.headOption, values.headOption)
    assertEquals(view.lastOption, values.lastOption)
    assertEquals(view.zipWithIndex.toVector, values.zipWithIndex.map((d, i) => (d, i.toLong)))
    assertEquals(
      view.map(_.amount).reduceOption((a, b) => a * 3 + b),
      values.map(_.amount).reduceOption((a, b) => a * 3 + b)
    )
    assertEquals((view.size, view.isEmpty), (values.size.toLong, values.isEmpty))
    assertEquals(view.nonEmpty, values.nonEmpty)
    assertEquals(view.iterator.toVector, values)
    assertEquals(view.map(_.ticket).iterator.toVector, values.map(_.ticket))
    assertEquals(
      view.scanLeft(0)((sum, d) => sum + d.amount).iterator.toVector,
      values.scanLeft(0)((sum, d) => sum + d.amount)
    )
    assertEquals(view.zipWithIndex.iterator.map(_._2).toVector, values.indices.map(_.toLong))
    for count <-
        List(Long.MinValue, -1L, 0L, 1L, 3L, values.size - 1L, values.size.toLong, Long.MaxValue)
    do
      assertEquals(view.take(count).toVector, values.take(toInt(count)))
      assertEquals(view.take(count).iterator.toVector, values.take(toInt(count)))
      assertEquals(view.drop(count).toVector, values.drop(toInt(count)))
      assertEquals(view.drop(count).iterator.toVector, values.drop(toInt(count)))
    for limit <- List(-1, 0, 5, 100) do
      assertEquals(view.takeWhile(_.amount < limit).toVector, values.takeWhile(_.amount < limit))
      assertEquals(view.dropWhile(_.amount < limit).toVector, values.dropWhile(_.amount < limit))
      val (before, after) = view.span(_.amount < limit)
      assertEquals((before.toVector, after.toVector), values.span(_.amount < limit))
      assertEquals(
        (before.iterator.toVector, after.iterator.toVector),
        values.span(_.amount < limit)
      )
    val even: PartialFunction[Deal, Int] = {
      case Deal(ticket, amount) if amount % 2 == 0 => ticket
    }
    assertEquals(view.collect(even).toVector, values.collect(even))
    assertEquals(view.collect(even).iterator.toVector, values.collect(even))
    assertEquals(
      view.flatMap(d => List.fill(d.amount % 3)(d.ticket)).toVector,
      values.flatMap(d => List.fill(d.amount % 3)(d.ticket))
    )
    assertEquals(
      view.flatMap(d => view.take(2).map(_.ticket + d.ticket)).take(9).toVector,
      values.flatMap(d => values.take(2).map(_.ticket + d.ticket)).take(9)
    )
    assertEquals(
      view.flatMap(d => view.take(2).map(_.ticket + d.ticket)).iterator.toVector,
      values.flatMap(d => values.take(2).map(_.ticket + d.ticket))
    )
    for wanted <- List(deal(0), deal(3), Deal(-1, -1)) do
      assertEquals(view.contains(wanted), values.contains(wanted))
    for other <- List(values, values.take(2), values.drop(1), values :+ deal(9), Vector()) do
      assertEquals(view.sameElements(other), values.sameElements(other))
      assertEquals(view.startsWith(other), values.startsWith(other))
    assertEquals(view.mkString("<", "; ", ">"), values.mkString("<", "; ", ">"))
    assertEquals(view.map(_.ticket).mkString(","), values.map(_.ticket).mkString(","))
    if values.isEmpty then
      for
        (name, empty) <- List[(String, () => Any)](
          "head" -> (() => view.head),
          "last" -> (() => view.last),
          "reduce" -> (() => view.reduce((a, _) => a))
        )
      do
        val error = intercept[NoSuchElementException](empty())
        assertEquals(error.getMessage, s"$name requires at least one value")
    else assertEquals((view.head, view.last), (values.head, values.last))
    assertEquals(Columns.from(view)(using memory).toVector, values)
  end compare

  private def toInt(count: Long): Int =
    count.max(Int.MinValue.toLong).min(Int.MaxValue.toLong).toInt

  private val memory = Region.shared("sequences")
  override def afterAll(): Unit = memory.close()

  for size <- List(0, 1, 2, 40) do
    val values = Vector.tabulate(size)(deal)
    test(s"rows, packed rows and columns of $size rows, and their views, agree with a Vector"):
      Region.scoped:
        for table <- List(Rows.from(values), PackedRows.from(values), Columns.from(values)) do
          compare(table, values)
          compare(table.filter(_.amount % 3 != 0), values.filter(_.amount % 3 != 0))
          compare(table.reverse, values.reverse)
          compare(
            table.drop(1).strided(2),
            values.drop(1).zipWithIndex.filter(_._2 % 2 == 0).map(_._1)
          )
          compare(
            table.map(d => Deal(d.amount, d.ticket)),
            values.map(d => Deal(d.amount, d.ticket))
          )

    test(s"parts of tables of $size rows are slices of the same memory"):
      Region.scoped:
        val rows = Rows.from(values)
        for limit <- List(-1, 0, 5, 100) do
          assertEquals(
            rows.takeWhile(_.amount < limit).toVector,
            values.takeWhile(_.amount < limit)
          )
          assertEquals(
            rows.dropWhile(_.amount < limit).toVector,
            values.dropWhile(_.amount < limit)
          )
          val (before, after) = rows.span(_.amount < limit)
          assertEquals((before.toVector, after.toVector), values.span(_.amount < limit))
        assertEquals((rows.lastOption, rows.headOption), (values.lastOption, values.headOption))
        if size > 1 then
          rows.dropWhile(_.ticket < 1)(0) = Deal(77, 77)
          assertEquals(rows(1), Deal(77, 77))
  end for

  test("a copy is a table of its own, in the layout of its source"):
    Region.scoped:
      val source = Columns.from(Vector.tabulate(100)(deal))
      val copy: Columns[Deal] = source.slice(10, 20).copy
      copy(0) = Deal(-1, -1)
      assertEquals((copy.size, source(10), copy(9)), (10L, deal(10), deal(19)))

  test("an iterator reads each value when it is asked for, and ends with an error"):
    Region.scoped:
      val rows = Rows.from(Vector.tabulate(100)(deal))
      var calls = 0
      val tickets = rows
        .filter { d =>
          calls += 1
          d.ticket % 10 == 0
        }
        .map(_.ticket)
        .take(2)
        .iterator
      assertEquals(calls, 0)
      assertEquals((tickets.next(), tickets.next(), tickets.hasNext), (0, 10, false))
      assertEquals(calls, 11)
      intercept[NoSuchElementException](tickets.next())
      val strided = rows.strided(60).iterator
      assertEquals((strided.next().ticket, strided.next().ticket), (0, 60))
      val error = intercept[NoSuchElementException](strided.next())
      assertEquals(error.getMessage, "no row 2: there are 2 rows")

  test("iterators of a growing table keep its size, those of a closed one throw"):
    Region.scoped:
      val rows = Rows.growing[Deal]
      rows.appendAll(List(deal(0), deal(1)))
      val iterator = rows.iterator
      rows += deal(2)
      assertEquals(iterator.toVector, Vector(deal(0), deal(1)))
      val late = rows.filter(_.ticket > 0).iterator
      assertEquals(late.next(), deal(1))
      rows.close()
      intercept[StaleReferenceException](late.next())

  test("pairs, runs and references have an iterator and a size"):
    Region.scoped:
      val values = Vector.tabulate(5)(deal)
      val rows = Rows.from(values)
      val pairs = rows.zip(rows.drop(1))
      assertEquals(pairs.iterator.toVector, values.zip(values.drop(1)))
      assertEquals((pairs.isEmpty, rows.take(0).zip(rows).isEmpty), (false, true))
      assertEquals(RowsRef.from(values).iterator.toVector, values)
      val refs = RefArray[Deal](2)
      for i <- 0 to 1 do refs(i) = rows.ref(3 - i)
      assertEquals(refs.view.iterator.toVector, Vector(values(3), values(2)))
      assertEquals((refs.view.nonEmpty, RefArray[Deal](0).view.isEmpty), (true, true))
      assertEquals((rows.reverse.isEmpty, rows.take(0).reverse.nonEmpty), (false, false))

  test("operations that end early read no more rows than necessary"):
    Region.scoped:
      val rows = Rows.from(Vector.tabulate(100)(deal))
      def reads(use: View[Deal] => Any): Int =
        var read = 0
        use(rows.map { d =>
          read += 1; d
        }): Unit
        read
      assertEquals(reads(_.headOption), 1)
      assertEquals((reads(_.isEmpty), reads(_.nonEmpty)), (1, 1))
      assertEquals(reads(_.span(_.ticket < 4)._1.toVector), 5)
      assertEquals(reads(_.take(3).toVector), 3)
      assertEquals(reads(_.takeWhile(_.ticket < 4).toVector), 5)
      assertEquals(reads(_.contains(deal(2))), 3)
      assertEquals(reads(_.startsWith(List(deal(0), deal(1)))), 3)
      assertEquals(reads(_.sameElements(List(deal(0), deal(5), deal(1)))), 2)
      assertEquals(reads(_.flatMap(d => List(d, d)).take(3).toVector), 2)

  test("a for-comprehension over two tables is a join"):
    Region.scoped:
      val deals = Rows.from(Vector.tabulate(10)(deal))
      val pairs =
        for a <- deals; b <- deals if a.amount == b.amount && a.ticket < b.ticket
        yield (a.ticket, b.ticket)
      val expected =
        for i <- 0 until 10; j <- i + 1 until 10 if deal(i).amount == deal(j).amount yield (i, j)
      assertEquals(pairs.toVector, expected.toVector)
end SequenceTest
