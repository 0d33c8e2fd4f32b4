package lookups

import java.nio.file.{Files, Path}
import scala.util.Using
import undercroft.tools.{Requirement, Suite}

class LookupsTest extends Suite:
  private val items = 5000L

  /** The names of all times of a program. */
  private def steps(program: String): Set[String] =
    if program == "parquet" then Set("write", "cold", "warm") else InTurns.Times.toSet

  private def sumsOf(program: String, python: Option[String]): String =
    val run = InTurns.run(program, items, python)
    val times = InTurns.times(run)
    assertEquals(times.keySet, steps(program), program)
    assert(times.values.forall(_ > 0), times)
    InTurns.answer(run)

  /** The sum of the first hundred lookups, by the definition of an item. */
  private val expected =
    val wanted = (0L until 100L).map(Items.wanted(_, items))
    val sum =
      (for id <- wanted; index <- 0 until Items.Length yield Items.element(id, index).toLong).sum
    s"sum=$sum sum=$sum"

  test("all programs of a JVM find the items that they have written"):
    for program <- InTurns.programs do assertEquals(sumsOf(program, None), expected, program)

  test("Lance and Parquet find the items that they have written"):
    val python = Requirement.pythonWithLance()
    for program <- InTurns.pythons do assertEquals(sumsOf(program, Some(python)), expected, program)

  test(
    "items that were added beside a reader are found by it after a refresh, and after a restart"
  ):
    val stores = Seq[Path => Store](Ours(_), Lmdb(_), Sqlite(_))
    for open <- stores do
      val folder = Files.createTempDirectory("lookups")
      val path = folder.resolve("items")
      try
        def sum(id: Long) = (0 until Items.Length).map(Items.element(id, _).toLong).sum
        Using.resource(open(path)): store =>
          for id <- 0L until 500L do store.add(id)
          store.commit()
          Using.resource(store.reader()): reader =>
            assertEquals(reader.sum(499), sum(499))
            for id <- 500L until 1500L do store.add(id)
            store.commit()
            reader.refresh()
            assertEquals(reader.sum(1499), sum(1499))
        Using.resource(open(path)): store =>
          Using.resource(store.reader()): reader =>
            for id <- Seq(0L, 1L, 777L, 1499L) do assertEquals(reader.sum(id), sum(id))
      finally
        Using.resource(Files.list(folder))(_.forEach(Files.delete))
        Files.delete(folder)
    end for

  test("wanted items are spread over all of them"):
    val found =
      (0L until 10_000L).map(Items.wanted(_, 100L)).groupBy(identity).view.mapValues(_.size)
    assertEquals(found.keySet.toSet, (0L until 100L).toSet)
    assert(found.values.forall(count => count > 50 && count < 200), found.toMap)
end LookupsTest
