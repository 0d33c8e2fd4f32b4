package undercroft.struct
package internal.macros.access

import internal.bytes.Fingerprint
import internal.macros.loops.TableLoops
import internal.macros.places.{ColumnPlace, RowPlace}
import internal.macros.schema.{ElementTypes, ShapeDerivation}
import internal.macros.terms.{Projection, StructConstruction, ValueSplitter}
import internal.runtime.StructDescription
import java.lang.foreign.MemorySegment
import java.util.Objects
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.Struct
import undercroft.struct.internal.macros.schema.ShapeLiterals.given

/** Generates a Struct: one class per type, on which generic code runs. */
@publicInBinary private[struct] object Derivation:

  /** Evidence that a type has a Struct without `derives`; no evidence for another type. */
  def element[T: Type](using Quotes): Expr[Struct.Element[T]] =
    import quotes.reflect.*
    if ElementTypes.isElement(TypeRepr.of[T].dealias) then '{ Struct.elementOf[T] }
    else
      report.errorAndAbort(
        s"${ShapeDerivation.named(TypeRepr.of[T].dealias)} is not stored as one field is"
      )

  /** The Struct of a type that has one without `derives`. */
  def deriveElement[T: Type](using Quotes): Expr[Struct[T]] =
    ElementTypes.checkEnum(quotes.reflect.TypeRepr.of[T].dealias)
    derive[T]

  def derive[T: Type](using Quotes): Expr[Struct[T]] =
    ShapeDerivation.check[T]
    ShapeDerivation.checkGivens[T]
    if ShapeDerivation.isKnown[T] then ofKnown[T] else ComposedDerivation.derive[T]

  /** The offset of the first leaf of a field. */
  def offsetOf[T: Type](field: Expr[T => Any], packed: Expr[Boolean])(using
      Quotes
  ): Expr[Long] =
    import quotes.reflect.*
    if !ShapeDerivation.isKnown[T] then
      report.errorAndAbort(
        s"the offsets of ${ShapeDerivation.named(TypeRepr.of[T].dealias)} are not known here: " +
          ShapeDerivation.unknownCure[T]
      )
    val leaves = Projection.strip(field.asTerm) match
      case Lambda(List(row), body) =>
        val path = Projection.pathFrom(row.symbol, Projection.strip(body))
        path.toList.flatMap(path => ShapeDerivation.shape[T].leaves.filter(_.path.startsWith(path)))
      case _ => Nil
    val leaf = leaves.headOption.getOrElse(
      report.errorAndAbort(
        s"an offset is of a field, written as `_.field`; ${Projection.fieldsHere[T]}",
        field
      )
    )
    Expr((if packed.valueOrAbort then leaf.packed else leaf.aligned).toLong)
  end offsetOf

  private def ofKnown[T: Type](using Quotes): Expr[Struct[T]] =
    val known = ShapeDerivation.shape[T]
    val (aligned, packed) = (Expr(known.alignedSize.toLong), Expr(known.packedSize.toLong))
    val fingerprint = Expr(Fingerprint.of(known))
    val alignedEnd = Expr(RowPlace.end(known.leaves, packed = false).toLong)
    val packedEnd = Expr(RowPlace.end(known.leaves, packed = true).toLong)
    val lastLeaf = known.leaves.maxBy(_.column)
    val (lastColumn, lastSize) = (Expr(lastLeaf.column.toLong), Expr(lastLeaf.kind.size.toLong))
    '{
      new Struct[T](
        $fingerprint,
        ${ Expr(known.alignedSize) },
        ${ Expr(known.alignment) },
        ${ Expr(known.packedSize) },
        ${ Expr(known.columnarSize) }
      )(using Struct.derivation):
        def describe: StructDescription = new StructDescription(
          ${ Expr(known) },
          ${ FieldHistories.of[T] },
          ${ StoredMeanings.of[T] }
        )
        def loadAligned(segment: MemorySegment, offset: Long): T =
          ${
            TableLoops.guarded('segment)(guard =>
              StructConstruction.load[T](RowPlace(
                'segment,
                'offset,
                packed = false,
                guard = Some(guard)
              ))
            )
          }
        def loadPacked(segment: MemorySegment, offset: Long): T =
          ${
            TableLoops.guarded('segment)(guard =>
              StructConstruction.load[T](RowPlace(
                'segment,
                'offset,
                packed = true,
                guard = Some(guard)
              ))
            )
          }
        def loadColumns(segment: MemorySegment, capacity: Long, row: Long): T =
          ${
            TableLoops.guarded('segment)(guard =>
              StructConstruction.load[T](ColumnPlace(
                'segment,
                'capacity,
                'row,
                guard = Some(guard)
              ))
            )
          }
        def eachAligned(
            segment: MemorySegment,
            offset: Long,
            rows: Int,
            step: T => Boolean
        ): Boolean =
          var row = 0
          while row < rows && step(loadAligned(segment, offset + row * ${ aligned })) do row += 1
          row == rows
        def eachPacked(
            segment: MemorySegment,
            offset: Long,
            rows: Int,
            step: T => Boolean
        ): Boolean =
          var row = 0
          while row < rows && step(loadPacked(segment, offset + row * ${ packed })) do row += 1
          row == rows
        def eachColumns(
            segment: MemorySegment,
            capacity: Long,
            first: Long,
            rows: Int,
            step: T => Boolean
        ): Boolean =
          var row = 0
          while row < rows && step(loadColumns(segment, capacity, first + row)) do row += 1
          row == rows
        def storeAligned(segment: MemorySegment, offset: Long, value: T): Unit =
          ${
            ValueSplitter.store('value)(target =>
              '{
                val _ = Objects.checkFromIndexSize(offset, $alignedEnd, segment.byteSize)
                ${ target(RowPlace('segment, 'offset, packed = false)) }
              }
            )
          }
        def storePacked(segment: MemorySegment, offset: Long, value: T): Unit =
          ${
            ValueSplitter.store('value)(target =>
              '{
                val _ = Objects.checkFromIndexSize(offset, $packedEnd, segment.byteSize)
                ${ target(RowPlace('segment, 'offset, packed = true)) }
              }
            )
          }
        def storeColumns(segment: MemorySegment, capacity: Long, row: Long, value: T): Unit =
          ${
            ValueSplitter.store('value)(target =>
              '{
                val last = capacity * $lastColumn + Objects.checkIndex(row, capacity) * $lastSize
                val _ = Objects.checkFromIndexSize(last, $lastSize, segment.byteSize)
                ${ target(ColumnPlace('segment, 'capacity, 'row)) }
              }
            )
          }
    }
  end ofKnown
end Derivation
