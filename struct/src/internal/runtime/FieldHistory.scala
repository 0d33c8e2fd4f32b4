package undercroft.struct
package internal.runtime

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary

/** How a field or an enum case is read from files of earlier versions of its class.
  *
  * @param path
  *   the names of the enclosing fields and enum cases, and of the field or case
  * @param default
  *   the value of the field in files that lack it, if it has a default argument
  */
final class FieldHistory @publicInBinary private[undercroft] (
    private[undercroft] val path: List[String],
    private[undercroft] val formerNames: List[String],
    private[undercroft] val default: Option[FieldDefault]
):
  private[struct] def in(prefix: String): FieldHistory =
    FieldHistory(prefix :: path, formerNames, default)

object FieldHistory:
  private val noHistories: List[FieldHistory] = Nil

  /** The history of a class without former names and default arguments. */
  @publicInBinary private[undercroft] val none: () => List[FieldHistory] = () => noHistories

/** The default argument of a field.
  *
  * @param store
  *   stores the value at the start of a segment, under the C ABI or without padding; None if the
  *   code that derives the Struct cannot evaluate the argument
  */
final class FieldDefault @publicInBinary private[undercroft] (
    private[undercroft] val shape: Shape,
    private[undercroft] val dimensions: List[Int],
    private[undercroft] val store: Option[(MemorySegment, Boolean) => Unit]
)
