package undercroft.struct

import internal.macros.loops.{ExtremeLoops, FusedLoops}
import internal.macros.maps.{GroupMacros, StoredValues}
import internal.runtime.LazyViews
import scala.annotation.publicInBinary
import scala.collection.Factory
import scala.reflect.ClassTag
import undercroft.memory.Allocator

/** A lazy sequence of values over the rows of a table: the result of `filter` and `map`.
  *
  * A chain that ends in one of the operations below, written in one expression with function
  * literals, becomes a single loop over the memory (loop fusion): no view, function or row is
  * allocated, and only the fields that the literals mention are read. A view or a function stored
  * in a `val` gives the same results through ordinary calls. A view has no state of its own: it
  * reads the table when the operation runs, on the thread that runs it.
  *
  * A function may change rows of its own table: rows that come later are then seen changed. Of the
  * row that it was given, primitive fields keep the values that they had when the function began,
  * but arrays and cases are read, and texts compared, where the function uses them. A function that
  * changes its own row and uses these afterwards should begin with `val before = row.copy()`.
  *
  * A class of the caller that extends View defines its `iterator`, and has every operation.
  *
  * {{{
  * import undercroft.memory.*
  * final case class Trade(price: Int, amount: Long) derives Struct
  * Region.scoped:
  *   val trades = Columns.tabulate[Trade](1000)(i => Trade(i.toInt, i % 7))
  *   println(trades.filter(_.amount > 3).map(_.price).sum) // one loop
  *   println(trades.count(_.price > 500))
  * }}}
  */
trait View[+A]:

  /** Passes each value to `step`, in order, until it returns false. */
  @publicInBinary private[struct] def run(step: A => Boolean): Unit =
    val values = iterator
    while values.hasNext && step(values.next()) do ()

  /** The values in order, each read when it is asked for. Unlike a loop it allocates them, and
    * calls the functions of the view one by one. For one thread; as valid as the view.
    *
    * {{{
    * val sold = trades.filter(!_.buy).map(_.ticket).iterator
    * println((sold.next(), sold.next())) // (1,3)
    * }}}
    */
  def iterator: Iterator[A]

  /** The results of `f` on the values.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
    * println(bills.map(_.price * 2).toVector) // Vector(500, 502, 504, 506)
    * }}}
    */
  def map[B](f: A => B): View[B] = View.Mapped(this, f)

  /** The values that satisfy `p`.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
    * println(bills.filter(_.price > 251).map(_.ticket).toVector) // Vector(2, 3)
    * println((for bill <- bills if bill.price > 251 yield bill.ticket).sum) // 5
    * }}}
    */
  def filter(p: A => Boolean): View[A] = View.Filtered(this, p)
  def withFilter(p: A => Boolean): View[A] = View.Filtered(this, p)

  /** The intermediate results of a fold from the left: `zero`, and then one value for each value
    * here.
    *
    * {{{
    * val bills = Rows.tabulate[Bill](3)(i => Bill(i.toInt, 10))
    * println(bills.scanLeft(0)((sum, bill) => sum + bill.price).toVector) // Vector(0, 10, 20, 30)
    * }}}
    */
  def scanLeft[B](zero: B)(op: (B, A) => B): View[B] = View.Scanned(this, zero, op)
end View

