package billionRows

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.ListHasAsScala
import undercroft.tools.{Requirement, Suite}

class BillionRowsTest extends Suite:
  private val programs = Seq("Baseline", "ByHand", "Natural", "Fast")

  private def withFile[A](f: Path => A): A =
    val file = Files.createTempFile("rows", ".txt")
    try f(file)
    finally Files.delete(file)

  private def generated(rows: Long, stations: Int, seed: Long): Seq[String] = withFile: file =>
    Generate.write(file, rows, stations, seed)
    Files.readAllLines(file).asScala.toSeq

  for program <- programs do
    test(s"$program prints the minimum, the mean and the maximum of each station by name"):
      withFile: file =>
        Files.writeString(file, "Öl;99.9\nAba;-0.5\nAba;0.4\nZag b;-99.9\nAba;0.4\nZag b;-99.8\n")
        val output = "{Aba=-0.5/0.1/0.4, Zag b=-99.9/-99.8/-99.8, Öl=99.9/99.9/99.9}"
        assertEquals(InTurns.run(program, file).output.strip, output)

  test("all programs print the same for 100000 rows of 10000 stations"):
    withFile: file =>
      Generate.write(file, 100_000, 10_000, seed = 2)
      val runs = InTurns.round(file, 1, None)
      assertEquals(runs.map(_.program), programs)
      assertEquals(runs.map(_.output).distinct.size, 1)
      assertEquals(runs(0).output.count(_ == '='), 10_000)

  test("DuckDB and Polars print what the programs print"):
    val python = Requirement.python()
    withFile: file =>
      Generate.write(file, 100_000, 413, seed = 5)
      val runs = InTurns.round(file, 0, Some(python))
      assertEquals(runs.map(_.program), programs ++ Seq("duckdb", "polars"))
      assertEquals(runs.map(_.output).distinct.size, 1)

  for program <- Seq("ByHand", "Fast") do
    test(s"$program, for all processors, reads files of many ranges and of one line"):
      withFile: file =>
        val long = "n" * 100
        Files.writeString(file, s"$long;-1.0")
        assertEquals(InTurns.run(program, file).output.strip, s"{$long=-1.0/-1.0/-1.0}")
        Generate.write(file, 3_000_000, 413, seed = 6)
        assert(Files.size(file) > (32 << 20))
        assertEquals(InTurns.run(program, file).output, InTurns.run("Natural", file).output)

  for (stations, longest) <- Seq(413 -> 26, 10_000 -> 100) do
    test(s"generated rows of $stations stations have names and temperatures in their ranges"):
      val rows = generated(100_000, stations, seed = 3).map(_.split(';'))
      assertEquals(rows.size, 100_000)
      val names = rows.map(_(0)).distinct
      assert(names.size > stations * 0.99, names.size)
      assert(names.forall(_.getBytes(UTF_8).length <= longest), names.maxBy(_.length))
      assert(rows.forall(_(1).matches("-?[1-9]?\\d\\.\\d")))
      assert(rows.exists(_(1).startsWith("-")) && rows.exists(!_(1).startsWith("-")))

  test("generated rows are equal for equal seeds only"):
    assertEquals(generated(100, 413, seed = 4), generated(100, 413, seed = 4))
    assertNotEquals(generated(100, 413, seed = 4), generated(100, 413, seed = 5))
end BillionRowsTest
