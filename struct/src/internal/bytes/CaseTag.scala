package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary

/** The tag of an enum or a sealed hierarchy whose cases have fields: the number of the case. */
@publicInBinary private[struct] object CaseTag:
  /** The name of the leaf that is the tag. */
  val name = "tag"

  /** Throws the error for a stored tag that is not the number of a case. */
  @publicInBinary private[struct] def unknown(number: Int, name: String, cases: Int): Nothing =
    throw java.util.NoSuchElementException(s"case $number of $name, which has $cases cases")
