package undercroft.struct
package internal.bytes

import scala.annotation.publicInBinary
import undercroft.struct.Struct

/** Records which layouts generated code has already compared with their Struct.
  *
  * A reference carries no Struct, so code that uses a reference compares its layout with the Struct
  * in scope, once for each type and layout in a process; after that the check is the load of a byte
  * at a constant address. Two layouts with the same number share the result, one of 65 536 pairs.
  *
  * Thread-safe: a thread that does not see a byte yet repeats the comparison.
  */
@publicInBinary private[struct] object AgreedLayouts:
  private val Size = 1 << 16
  private val agreed = new Array[Byte](Size)

  /** The number of a layout of a type. */
  def numberOf(typeName: String, text: String): Int =
    val hash = Fingerprint.hash(s"$typeName\n$text")
    (hash ^ hash >>> 32 ^ hash >>> 16).toInt & Size - 1

  def has(number: Int): Boolean = agreed(number) != 0

  /** Compares a layout with the Struct's layout; throws if they differ. */
  def add(number: Int, struct: Struct[?], fingerprint: Long, text: String): Unit =
    if struct.fingerprint != fingerprint then Fingerprint.differ(struct, text)
    agreed(number) = 1
end AgreedLayouts
