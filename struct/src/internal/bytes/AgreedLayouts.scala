package undercroft.struct
package internal.bytes

import java.lang.invoke.{MethodHandle, MethodHandles, MutableCallSite}
import scala.annotation.publicInBinary
import undercroft.struct.Struct

/** Records which layouts generated code has already compared with their Struct.
  *
  * A reference carries no Struct, so code that uses a reference compares its layout with the Struct
  * in scope, once for each type and layout in a process. After that the check is free: the target
  * of a call site is a constant for the JIT, which discards the compiled code if the target is set
  * again. The target's identity stands for the upper bits of a layout's number; the lower bits
  * select the site. A layout whose site belongs to another one has a byte instead, which compiled
  * code loads.
  *
  * Two layouts with the same number share the result, one of 65 536 pairs. Thread-safe: a thread
  * that does not see a result yet repeats the comparison.
  */
@publicInBinary private[struct] object AgreedLayouts:
  private val Size = 1 << 16
  private inline val SiteBits = 11
  private inline val Sites = 1 << SiteBits

  private val agreed = new Array[Byte](Size)

  /** The target of a site that belongs to no layout. */
  private val free = MethodHandles.constant(classOf[Int], -1).nn

  // Lists of Java, because the JIT takes their elements for constants.
  private val owners: java.util.List[MethodHandle] =
    immutable(Array.tabulate(Size / Sites)(i => MethodHandles.constant(classOf[Int], i).nn))
  private val sites: java.util.List[MutableCallSite] =
    immutable(Array.fill(Sites)(MutableCallSite(free)))

  private def immutable[A](elements: Array[A & Object]): java.util.List[A] =
    java.util.List.of(elements*).nn

  /** The number of a layout of a type. */
  def numberOf(typeName: String, text: String): Int =
    val hash = Fingerprint.hash(s"$typeName\n$text")
    (hash ^ hash >>> 32 ^ hash >>> 16).toInt & Size - 1

  def has(number: Int): Boolean =
    (site(number).getTarget eq owners.get(number >>> SiteBits)) || agreed(number) != 0

  private def site(number: Int): MutableCallSite = sites.get(number & Sites - 1).nn

  /** Compares a layout with the Struct's layout; throws if they differ. */
  def add(number: Int, struct: Struct[?], fingerprint: Long, text: String): Unit =
    val _ = struct.agreed(fingerprint, text)
    agreed(number) = 1
    synchronized:
      if site(number).getTarget eq free then site(number).setTarget(owners.get(number >>> SiteBits))
end AgreedLayouts
