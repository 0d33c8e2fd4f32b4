package undercroft.struct
package internal.runtime

import scala.annotation.publicInBinary

/** The logical type of the `StoredAs` of a field, if it has one.
  *
  * @param path
  *   the names of the enclosing fields and enum cases, and of the field
  */
final class StoredMeaning @publicInBinary private[undercroft] (
    private[undercroft] val path: List[String],
    private[undercroft] val logicalType: Option[LogicalType]
):
  private[struct] def in(prefix: String): StoredMeaning = StoredMeaning(prefix :: path, logicalType)

object StoredMeaning:
  private val noMeanings: List[StoredMeaning] = Nil

  /** The meanings of a class without a `StoredAs`. */
  @publicInBinary private[undercroft] val none: () => List[StoredMeaning] = () => noMeanings
