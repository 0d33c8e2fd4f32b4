package outside.duckdb

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
