package groupBy

// The ten questions of the benchmark's group-by as the guide writes them, on all processors.

import java.nio.file.Path
import java.util.Arrays
import scala.util.Using
import undercroft.memory.*
import undercroft.struct.*

/** The sum of a value, and the number of rows. */
case class Total(v3: Double, rows: Long) derives Struct:
  def +(that: Total) = Total(v3 + that.v3, rows + that.rows)

/** Sums of values, and the number of rows. */
case class Sums(v1: Long, v2: Long, v3: Double, rows: Long) derives Struct:
  def +(that: Sums) = Sums(v1 + that.v1, v2 + that.v2, v3 + that.v3, rows + that.rows)

/** The greatest v1 and the least v2. */
case class Limits(most: Int, least: Int) derives Struct:
  def and(that: Limits) = Limits(most.max(that.most), least.min(that.least))

/** The largest two values; the second one is below zero if there is only one. */
case class Largest(first: Double, second: Double) derives Struct:
  def and(that: Largest) = Largest(
    first.max(that.first),
    first.min(that.first).max(second.max(that.second))
  )

case class Middle(median: Double, deviation: Double) derives Struct

/** Sums of v1 and v2, of their squares and of their product. */
case class Moments(rows: Long, x: Long, y: Long, xx: Long, yy: Long, xy: Long) derives Struct:
  def +(that: Moments) = Moments(
    rows + that.rows,
    x + that.x,
    y + that.y,
    xx + that.xx,
    yy + that.yy,
    xy + that.xy
  )

  /** The square of the correlation; no number without variance. */
  def r2: Double =
    val both = rows.toDouble * xy - x.toDouble * y
    both * both / ((rows.toDouble * xx - x.toDouble * x) * (rows.toDouble * yy - y.toDouble * y))

/** What a row is in the tenth question: all of its keys. */
case class Ids(id1: Int, id2: Int, id3: Int, id4: Int, id5: Int, id6: Int) derives Struct

/** A value of the sixth question with its keys. */
case class Value(id4: Int, id5: Int, v3: Double) derives Struct