object View:
  private final class Mapped[A, B](view: View[A], f: A => B) extends View[B]:
    @publicInBinary private[struct] override def run(step: B => Boolean): Unit =
      view.run(a => step(f(a)))
    def iterator: Iterator[B] = view.iterator.map(f)

  private final class Filtered[A](view: View[A], p: A => Boolean) extends View[A]:
    @publicInBinary private[struct] override def run(step: A => Boolean): Unit =
      view.run(a => !p(a) || step(a))
    def iterator: Iterator[A] = view.iterator.filter(p)

  private final class Scanned[A, B](view: View[A], zero: B, op: (B, A) => B) extends View[B]:
    @publicInBinary private[struct] override def run(step: B => Boolean): Unit =
      var total = zero
      if step(total) then
        view.run: a =>
          total = op(total, a)
          step(total)
    def iterator: Iterator[B] = view.iterator.scanLeft(zero)(op)

  /** Every operation reads all values once, in order, unless it says otherwise. It evaluates the
    * view, then its arguments, each once, as a method does.
    */
  extension [A](inline view: View[A])

    /** Calls `f` with each value.
      *
      * {{{
      * Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250)).foreach(bill => println(bill.ticket))
      * }}}
      */
    inline def foreach(inline f: A => Any): Unit = ${ FusedLoops.foreach('view, 'f) }

    /** Folds the values from the left, starting with `zero`.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250))
      * println(bills.foldLeft(0L)((sum, bill) => sum + bill.ticket * bill.price)) // 1500
      * }}}
      */
    inline def foldLeft[B](inline zero: B)(inline op: (B, A) => B): B =
      ${ FusedLoops.foldLeft('view, 'zero, 'op) }

    /** How many values satisfy `p`.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.count(_.price > 251)) // 2
      * }}}
      */
    inline def count(inline p: A => Boolean): Long = ${ FusedLoops.count('view, 'p) }

    /** The number of values: a loop over all of them, as `count(_ => true)`. Tables and other views
      * whose rows have an index have a `size` of their own, which takes no loop.
      *
      * {{{
      * println(trades.filter(_.buy).size) // 500
      * }}}
      */
    inline def size: Long = view.count(_ => true)

    /** Whether there is no value; reads no further than the first.
      *
      * {{{
      * println(trades.filter(_.price > 1000).isEmpty) // true
      * }}}
      */
    inline def isEmpty: Boolean = !view.exists(_ => true)

    /** Whether there is a value; reads no further than the first. */
    inline def nonEmpty: Boolean = view.exists(_ => true)

    /** Whether a value satisfies `p`; reads no further than the first that does.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.exists(_.price == 252)) // true
      * }}}
      */
    inline def exists(inline p: A => Boolean): Boolean = ${ FusedLoops.exists('view, 'p) }

    /** Whether no value fails `p`; true when empty.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.forall(_.price >= 250)) // true
      * }}}
      */
    inline def forall(inline p: A => Boolean): Boolean = ${ FusedLoops.forall('view, 'p) }

    /** The first value that satisfies `p`; allocates.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.find(_.price > 251)) // Some(Bill(2,252))
      * }}}
      */
    inline def find(inline p: A => Boolean): Option[A] = ${ FusedLoops.find('view, 'p) }

    /** The position of the first value that satisfies `p`, or -1.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.indexWhere(_.price > 251)) // 2
      * println(bills.indexWhere(_.price > 300)) // -1
      * }}}
      */
    inline def indexWhere(inline p: A => Boolean): Long =
      ${ FusedLoops.indexWhere('view, 'p, '{ true }) }

    /** The position of the first value that is equal to `value`, or -1.
      *
      * {{{
      * println(trades.map(_.price).indexOf(250)) // 250
      * }}}
      */
    inline def indexOf(inline value: A)(using CanEqual[A, A]): Long = view.indexWhere {
      val wanted = value
      (a: A) => a == wanted
    }

    /** The index of the first value that does not satisfy `p`, or -1. */
    private[struct] inline def indexWhereNot(inline p: A => Boolean): Long =
      ${ FusedLoops.indexWhere('view, 'p, '{ false }) }

    /** The sum: a Long for Byte, Short, Int and Long (an ArithmeticException with the exact sum if
      * it does not fit: see [[exactSum]]), a Double for Float and Double, a BigDecimal with every
      * digit for BigDecimal, and a Duration for Duration (an ArithmeticException if it does not
      * fit); 0 when empty. Sums of the last two allocate one or two objects for each value.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.map(_.price).sum) // 1006
      * println(bills.map(_.price * 0.5).sum) // 503.0
      * }}}
      */
    inline def sum[R](using inline sum: Summable[A, R] = Summable.absent): R =
      ${ FusedLoops.sum[A, R]('view) }

    /** The sum of Byte, Short, Int or Long values, of any size; 0 when empty.
      *
      * {{{
      * val ids = Rows.from(List(Tuple1(Long.MaxValue), Tuple1(Long.MaxValue)))
      * println(ids.map(_._1).exactSum) // 18446744073709551614
      * }}}
      */
    inline def exactSum(using inline sum: Summable[A, Long] = Summable.absent): BigInt =
      ${ FusedLoops.exactSum('view) }

    /** The arithmetic mean of Byte, Short, Int, Long, Float or Double values: the sum as a Double,
      * which is exact for integers before it is rounded once, divided by the number of values.
      * Throws NoSuchElementException when empty.
      *
      * {{{
      * println(trades.take(101).map(_.price).average) // 50.0
      * }}}
      */
    inline def average(using
        inline sum: Summable[A, ? <: Long | Double] = Summable.absent
    ): Double =
      ${ FusedLoops.average('view) }

    /** The smallest primitive; NaN is the largest Double and -0.0 smaller than 0.0. Throws
      * NoSuchElementException when empty.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.map(_.price).min) // 250
      * }}}
      */
    inline def min: A = ${ ExtremeLoops.extreme('view, '{ false }) }

    /** The largest primitive, in the order of [[min]]; NoSuchElementException when empty.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.filter(_.ticket < 3).map(_.price).max) // 252
      * }}}
      */
    inline def max: A = ${ ExtremeLoops.extreme('view, '{ true }) }

    /** The smallest primitive, or None when empty.
      *
      * {{{
      * println(trades.map(_.price).minOption) // Some(100)
      * println(trades.filter(_.price > 1000).map(_.price).minOption) // None
      * }}}
      */
    inline def minOption: Option[A] = ${ ExtremeLoops.extremeOption('view, '{ false }) }

    /** The largest primitive, or None when empty. */
    inline def maxOption: Option[A] = ${ ExtremeLoops.extremeOption('view, '{ true }) }

    /** The first value whose key is smallest, in the order of [[sortBy]]; NoSuchElementException
      * when empty. The key is a primitive, an enum without parameters or another type that is
      * stored as a primitive, a [[Text]], or a tuple of these; a value may be in [[desc]].
      *
      * Rows are loaded once, at the end: of a table the loop keeps the index of the best row, and
      * allocates only the result, and for keys of more than 8 bytes or with a text a copy of the
      * best key. A text is compared on its bytes if it is a field of a table's row; behind a
      * reference, or if it is computed, each is loaded.
      *
      * {{{
      * val bills = Rows.from(List(Bill(1, 252), Bill(2, 250), Bill(3, 250)))
      * println(bills.minBy(_.price)) // Bill(2,250)
      * println(bills.minBy(bill => (bill.price, desc(bill.ticket)))) // Bill(3,250)
      * }}}
      */
    inline def minBy[K](inline key: A => K): A =
      ${ ExtremeLoops.extremeBy('view, 'key, '{ false }) }

    /** The first value whose key is largest; NoSuchElementException when empty. Keys are as in
      * [[minBy]].
      *
      * {{{
      * val bills = Rows.from(List(Bill(1, 252), Bill(2, 250), Bill(3, 252)))
      * println(bills.maxBy(_.price)) // Bill(1,252)
      * }}}
      */
    inline def maxBy[K](inline key: A => K): A = ${ ExtremeLoops.extremeBy('view, 'key, '{ true }) }

    /** As [[minBy]], or None when empty.
      *
      * {{{
      * println(trades.filter(_.buy).minByOption(_.price).map(_.ticket)) // Some(0)
      * println(trades.filter(_.price > 1000).minByOption(_.price)) // None
      * }}}
      */
    inline def minByOption[K](inline key: A => K): Option[A] =
      ${ ExtremeLoops.extremeByOption('view, 'key, '{ false }) }

    /** As [[maxBy]], or None when empty. */
    inline def maxByOption[K](inline key: A => K): Option[A] =
      ${ ExtremeLoops.extremeByOption('view, 'key, '{ true }) }

    /** The first value. An empty view throws NoSuchElementException.
      *
      * {{{
      * println(trades.filter(_.price > 100).head.ticket) // 101
      * }}}
      */
    inline def head: A = view.headOption.getOrElse(Table.empty("head"))

    /** The first value, if there is one.
      *
      * {{{
      * println(trades.filter(_.price > 1000).headOption) // None
      * }}}
      */
    inline def headOption: Option[A] = view.find(_ => true)

    /** The last value; reads all. An empty view throws NoSuchElementException.
      *
      * {{{
      * println(trades.filter(_.buy).last.ticket) // 998
      * }}}
      */
    inline def last: A = view.lastOption.getOrElse(Table.empty("last"))

    /** The last value, if there is one; reads all. A row is loaded once, at the end. */
    inline def lastOption: Option[A] = ${ FusedLoops.last('view) }

    /** Combines the values from the first to the last. An empty view throws NoSuchElementException.
      *
      * {{{
      * println(trades.map(_.price).reduce((a, b) => a.max(b))) // 299
      * }}}
      */
    inline def reduce[B >: A](inline op: (B, B) => B): B = ${ FusedLoops.reduce[A, B]('view, 'op) }

    /** Combines the values from the first to the last, if there is one. */
    inline def reduceOption[B >: A](inline op: (B, B) => B): Option[B] =
      ${ FusedLoops.reduceOption[A, B]('view, 'op) }

    /** Whether a value is equal to `value`; reads no more values than necessary.
      *
      * {{{
      * println(trades.map(_.price).contains(250)) // true
      * }}}
      */
    inline def contains(inline value: A)(using CanEqual[A, A]): Boolean = view.exists {
      val wanted = value
      (a: A) => a == wanted
    }

    /** The results of `value` for the values, reduced to one for each key, in a new [[StructMap]].
      * The key is a primitive or a struct, compared by its bits.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt % 2, 250 + i.toInt))
      * val highest = bills.filter(_.price < 253).groupMapReduce(_.ticket)(_.price)(_.max(_))
      * println((highest(0), highest(1))) // (252,251)
      * }}}
      */
    inline def groupMapReduce[K, V](inline key: A => K)(inline value: A => V)(
        inline reduce: (V, V) => V
    )(using allocator: Allocator): StructMap[K, V] =
      ${ GroupMacros.groupMapReduce('view, 'key, 'value, 'reduce, 'allocator) }

    /** A new table of the values in the order of a key, in memory of the allocator: rows that are
      * copied from the view, and sorted by [[sortBy]] of a table. The copy is freed at the end.
      *
      * {{{
      * println(trades.filter(_.buy).sortBy(trade => desc(trade.ticket)).head.ticket) // 998
      * }}}
      */
    inline def sortBy[K](inline key: A => K)(using
        allocator: Allocator
    )(using
        Struct[A]
    ): Rows[A] =
      val rows = StoredValues.open[A]
      try
        rows.appendAll(view)
        StoredValues.sortBy(rows)(key)
      finally rows.close()

    /** The values by key, as rows that are copied from the view, and grouped by [[groupBy]] of a
      * table. Working memory is as in `sortBy`.
      *
      * {{{
      * println(trades.filter(_.buy).groupBy(_.amount)(3).size) // 71
      * }}}
      */
    inline def groupBy[K](inline key: A => K)(using
        allocator: Allocator
    )(using
        Struct[A]
    ): Groups[K, A, Aligned] =
      val rows = StoredValues.open[A]
      try
        rows.appendAll(view)
        StoredValues.groupBy(rows)(key)
      finally rows.close()

    /** The sum, minimum or maximum of the results of `f`: `sumOf(f)` is `map(f).sum`.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.sumOf(_.price)) // 1006
      * println((bills.minOf(_.price), bills.maxOf(_.price))) // (250,253)
      * }}}
      */
    inline def sumOf[N, R](inline f: A => N)(using inline sum: Summable[N, R]): R = view.map(f).sum
    inline def exactSumOf[N](inline f: A => N)(using inline sum: Summable[N, Long]): BigInt =
      view.map(f).exactSum
    inline def minOf[N](inline f: A => N): N = view.map(f).min
    inline def maxOf[N](inline f: A => N): N = view.map(f).max

    /** The values in a collection on the heap: `to(List)`, or `to(Map)` of pairs. Allocates them.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * println(bills.map(_.price).to(Set)) // Set(250, 251, 252, 253)
      * println(bills.map(bill => (bill.ticket, bill.price)).to(Map)(2)) // 252
      * }}}
      */
    inline def to[C](inline factory: Factory[A, C]): C =
      view.foldLeft(factory.newBuilder)((builder, a) => builder += a).result()

    /** The values in a Vector on the heap. Allocates them.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](2)(i => Bill(i.toInt, 250))
      * println(bills.toVector) // Vector(Bill(0,250), Bill(1,250))
      * }}}
      */
    inline def toVector: Vector[A] =
      val builder = Vector.newBuilder[A]
      view.foreach(a => builder += a)
      builder.result()

    /** The values as a heap array. More values than an array can hold throw IllegalStateException.
      *
      * {{{
      * val bills = Rows.tabulate[Bill](4)(i => Bill(i.toInt, 250 + i.toInt))
      * val prices: Array[Int] = bills.map(_.price).toArray
      * println(prices.length) // 4
      * }}}
      */
    inline def toArray(using tag: ClassTag[A]): Array[A] =
      var values = new Array[A](16)
      var size = 0
      view.foreach: a =>
        if size == values.length then values = View.larger(values)
        values(size) = a
        size += 1
      View.first(values, size)

    /** As `toArray`, immutable. */
    inline def toIArray(using tag: ClassTag[A]): IArray[A] = IArray.unsafeFromArray(view.toArray)
  end extension

  /** Operations with the names and the meaning of Scala's sequences. They are not fused with the
    * loop around them: each value is passed through a function call. Those that return a View are
    * lazy.
    */
  extension [A](view: View[A])

    /** The first `count` values; reads no more.
      *
      * {{{
      * println(trades.filter(_.buy).take(3).map(_.ticket).toVector) // Vector(0, 2, 4)
      * }}}
      */
    def take(count: Long): View[A] = LazyViews.Taken(view, count)

    /** All but the first `count` values.
      *
      * {{{
      * println(trades.filter(_.buy).drop(497).map(_.ticket).toVector) // Vector(994, 996, 998)
      * }}}
      */
    def drop(count: Long): View[A] = LazyViews.Dropped(view, count)

    /** The values before the first that does not satisfy `p`; reads no more.
      *
      * {{{
      * println(trades.map(_.ticket).takeWhile(_ < 3).toVector) // Vector(0, 1, 2)
      * }}}
      */
    def takeWhile(p: A => Boolean): View[A] = LazyViews.TakenWhile(view, p)

    /** The values from the first on that does not satisfy `p`.
      *
      * {{{
      * println(trades.map(_.ticket).dropWhile(_ < 997).toVector) // Vector(997, 998, 999)
      * }}}
      */
    def dropWhile(p: A => Boolean): View[A] = LazyViews.DroppedWhile(view, p)

    /** The values before the first that does not satisfy `p`, and the others: `(takeWhile(p),
      * dropWhile(p))`. Each of the two views reads the values, and calls `p`, when it is used.
      *
      * {{{
      * val (early, late) = trades.filter(_.buy).span(_.ticket < 10)
      * println((early.size, late.size)) // (5,495)
      * }}}
      */
    def span(p: A => Boolean): (View[A], View[A]) = (view.takeWhile(p), view.dropWhile(p))

    /** The values with their positions, counted from 0. Allocates a pair for each.
      *
      * {{{
      * println(trades.filter(_.buy).zipWithIndex.filter(_._2 == 2).map(_._1.ticket).head) // 4
      * }}}
      */
    def zipWithIndex: View[(A, Long)] = LazyViews.Indexed(view)

    /** Vectors of `size` values, one after the other; the last may be shorter. Allocates them. A
      * `size` below 1 throws IllegalArgumentException.
      *
      * {{{
      * println(trades.filter(_.buy).map(_.ticket).grouped(2).next()) // Vector(0, 2)
      * }}}
      */
    def grouped(size: Int): Iterator[Vector[A]] =
      if size < 1 then throw IllegalArgumentException(s"size must be at least 1, but is $size")
      view.iterator.grouped(size).map(_.toVector)

    /** The elements of the collections or views that `f` returns, one after the other.
      *
      * {{{
      * val bills = Rows.from(List(Bill(1, 2), Bill(2, 3)))
      * println(bills.flatMap(bill => List.fill(bill.price)(bill.ticket)).toVector)
      * // Vector(1, 1, 2, 2, 2)
      * val pairs = for a <- bills; b <- bills if a.ticket < b.ticket yield (a.ticket, b.ticket)
      * println(pairs.toVector) // Vector((1,2))
      * }}}
      */
    def flatMap[B](f: A => View[B] | IterableOnce[B]): View[B] = LazyViews.Flat(view, f)

    /** The results of a partial function, for the values that it is defined for.
      *
      * {{{
      * println(trades.collect { case trade if trade.price == 299 => trade.ticket }.toVector)
      * // Vector(299, 599, 899)
      * }}}
      */
    def collect[B](f: PartialFunction[A, B]): View[B] = LazyViews.Collected(view, f)

    /** Whether a collection has the same values in the same order.
      *
      * {{{
      * println(trades.map(_.ticket).sameElements(0 until 1000)) // true
      * }}}
      */
    def sameElements(that: IterableOnce[A])(using CanEqual[A, A]): Boolean =
      val others = that.iterator
      view.forall(value => others.hasNext && others.next() == value) && !others.hasNext

    /** Whether the values begin with those of a collection.
      *
      * {{{
      * println(trades.map(_.ticket).startsWith(List(0, 1))) // true
      * }}}
      */
    def startsWith(that: IterableOnce[A])(using CanEqual[A, A]): Boolean =
      val others = that.iterator
      var isEqual = true
      // The collection is tested first, because it may be the shorter one.
      val _ = view.exists: value =>
        !others.hasNext || { isEqual = others.next() == value; !isEqual }
      isEqual && !others.hasNext

    /** The values as text.
      *
      * {{{
      * println(trades.map(_.ticket).take(3).mkString("[", ", ", "]")) // [0, 1, 2]
      * }}}
      */
    def mkString(start: String, separator: String, end: String): String =
      val text = StringBuilder(start)
      var isFirst = true
      view.foreach: value =>
        if !isFirst then text.append(separator)
        isFirst = false
        text.append(value)
      text.append(end).toString

    /** The values as text, with a separator between them. */
    def mkString(separator: String): String = view.mkString("", separator, "")

    /** The values in a List on the heap. Allocates them.
      *
      * {{{
      * println(trades.take(2).map(_.ticket).toList) // List(0, 1)
      * }}}
      */
    def toList: List[A] = view.to(List)
  end extension

  @publicInBinary private[struct] def larger[A: ClassTag](values: Array[A]): Array[A] =
    if values.length == View.longest then
      throw IllegalStateException(s"an array holds at most $longest elements: use a slice")
    val grown = Math.min(values.length * 2L, longest.toLong).toInt
    first(values, grown)

  /** A copy of the first `size` elements; if there are fewer, room is left at the end. */
  @publicInBinary private[struct] def first[A: ClassTag](values: Array[A], size: Int): Array[A] =
    val copy = new Array[A](size)
    System.arraycopy(values, 0, copy, 0, Math.min(values.length, size))
    copy

  /** The largest length of an array on the JVM. */
  private val longest = Int.MaxValue - 8
end View
