package undercroft.buffer

/** Allows comparison with null under strict equality, for hot paths. */
private[buffer] given nullable: CanEqual[Any, Null] = CanEqual.derived
