package undercroft.memory

/** Allows comparison with null under strict equality, for hot paths. */
private[memory] given nullable: CanEqual[Any, Null] = CanEqual.derived
