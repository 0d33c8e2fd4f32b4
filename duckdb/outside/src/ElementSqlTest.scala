package outside.duckdb

import undercroft.duckdb.*
import undercroft.memory.*
import undercroft.struct.*

enum Signal derives CanEqual:
  case Low, High

/** SQL over tables whose rows are not case classes. */
class ElementSqlTest extends undercroft.tools.Suite:

  test("a table of elements has one column, value"):
    Region.scoped:
      val duckdb = DuckDb()
      duckdb.register("numbers", Rows.from(List(3, 1, 2)))
      duckdb.register("limits", Columns.from(List(Some(7L), None, Some(0L))))
      duckdb.register("names", PackedRows.from(List[Text[8]](Text("bob"), Text("eve"))))
      duckdb.register("signals", Columns.from(List(Signal.High, Signal.Low, Signal.High)))
      def value(sql: String): String = duckdb.query(sql)(0, 0).show
      assertEquals(value("select sum(value) from numbers where value > 1"), "5")
      assertEquals(value("select count(value) from limits"), "2")
      assertEquals(value("select sum(value) from limits"), "7")
      assertEquals(value("select max(value) from names"), "eve")
      assertEquals(value("select count(*) from signals where value = 'High'"), "2")
      duckdb.close()
end ElementSqlTest
