package undercroft.actor

/** Permits comparison with null on hot paths under strict equality. */
private[actor] given nullable: CanEqual[Any, Null] = CanEqual.derived
private[actor] given nullPattern: CanEqual[Null, Any] = CanEqual.derived

extension [A <: AnyRef](inline present: A | Null)
  /** The value or, if it is null, a new one. */
  private[actor] inline def orCreate(inline create: A): A =
    val value = present
    if value == null then create else value
