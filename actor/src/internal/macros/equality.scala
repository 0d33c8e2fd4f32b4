package undercroft.actor
package internal.macros

import scala.quoted.Quotes

/** Permits comparison of symbols in macros under strict equality. */
private[internal] given symbols
    : CanEqual[Quotes#reflectModule#Symbol, Quotes#reflectModule#Symbol] =
  CanEqual.derived
