package undercroft.actor

/** Permits comparison with null on hot paths under strict equality. */
private[actor] given nullable: CanEqual[Any, Null] = CanEqual.derived
private[actor] given nullPattern: CanEqual[Null, Any] = CanEqual.derived
