package undercroft.duckdb

/** Thrown when DuckDB rejects a statement or fails to execute it.
  *
  * {{{
  * def isValid(db: DuckDb, sql: String): Boolean =
  *   try
  *     db.query(s"explain $sql")
  *     true
  *   catch case error: DuckDbException => error.code < 5001
  * }}}
  *
  * @param code
  *   DuckDB's error code: 5001 and above for the text of a statement, 6001 and above for the
  *   objects that it names; 0 if the library itself cannot be used
  */
final class DuckDbException private[duckdb] (
    message: String,
    val code: Int,
    cause: Throwable | Null = null
) extends RuntimeException(message, cause)
