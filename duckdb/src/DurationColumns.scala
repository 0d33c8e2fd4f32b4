package undercroft.duckdb

/** The SQL type of columns of durations.
  *
  * {{{
  * import undercroft.struct.*
  * case class Timing(took: java.time.Duration) derives Struct
  * def longest(timings: Rows[Timing]): Long =
  *   val db = DuckDb(DurationColumns.Numbers)
  *   try
  *     db.register("timings", timings)
  *     db.query("select max(took) from timings")(0, 0).long // nanoseconds
  *   finally db.close()
  * }}}
  */
enum DurationColumns derives CanEqual:

  /** INTERVAL, which has microseconds. A duration with digits below them, or of more than 292
    * thousand years, is an ArithmeticException with its row when it is read.
    */
  case Intervals

  /** BIGINT, the stored number in the unit of the field. */
  case Numbers
