package undercroft.actor
package persistence

import undercroft.file.format.{Durability, ErrorKind}

/** Permits comparison of the enums of Java under strict equality. */
private[persistence] given CanEqual[Durability, Durability] = CanEqual.derived
private[persistence] given CanEqual[ErrorKind, ErrorKind] = CanEqual.derived
