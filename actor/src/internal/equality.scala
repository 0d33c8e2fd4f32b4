package undercroft.actor.internal

import scala.quoted.Quotes

/** Lets macros compare symbols under strict equality. */
private[internal] given symbols
    : CanEqual[Quotes#reflectModule#Symbol, Quotes#reflectModule#Symbol] =
  CanEqual.derived
