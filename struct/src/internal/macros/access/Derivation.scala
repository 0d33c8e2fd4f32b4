package undercroft.struct
package internal.macros.access

import internal.bytes.Fingerprint
import internal.macros.loops.TableLoops
import internal.macros.places.{ColumnPlace, MappedGuard, Place, RowPlace}
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
    // Then both layouts of rows have the same code.
    val isUnmoved =
      known.leaves.forall(leaf => leaf.aligned == leaf.packed && !leaf.kind.isCompound)
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
          ${ loaded('segment)(RowPlace('segment, 'offset, packed = false, None, _)) }
        def loadPacked(segment: MemorySegment, offset: Long): T =
          ${
            if isUnmoved then '{ loadAligned(segment, offset) }
            else loaded('segment)(RowPlace('segment, 'offset, packed = true, None, _))
          }
        def loadColumns(segment: MemorySegment, capacity: Long, row: Long): T =
          ${ loaded('segment)(ColumnPlace('segment, 'capacity, 'row, None, _)) }
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
          ${ stored('segment, 'offset, 'value, packed = false) }
        def storePacked(segment: MemorySegment, offset: Long, value: T): Unit =
          ${
            if isUnmoved then '{ storeAligned(segment, offset, value) }
            else stored('segment, 'offset, 'value, packed = true)
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

  private def loaded[T: Type](segment: Expr[MemorySegment])(
      place: Quotes ?=> Option[MappedGuard] => Place
  )(using Quotes): Expr[T] =
    TableLoops.guarded(segment)(guard => StructConstruction.load[T](place(Some(guard))))

  private def stored[T: Type](
      segment: Expr[MemorySegment],
      offset: Expr[Long],
      value: Expr[T],
      packed: Boolean
  )(using Quotes): Expr[Unit] =
    val end = Expr(RowPlace.end(ShapeDerivation.shape[T].leaves, packed).toLong)
    ValueSplitter.store(value)(target =>
      '{
        val _ = Objects.checkFromIndexSize($offset, $end, $segment.byteSize)
        ${ target(RowPlace(segment, offset, packed)) }
      }
    )
end Derivation
