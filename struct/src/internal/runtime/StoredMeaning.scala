package undercroft.struct
package internal.runtime

import scala.annotation.publicInBinary

/** The logical type of the `StoredAs` of a field, if it has one, and the structs of a [[RowsRef]].
  *
  * @param path
  *   the names of the enclosing fields and enum cases, and of the field
  * @param elements
  *   the Struct of the elements, if the field is a RowsRef
  */
final class StoredMeaning private (
    private[undercroft] val path: List[String],
    private[undercroft] val logicalType: Option[LogicalType],
    private[undercroft] val elements: Option[() => Struct[?]]
):
  @publicInBinary private[undercroft] def this(
      path: List[String],
      storedAs: Struct.StoredAs[?, ?]
  ) = this(
    path,
    storedAs.logicalType,
    storedAs match
      case run: RowsRef.Stored[?] => Some(run.structOf)
      case _                      => None
  )

  private[struct] def in(prefix: String): StoredMeaning =
    new StoredMeaning(prefix :: path, logicalType, elements)
end StoredMeaning

object StoredMeaning:
  private val noMeanings: List[StoredMeaning] = Nil

  /** The meanings of a class without a `StoredAs`. */
  @publicInBinary private[undercroft] val none: () => List[StoredMeaning] = () => noMeanings
