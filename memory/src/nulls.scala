package undercroft.memory

/** Lets hot code compare with null under strict equality. */
private[memory] given nullable: CanEqual[Any, Null] = CanEqual.derived
