package undercroft.struct
package internal.runtime

import internal.bytes.{MemoryLayouts, Packing, StructBytes}
import java.lang.foreign.StructLayout
import scala.annotation.publicInBinary

/** What a [[Struct]] states of its fields beyond sizes: names, types, former names, defaults and
  * logical types, and what follows from them. Created at its first use: the first rows of a program
  * are allocated, stored and read without it.
  *
  * @param meanings
  *   called when they are read: a given may be initialized after the Struct
  */
final class StructDescription @publicInBinary private[undercroft] (
    private[struct] val shape: Shape,
    private[struct] val history: () => List[FieldHistory],
    private[struct] val meanings: () => List[StoredMeaning]
):
  private[struct] lazy val leaves: List[Shape.Leaf] = shape.leaves

  private[struct] lazy val logicalTypes: Map[List[String], LogicalType] =
    meanings()
      .flatMap(meaning => meaning.logicalType.map(meaning.path -> _))
      .reverse // of a type that is stored as another one, the outer logical type counts
      .toMap

  private[struct] lazy val runs: Map[List[String], Struct[?]] =
    meanings()
      .flatMap(meaning => meaning.elements.map(struct => meaning.path -> struct()))
      .toMap

  private[struct] lazy val layout: StructLayout = MemoryLayouts.aligned(shape)
  private[struct] lazy val packedLayout: StructLayout = MemoryLayouts.packed(shape)
  private[struct] lazy val columns: Array[Shape.Leaf] = leaves.distinctBy(_.column).toArray
  private[struct] lazy val alignedBytes: StructBytes = StructBytes(shape, Table.Kind.Aligned)
  private[struct] lazy val packedBytes: StructBytes = StructBytes(shape, Table.Kind.Packed)
  private[struct] lazy val columnarBytes: StructBytes = StructBytes(shape, Table.Kind.Columnar)
  private[struct] lazy val packing: Packing = Packing(shape)
  private[struct] lazy val hasCases: Boolean = leaves.exists(_.shared)
  private[struct] lazy val hasPadding: Boolean =
    hasCases || leaves.map(_.kind.size).sum < shape.alignedSize
end StructDescription
