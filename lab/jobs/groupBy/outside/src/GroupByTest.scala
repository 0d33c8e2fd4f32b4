package groupBy

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.ListHasAsScala
import undercroft.memory.*
import undercroft.tools.{Requirement, Suite}

class GroupByTest extends Suite:
  private def withFile[A](rows: Long, groups: Int, seed: Long)(f: Path => A): A =
    val file = Files.createTempFile("groups", ".csv")
    try
      Generate.write(file, rows, groups, seed)
      f(file)
    finally Files.delete(file)

  /** A row as the file has it. */
  private case class Line(texts: Vector[String], ids: Vector[Int], v1: Int, v2: Int, v3: Double)

  private def lines(file: Path): Vector[Line] =
    Files
      .readAllLines(file)
      .asScala
      .toVector
      .tail
      .map: line =>
        val fields = line.split(",", -1).toVector
        val numbers = fields.slice(3, 8).map(_.toInt)
        Line(fields.take(3), numbers.take(3), numbers(3), numbers(4), fields(8).toDouble)

  /** The check of each answer, computed on collections of the heap. */
  private def expected(lines: Vector[Line]): Seq[Seq[Double]] =
    def asked(key: Line => Any)(groups: Vector[Line] => Seq[Seq[Double]]) =
      val answer = lines.groupBy(key).values.toVector.flatMap(groups)
      val sums = (0 until 3).flatMap: column =>
        val values = answer.map(_.applyOrElse(column, _ => 0.0)).filterNot(_.isNaN)
        Seq(values.sum, values.map(value => value * value).sum)
      answer.size.toDouble +: sums
    def mean(values: Vector[Double]) = values.sum / values.size
    def variance(values: Vector[Double]) =
      values.map(value => Math.pow(value - mean(values), 2)).sum / (values.size - 1)
    def median(values: Vector[Double]) =
      val sorted = values.sorted
      (sorted((values.size - 1) / 2) + sorted(values.size / 2)) / 2
    def v1(group: Vector[Line]) = group.map(_.v1.toDouble)
    def v2(group: Vector[Line]) = group.map(_.v2.toDouble)
    def v3(group: Vector[Line]) = group.map(_.v3)
    def correlation(x: Vector[Double], y: Vector[Double]) =
      val products = x.lazyZip(y).map((a, b) => (a - mean(x)) * (b - mean(y)))
      products.sum / (x.size - 1) / Math.sqrt(variance(x) * variance(y))
    Seq(
      asked(_.texts(0))(group => Seq(Seq(v1(group).sum))),
      asked(_.texts.take(2))(group => Seq(Seq(v1(group).sum))),
      asked(_.texts(2))(group => Seq(Seq(v1(group).sum, mean(v3(group))))),
      asked(_.ids(0))(group => Seq(Seq(mean(v1(group)), mean(v2(group)), mean(v3(group))))),
      asked(_.ids(2))(group => Seq(Seq(v1(group).sum, v2(group).sum, v3(group).sum))),
      asked(_.ids.take(2))(group => Seq(Seq(median(v3(group)), Math.sqrt(variance(v3(group)))))),
      asked(_.texts(2))(group => Seq(Seq(v1(group).max - v2(group).min))),
      asked(_.ids(2))(group => v3(group).sorted.takeRight(2).map(Seq(_))),
      asked(line => (line.texts(1), line.ids(0)))(group =>
        Seq(Seq(Math.pow(correlation(v1(group), v2(group)), 2)))
      ),
      asked(line => (line.texts, line.ids))(group => Seq(Seq(v3(group).sum, group.size.toDouble)))
    )
  end expected

  private def answers(file: Path, rows: Long): Answers = Region.scoped:
    val region = Region.shared("rows")
    try
      val questions = Ours(Row.load(file, rows)(using region)).questions
      Answers(questions.map(_().toString.split(' ').toSeq.map(_.toDouble)))
    finally region.close()

  for
    (rows, groups, what) <- Seq(
      (1000, 100, "more rows than groups"),
      (1000, 2, "few groups"),
      (7, 100, "fewer rows than groups"),
      (1, 1, "a single row")
    )
  do
    test(s"the ten answers are those of Scala's collections for $what"):
      withFile(rows, groups, seed = 2): file =>
        val (ours, naive) = (answers(file, rows), expected(lines(file)))
        assertEquals(ours.checks.size, 10)
        for ((check, other), i) <- ours.checks.zip(naive).zipWithIndex do
          assertEquals(Answers(Seq(check)), Answers(Seq(other)), s"question ${i + 1}")

  test("a check that differs beyond the order of a sum is another answer"):
    val (check, near) = (Answers(Seq(Seq(3.0, 0.1 + 0.2))), Answers(Seq(Seq(3.0, 0.3))))
    assertEquals(check, near)
    for other <- Seq(Seq(3.0, 0.3001), Seq(4.0, 0.3), Seq(3.0)) do
      assertNotEquals(check, Answers(Seq(other)))

  test("the program prints the times of ten questions, and the answers"):
    withFile(1000, 10, seed = 3): file =>
      val run = InTurns.run("Ours", file, 1000)
      assertEquals(InTurns.medians(run).size, 10)
      assert((InTurns.medians(run) ++ InTurns.firsts(run)).forall(_ > 0), run.output)
      assertEquals(InTurns.answers(run), answers(file, 1000))

  test("DuckDB and Polars have the same answers"):
    val python = Requirement.python()
    withFile(100_000, 100, seed = 4): file =>
      val runs = InTurns.round(file, 100_000, 0, Some(python)) // fails if answers differ
      assertEquals(runs.map(_.program), Seq("Ours", "duckdb", "polars"))
      assertEquals(InTurns.answers(runs(2)).checks.map(_(0)).max, 100_000.0)

  test("generated rows have the groups and the values of the benchmark"):
    withFile(100_000, 10, seed = 5): file =>
      val all = lines(file)
      assertEquals(all.size, 100_000)
      assertEquals(all.map(_.texts(0)).distinct.sorted, Vector.tabulate(10)(i => f"id${i + 1}%03d"))
      assertEquals(all.map(_.ids(1)).distinct.sorted, Vector.range(1, 11))
      assert(all.forall(_.texts(2).matches("id\\d{10}")))
      assertEquals((all.map(_.v1).min, all.map(_.v1).max), (1, 5))
      assertEquals((all.map(_.v2).min, all.map(_.v2).max), (1, 15))
      assert(all.map(_.ids(2)).max <= 10_000 && all.map(_.ids(2)).distinct.size > 9000)
      assert(all.map(_.v3).min >= 0 && all.map(_.v3).max < 100)

  test("generated rows are equal for equal seeds only"):
    def generated(seed: Long) = withFile(100, 10, seed)(Files.readAllLines(_))
    assertEquals(generated(6), generated(6))
    assertNotEquals(generated(6), generated(7))
end GroupByTest
