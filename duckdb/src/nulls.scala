package undercroft.duckdb

/** Lets hot code compare with null under strict equality. */
private[duckdb] given nullable: CanEqual[Any, Null] = CanEqual.derived