/** Answers questions over rows that all threads may read. A time includes the answer's check. */
final class Ours(rows: Columns[Row]):
  private val processors = Runtime.getRuntime.availableProcessors

  val questions: Seq[() => Check] =
    Seq(() => q1, () => q2, () => q3, () => q4, () => q5, () => q6, () => q7, () => q8, () => q9) :+
      (() => q10)

  private def q1: Check = Using.resource(reduced(_.id1)(_.v1.toLong)(_ + _)): answer =>
    val check = Check()
    answer.foreach((_, v1) => check.add(v1.toDouble))
    check

  private def q2: Check =
    Using.resource(reduced(row => (row.id1, row.id2))(_.v1.toLong)(_ + _)): answer =>
      val check = Check()
      answer.foreach((_, v1) => check.add(v1.toDouble))
      check

  private def q3: Check =
    Using.resource(reduced(_.id3)(row => Sums(row.v1, 0, row.v3, 1))(_ + _)): answer =>
      val check = Check()
      answer.foreach((_, sums) => check.add(sums.v1.toDouble, sums.v3 / sums.rows))
      check

  private def q4: Check =
    Using.resource(reduced(_.id4)(row => Sums(row.v1, row.v2, row.v3, 1))(_ + _)): answer =>
      val check = Check()
      answer.foreach: (_, sums) =>
        val count = sums.rows.toDouble
        check.add(sums.v1 / count, sums.v2 / count, sums.v3 / count)
      check

  private def q5: Check =
    Using.resource(reduced(_.id6)(row => Sums(row.v1, row.v2, row.v3, 1))(_ + _)): answer =>
      val check = Check()
      answer.foreach((_, sums) => check.add(sums.v1.toDouble, sums.v2.toDouble, sums.v3))
      check

  private def q6: Check = partitioned(parts = 8): (part, mask) =>
    Region.scoped:
      val answer = StructMap[(Int, Int), Middle]()
      rows
        .filter(row => (row.id4 & mask) == part)
        .map(row => Value(row.id4, row.id5, row.v3))
        .groupBy(value => (value.id4, value.id5))
        .foreach((key, group) => answer(key) = middle(group.map(_.v3).toArray))
      val check = Check()
      answer.foreach((_, middle) => check.add(middle.median, middle.deviation))
      check

  private def middle(values: Array[Double]): Middle =
    Arrays.sort(values)
    val (size, half) = (values.length, values.length / 2)
    var (sum, squares) = (0.0, 0.0)
    for i <- 0 until size do sum += values(i)
    for i <- 0 until size do squares += (values(i) - sum / size) * (values(i) - sum / size)
    val median = if size % 2 == 1 then values(half) else (values(half - 1) + values(half)) / 2
    Middle(median, Math.sqrt(squares / (size - 1)))

  private def q7: Check =
    Using.resource(reduced(_.id3)(row => Limits(row.v1, row.v2))(_.and(_))): answer =>
      val check = Check()
      answer.foreach((_, limits) => check.add(limits.most - limits.least))
      check

  private def q8: Check =
    Using.resource(reduced(_.id6)(row => Largest(row.v3, -1))(_.and(_))): answer =>
      val check = Check()
      answer.foreach: (_, largest) =>
        check.add(largest.first)
        if largest.second >= 0 then check.add(largest.second)
      check

  private def q9: Check =
    val answer = reduced(row => (row.id2, row.id4))(row =>
      val (x, y) = (row.v1.toLong, row.v2.toLong)
      Moments(1, x, y, x * x, y * y, x * y)
    )(_ + _)
    Using.resource(answer): answer =>
      val check = Check()
      answer.foreach((_, moments) => check.add(moments.r2))
      check

  private def q10: Check = partitioned(parts = 8): (part, mask) =>
    Region.scoped:
      val answer = rows
        .filter(row => (row.id6 & mask) == part)
        .groupMapReduce(row => Ids(row.id1, row.id2, row.id3, row.id4, row.id5, row.id6))(row =>
          Total(row.v3, 1)
        )(_ + _)
      val check = Check()
      answer.foreach((_, total) => check.add(total.v3, total.rows.toDouble))
      check

  /** The values of the rows of each key, reduced: each processor adds a map of its rows. */
  private inline def reduced[K, V](inline key: Row => K)(inline value: Row => V)(
      inline reduce: (V, V) => V
  ): StructMap[K, V] =
    val all = StructMap[K, V]()(using Malloc)
    val grain = rows.size / processors + 1
    parFold(0, rows.size, grain)(())((_, from, until) =>
      Region.scoped: // memory for one thread, whose maps need no synchronization
        val map = rows.slice(from, until).groupMapReduce(key)(value)(reduce)
        all.synchronized:
          map.foreach((k, v) => if !all.putIfAbsent(k, v) then all(k) = reduce(all(k), v))
    )((_, _) => ())
    all

  /** The check of answers for parts of the keys, so that a map of a part fits in a cache; a key's
    * part is in its lowest bits.
    */
  private def partitioned(parts: Int)(answer: (Int, Int) => Check): Check =
    parFold(0, parts, grain = 1)(Check())((check, part, _) =>
      check + answer(part.toInt, parts - 1)
    )(_ + _)
end Ours

object Ours:
  /** Arguments are the file, its rows and the runs of each question. Prints for each question its
    * first and its median seconds, and the check of its answer.
    */
  def main(args: Array[String]): Unit = Region.scoped:
    val region = Region.shared("rows")
    val rows = Row.load(Path.of(args(0)), args(1).toLong)(using region)
    for (question, i) <- Ours(rows).questions.zipWithIndex do
      var check = Check()
      val seconds =
        for _ <- 0 until args(2).toInt yield
          val start = System.nanoTime
          check = question()
          (System.nanoTime - start) / 1e9
      println(s"q${i + 1} ${seconds(0)} ${seconds.sorted.apply(seconds.size / 2)} $check")
    region.close()
end Ours
