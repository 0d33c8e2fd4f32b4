package undercroft.buffer

/** Lets hot code compare with null under strict equality. */
private[buffer] given nullable: CanEqual[Any, Null] = CanEqual.derived
