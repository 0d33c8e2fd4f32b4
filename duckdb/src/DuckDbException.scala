package undercroft.duckdb

/** DuckDB refused a statement, or it failed.
  *
  * @param code
  *   DuckDB's own number of the error: 5001 and above for the words of a statement, 6001 and above
  *   for what it names; 0 where the library itself cannot be used
  */
final class DuckDbException private[duckdb] (
    message: String,
    val code: Int,
    cause: Throwable | Null = null
) extends RuntimeException(message, cause)
