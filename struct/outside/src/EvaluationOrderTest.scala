package outside.struct

import scala.collection.mutable.ListBuffer
import undercroft.memory.*
import undercroft.struct.*

case class Coin(id: Int, value: Long) derives Struct, CanEqual

/** An operation evaluates its receiver, then its arguments from left to right, each once, as a call
  * of a method does.
  */
class EvaluationOrderTest extends undercroft.tools.Suite:

  private final class Log:
    private val steps = ListBuffer.empty[String]

    /** A value whose evaluation is noted. */
    def apply[A](step: String)(value: A): A =
      steps += step
      value

    def taken(): List[String] =
      val all = steps.toList
      steps.clear()
      all

  private def check(log: Log, name: String, steps: String*)(operation: => Any): Unit =
    val _ = operation
    assertEquals(log.taken(), steps.toList, name)

  private val isOdd: Coin => Boolean = _.id % 2 == 1
  private val value: Coin => Long = _.value
  private val sum: (Long, Coin) => Long = (total, coin) => total + coin.value
  private val larger: (Coin, Coin) => Coin = (a, b) => if a.value > b.value then a else b
  private val same: Coin => Coin = identity
  private val list: scala.collection.Factory[Coin, List[Coin]] = List

  for size <- List(0, 3) do
    test(s"operations on views of $size rows evaluate the receiver, then the arguments"):
      Region.scoped:
        val log = Log()
        val table = Rows.tabulate(size)(i => Coin(i.toInt, i))
        val columns = Columns.tabulate(size)(i => Coin(i.toInt, i))
        def rows = log("rows")(table)
        def f[A, B](function: A => B): A => B = log("f")(function)
        check(log, "foreach", "rows", "f")(rows.foreach(f(value)))
        check(log, "foldLeft", "rows", "zero", "f"):
          rows.foldLeft(log("zero")(0L))(log("f")(sum))
        check(log, "foldLeft of columns", "rows", "zero", "f"):
          log("rows")(columns).foldLeft(log("zero")(0L))(log("f")(sum))
        check(log, "scanLeft", "rows", "zero", "f"):
          rows.scanLeft(log("zero")(0L))(log("f")(sum)).toVector
        check(log, "scanLeft, summed", "rows", "zero", "f"):
          rows.scanLeft(log("zero")(0L))(log("f")(sum)).sum
        check(log, "map", "rows", "f")(rows.map(f(value)).sum)
        check(log, "filter and map", "rows", "f", "f")(rows.filter(f(isOdd)).map(f(value)).sum)
        check(log, "count", "rows", "f")(rows.count(f(isOdd)))
        check(log, "exists", "rows", "f")(rows.exists(f(isOdd)))
        check(log, "forall", "rows", "f")(rows.forall(f(isOdd)))
        check(log, "find", "rows", "f")(rows.find(f(isOdd)))
        check(log, "indexWhere", "rows", "f")(rows.indexWhere(f(isOdd)))
        check(log, "reduceOption", "rows", "f")(rows.reduceOption(log("f")(larger)))
        check(log, "minByOption", "rows", "f")(rows.minByOption(f(value)))
        check(log, "maxByOption", "rows", "f")(rows.maxByOption(f(value)))
        check(log, "takeWhile", "rows", "f")(rows.takeWhile(f(isOdd)))
        check(log, "dropWhile", "rows", "f")(rows.dropWhile(f(isOdd)))
        check(log, "span", "rows", "f")(rows.span(f(isOdd)))
        check(log, "contains", "rows", "value")(rows.contains(log("value")(Coin(1, 1))))
        check(log, "sumOf", "rows", "f")(rows.sumOf(f(value)))
        check(log, "to", "rows", "factory")(rows.to(log("factory")(list)))
        check(log, "sortBy", "rows", "f")(rows.sortBy(f(coin => -coin.value)))
        check(log, "parSortBy", "rows", "f")(rows.parSortBy(f(coin => -coin.value)))
        check(log, "parFilter", "rows", "f")(rows.parFilter(f(isOdd)))
        check(log, "topBy", "rows", "count", "f")(rows.topBy(log("count")(2))(f(value)))
        check(log, "parAggregate", "rows", "f", "g"):
          rows.parAggregate(0L)(log("f")(sum))(log("g")(_ + _))
        check(log, "parAggregate of several", "rows", "rows", "f", "g"):
          rows.concat(rows).parAggregate(0L)(log("f")(sum))(log("g")(_ + _))
        check(log, "strided", "rows", "f")(rows.strided(2).count(f(isOdd)))
        check(log, "zip", "rows", "rows", "f"):
          rows.zip(log("rows")(columns)).count(f(pair => pair._1.id == pair._2.id))
        check(log, "groupBy", "rows", "f")(rows.groupBy(f(coin => coin.id)))
        check(log, "groupMapReduce", "rows", "f", "f", "g"):
          rows.groupMapReduce(f((coin: Coin) => coin.id))(f(value))(log("g")((a, b) => a + b))
        check(log, "distinctBy", "rows", "f")(rows.distinctBy(f(coin => coin.id)))
        check(log, "partition", "rows", "f")(rows.partition(f(isOdd)))

    test(s"operations on a view of an unknown kind and $size rows do so, too"):
      Region.scoped:
        val log = Log()
        val table = Rows.tabulate(size)(i => Coin(i.toInt, i))
        def view: View[Coin] = log("rows")(table)
        def f[A, B](function: A => B): A => B = log("f")(function)
        check(log, "foreach", "rows", "f")(view.foreach(f(value)))
        check(log, "foldLeft", "rows", "zero", "f"):
          view.foldLeft(log("zero")(0L))(log("f")(sum))
        check(log, "scanLeft", "rows", "zero", "f"):
          view.scanLeft(log("zero")(0L))(log("f")(sum)).sum
        check(log, "map", "rows", "f")(view.map(f(value)).sum)
        check(log, "minByOption", "rows", "f")(view.minByOption(f(value)))
        check(log, "count", "rows", "f")(view.count(f(isOdd)))
        check(log, "to", "rows", "factory")(view.to(log("factory")(list)))
  end for

  test("stores evaluate the receiver, then the arguments"):
    Region.scoped:
      val log = Log()
      val table = Rows.tabulate(3)(i => Coin(i.toInt, i))
      val other = Rows.tabulate(3)(i => Coin(i.toInt + 1, i))
      val coin = Ref(Coin(1, 2))
      def rows = log("rows")(table)
      def f[A, B](function: A => B): A => B = log("f")(function)
      def increment: Long => Long = f(_ + 1)
      check(log, "updateAll", "rows", "f")(rows.updateAll(_.value)(increment))
      check(log, "transform", "rows", "f")(rows.transform(f(same)))
      check(log, "updateAt", "rows", "index", "f"):
        rows.updateAt(log("index")(1L))(_.value)(increment)
      check(log, "transformAt", "rows", "index", "f")(rows.transformAt(log("index")(1L))(f(same)))
      check(log, "setFrom", "rows", "other", "f")(rows.setFrom(log("other")(other))(f(same)))
      check(log, "strided", "rows", "f")(rows.strided(2).updateAll(_.value)(increment))
      check(log, "strided", "rows", "f")(rows.strided(2).transform(f(same)))
      check(log, "update", "ref", "f")(log("ref")(coin).update(_.value)(increment))
      check(log, "transform", "ref", "f")(log("ref")(coin).transform(f(same)))
      assertEquals(table.toVector.map(_.id), Vector(1, 2, 3))
      assertEquals(table.toVector.map(_.value), Vector(1L, 1L, 3L))
      assertEquals(coin(), Coin(1, 3))
      intercept[IndexOutOfBoundsException](
        rows.updateAt(log("index")(3L))(_.value)(increment)
      ): Unit
      assertEquals(log.taken(), List("rows", "index", "f"))
      intercept[IndexOutOfBoundsException](rows.transformAt(log("index")(3L))(f(same))): Unit
      assertEquals(log.taken(), List("rows", "index", "f"))

  test("new rows evaluate the count, then the function, once"):
    Region.scoped:
      val log = Log()
      val made: Long => Coin = i => Coin(i.toInt, i)
      check(log, "tabulate", "count", "f"):
        Rows.tabulate(log("count")(3L))(log("f")(made))
      check(log, "tabulate of columns", "count", "f"):
        Columns.tabulate(log("count")(0L))(log("f")(made))
      val growing = Rows.growing[Coin]
      check(log, "appendAll", "rows", "count", "f"):
        log("rows")(growing).appendAll(log("count")(3L))(log("f")(made))
      val odd: View[Coin] = growing.filter(_.id % 2 == 1)
      def appending: View[Coin] =
        growing += Coin(3, 3)
        odd
      growing.appendAll(appending)
      assertEquals(growing.map(_.id).toVector, Vector(0, 1, 2, 3, 1, 3))
      // A function with a state: a new one for each row would give the same value to all.
      def counter(): Long => Coin =
        var next = 0
        _ =>
          next += 1
          Coin(next, next)
      assertEquals(Rows.tabulate(3)(counter()).map(_.id).toVector, Vector(1, 2, 3))
      growing.appendAll(3)(counter())
      assertEquals(growing.map(_.id).toVector, Vector(0, 1, 2, 3, 1, 3, 1, 2, 3))

  test("loops over maps evaluate the map, then the function, once"):
    Region.scoped:
      val log = Log()
      val map = StructMap[Int, Coin]()
      val set = StructSet[Int]()
      for i <- 1 to 5 do
        map(i) = Coin(i, i)
        set.add(i): Unit
      var seen = 0
      check(log, "map", "map", "f"):
        log("map")(map).foreach(log("f")((key: Int, coin: Coin) => seen += key + coin.id))
      check(log, "set", "set", "f")(log("set")(set).foreach(log("f")((key: Int) => seen += key)))
      assertEquals(seen, 45)
end EvaluationOrderTest
