package outside.duckdb

import undercroft.duckdb.DuckDb
import undercroft.memory.Region
import undercroft.struct.*
import undercroft.tools.DroppedLoaders

/** Class loaders that load the library and are dropped. */
class ClassLoadersTest extends undercroft.tools.RoundsSuite:
  testRounds("dropped class loaders that queried tables leave nothing")(2, 10): loaders =>
    DroppedLoaders.run(classOf[SqlUser], loaders).check()

final class SqlUser extends Runnable:
  def run(): Unit = Region.scoped:
    val duckdb = DuckDb()
    try
      duckdb.register("cars", Rows.tabulate[Car](1000)(Car.of))
      assert(duckdb.query("select count(*) from cars where id >= 500").as[Long] == Vector(500L))
    finally duckdb.close()
