package undercroft.struct

/** Lets hot code compare with null under strict equality. */
private[struct] given nullable: CanEqual[Any, Null] = CanEqual.derived
