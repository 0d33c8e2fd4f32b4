package outside.duckdb

import java.nio.file.{Files, Path}
import java.util.Locale
import undercroft.duckdb.*

/** SQL that nests deeply, which DuckDB parses, binds and executes by recursion. */
class DeepSqlTest extends undercroft.tools.Suite:

  test("deeply nested SQL returns a result or throws on threads with small stacks".tag(LongTest)):
    val outcome = CheckedHeap.run(classOf[DeepSql])
    assertEquals(outcome.exit, 0, outcome.output)
    assert(outcome.output.contains("every statement returned"), outcome.output)

  test("SQL cannot raise the expression depth limit that protects the stack"):
    val duckdb = DuckDb()
    try
      for sql <- Seq("set max_expression_depth = 1000000", "PRAGMA \"MAX_EXPRESSION_DEPTH\"=9") do
        val error = intercept[IllegalArgumentException](duckdb.query(sql))
        assert(error.getMessage.startsWith("SQL must not set max_expression_depth: "), error)
    finally duckdb.close()

  test("SQL cannot raise the limit if the default locale is Turkish"):
    val before = Locale.getDefault
    Locale.setDefault(Locale.of("tr"))
    try
      val duckdb = DuckDb()
      try
        val error = intercept[IllegalArgumentException]:
          duckdb.query("SET MAX_EXPRESSION_DEPTH = 1000000")
        assert(error.getMessage.startsWith("SQL must not set max_expression_depth: "), error)
      finally duckdb.close()
    finally Locale.setDefault(before)

  /** The folder of an exported database whose script has these statements. */
  private def exported(script: String): Path =
    val folder = path("exported")
    Files.createDirectories(folder)
    Files.writeString(folder.resolve("schema.sql"), script)
    Files.writeString(folder.resolve("load.sql"), "")
    folder

  private def depth(duckdb: DuckDb): Long = duckdb.query(
    "select value::bigint from duckdb_settings() where name = 'max_expression_' || 'depth'"
  )(0, 0).long

  test("a script that a statement reads cannot raise the limit"):
    for
      script <- Seq(
        "SET max_expression_depth = 1000000;",
        "SET SESSION max_expression_depth = 1000000; SET threads = 2;",
        "PREPARE deeper AS SELECT 1; SET max_expression_depth = 1000000; EXECUTE deeper;"
      )
    do
      val duckdb = DuckDb()
      try
        val folder = exported(script)
        duckdb.query(s"import database '$folder'")
        assertEquals(depth(duckdb), 1000L, script)
        val deep = "select " + "1+" * 3000 + "1"
        val _ = intercept[DuckDbException](duckdb.query(deep))
        val _ = intercept[DuckDbException](duckdb.query(s"import database '$folder'; $deep"))
        assertEquals(depth(duckdb), 1000L, script)
      finally duckdb.close()

  test("after a script that raises the limit and locks the configuration, queries are refused"):
    val duckdb = DuckDb()
    try
      val script = "SET max_expression_depth = 1000000; SET lock_configuration = true;"
      duckdb.query(s"import database '${exported(script)}'")
      for _ <- 1 to 2 do
        val error = intercept[DuckDbException](duckdb.query("select " + "1+" * 300_000 + "1"))
        assert(error.getMessage.contains("has been locked"), error.getMessage)
    finally duckdb.close()

  test("the limit holds after a script that fails, also within a transaction"):
    val duckdb = DuckDb()
    try
      val folder = exported("SET max_expression_depth = 1000000; FROM missing;")
      val _ = intercept[DuckDbException](duckdb.query(s"import database '$folder'"))
      assertEquals(depth(duckdb), 1000L)
      duckdb.query("begin")
      val _ = intercept[DuckDbException](duckdb.query(s"import database '$folder'"))
      val _ = intercept[DuckDbException](duckdb.query("select " + "1+" * 3000 + "1"))
      duckdb.query("rollback")
      assertEquals(depth(duckdb), 1000L)
    finally duckdb.close()

  test("a lower limit of a script and a locked configuration stay"):
    val duckdb = DuckDb()
    try
      duckdb.query(s"import database '${exported("SET max_expression_depth = 50;")}'")
      assertEquals(depth(duckdb), 50L)
      duckdb.query("set lock_configuration = true")
      val _ = intercept[DuckDbException](duckdb.query("set threads = 2"))
      assertEquals(duckdb.query("select 1")(0, 0).long, 1L)
    finally duckdb.close()
end DeepSqlTest

object DeepSql:
  def main(arguments: Array[String]): Unit =
    val statements =
      for depth <- Seq(50, 900, 20_000)
      yield Seq(
        "select " + "(" * depth + "1" + ")" * depth,
        "select " + "1+" * depth + "1",
        "select " + "not " * depth + "true",
        "select " + "[" * depth + "]" * depth,
        "select * from " + "(select * from " * depth + "range(3)" + ")" * depth,
        // DuckDB's time for these is quadratic in their number.
        "select 1" + " union all select 1" * math.min(depth, 300),
        "select * from range(5) t(i) where " + "(i < 1 or " * depth + "true" + ")" * depth
      )
    for
      sql <- statements.flatten
      stack <- if arguments.isEmpty then Seq(256L << 10, 0L) else arguments.map(_.toLong).toSeq
    do
      println(s"${sql.length} characters, stack $stack: ${sql.take(24)}")
      System.out.flush()
      val thread = Thread(null, () => ask(sql), "deep", stack)
      thread.start()
      thread.join()
    println("every statement returned")
  end main

  private def ask(sql: String): Unit =
    val duckdb = DuckDb()
    try println(s"  ${duckdb.query(sql).rows.size} rows")
    catch case error: Exception => println(s"  ${error.toString.take(100)}")
    finally duckdb.close()
end DeepSql

final class DeepSql
