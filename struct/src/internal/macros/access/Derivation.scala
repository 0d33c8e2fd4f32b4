package undercroft.struct
package internal.macros.access

import internal.bytes.Fingerprint
import internal.macros.loops.TableLoops
import internal.macros.places.{ColumnPlace, RowPlace}
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.{StructConstruction, ValueSplitter}
import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.Struct
import undercroft.struct.internal.macros.schema.ShapeLiterals.given

/** Generates a Struct: one class per type, on which generic code runs. */
@publicInBinary private[struct] object Derivation:

  def derive[T: Type](using Quotes): Expr[Struct[T]] =
    ShapeDerivation.check[T]
    val shape = ShapeDerivation.shape[T]
    val (aligned, packed) = (Expr(shape.alignedSize.toLong), Expr(shape.packedSize.toLong))
    val fingerprint = Expr(Fingerprint.of(shape))
    '{
      new Struct[T](${ Expr(shape) }, $fingerprint)(using Struct.derivation):
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
              target(RowPlace('segment, 'offset, packed = false))
            )
          }
        def storePacked(segment: MemorySegment, offset: Long, value: T): Unit =
          ${
            ValueSplitter.store('value)(target =>
              target(RowPlace('segment, 'offset, packed = true))
            )
          }
        def storeColumns(segment: MemorySegment, capacity: Long, row: Long, value: T): Unit =
          ${ ValueSplitter.store('value)(target => target(ColumnPlace('segment, 'capacity, 'row))) }
    }
  end derive
end Derivation
