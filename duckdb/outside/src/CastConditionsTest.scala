package outside.duckdb

import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

case class Coded(code: Option[Text[8]]) derives Struct, CanEqual
case class Spot(x: Int) derives Struct, CanEqual
case class Measured(price: Int, ratio: Double, spot: Spot) derives Struct, CanEqual

/** Conditions on values that SQL casts. */
class CastConditionsTest extends undercroft.tools.Suite:

  private def use[A](body: DuckDb => A): A =
    val duckdb = DuckDb()
    try body(duckdb)
    finally duckdb.close()

  test("a null that TRY_CAST makes of a value is a null of conditions"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("items", Rows.from(Seq("7", "abc").map(code => Coded(Some(Text[8](code))))))
        def codes(condition: String) =
          duckdb.query(s"select code from items where $condition").as[String]
        assertEquals(codes("try_cast(code as integer) is null"), Vector("abc"))
        assertEquals(codes("try_cast(code as integer) is not null"), Vector("7"))
        assertEquals(codes("code is null"), Vector())
        assertEquals(codes("code is not null"), Vector("7", "abc"))

  test("a condition on a value that is cast twice, or in a struct that is cast, is DuckDB's"):
    Region.scoped:
      use: duckdb =>
        duckdb.register("measured", Rows.from(Seq(Measured(250, 0.1, Spot(250)))))
        for
          condition <- Seq(
            "price::boolean::int = 1",
            "price::boolean::int in (1, 2)",
            "ratio::float::double > 0.1::double",
            "struct_extract(cast(spot as struct(x boolean)), 'x')::int = 1"
          )
        do
          val count = duckdb.query(s"select count(*) from measured where $condition")
          assertEquals(count.as[Long], Vector(1L), condition)
end CastConditionsTest
