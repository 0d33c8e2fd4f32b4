package undercroft.actor

/** Lets hot code compare with null under strict equality. */
private[actor] given nullable: CanEqual[Any, Null] = CanEqual.derived
private[actor] given nullPattern: CanEqual[Null, Any] = CanEqual.derived
