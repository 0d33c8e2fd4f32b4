package outside.duckdb

import undercroft.duckdb.*
import undercroft.file.*
import undercroft.file.format.{ErrorKind, StructFile, StructFileException}
import undercroft.struct.*

final case class Dotted(
    `p.x`: Int,
    p: DottedPart,
    `o.get`: Int,
    o: Option[Int],
    `a b`: Int
) derives Struct

final case class DottedPart(x: Int) derives Struct

/** Fields whose names contain dots, beside fields with the same dotted path. */
class DottedNamesTest extends undercroft.tools.Suite:

  private def write(): java.nio.file.Path =
    val file = path("dotted.cols")
    val rows = Columns.create[Dotted](file, maxRows = 10)
    for i <- 0 until 10 do rows += Dotted(i, DottedPart(100 + i), 1000 + i, Some(10 + i), i)
    rows.seal()
    rows.close()
    file

  test("conditions on fields with equal dotted paths select the rows of their own field"):
    val duckdb = DuckDb()
    try
      val file = StructFile.open(write())
      duckdb.register("t", file)
      def selected(condition: String): Vector[Long] =
        duckdb.query(s"select \"a b\" from t where $condition").as[Long]
      for (field, first) <- Seq("\"p.x\"" -> 0, "p.x" -> 100, "\"o.get\"" -> 1000, "o" -> 10) do
        assertEquals(selected(s"$field = ${first + 3}"), Vector(3L), field)
        assertEquals(selected(s"$field >= ${first + 8}"), Vector(8L, 9L), field)
        assertEquals(selected(s"$field in (${first + 1}, ${first + 2})"), Vector(1L, 2L), field)
      file.close()
    finally duckdb.close()

  test("statistics are found by the names of a path, and an ambiguous text is refused"):
    import scala.jdk.CollectionConverters.*
    val file = StructFile.open(write())
    def range(path: String*): (Long, Long) =
      val block = file.statistics(path.asJava).get(0).nn
      (block.min.longValue, block.max.longValue)
    assertEquals(range("p.x"), (0L, 9L))
    assertEquals(range("p", "x"), (100L, 109L))
    assertEquals(range("o.get"), (1000L, 1009L))
    assertEquals(range("o", "get"), (10L, 19L))
    assertEquals(file.statistics("a b").get(0).nn.max.longValue, 9L)
    val ambiguous = intercept[StructFileException](file.statistics("p.x"))
    assertEquals(ambiguous.kind, ErrorKind.WRONG_SCHEMA)
    assert(ambiguous.getMessage.nn.contains("several fields are p.x"), ambiguous.getMessage)
    val missing = intercept[StructFileException](file.statistics(Seq("p", "y").asJava))
    assert(missing.getMessage.nn.contains("no field p.y that has an order"), missing.getMessage)
    file.close()
end DottedNamesTest
