package undercroft.struct.internal

import java.lang.foreign.MemorySegment
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.{Field, Kind, Shape, Struct}

/** Generates a Struct: the one class per type that generic code runs on. */
@publicInBinary private[struct] object Derivation:

  def derive[T: Type](using Quotes): Expr[Struct[T]] =
    Schema.check[T]
    val shape = Schema.shape[T]
    val (aligned, packed) = (Expr(shape.alignedSize.toLong), Expr(shape.packedSize.toLong))
    '{
      new Struct[T](${ Expr(shape) }):
        def loadAligned(segment: MemorySegment, offset: Long): T =
          ${
            Tables.guarded('segment)(guard =>
              Code.load[T](RowPlace('segment, 'offset, packed = false, guard = Some(guard)))
            )
          }
        def loadPacked(segment: MemorySegment, offset: Long): T =
          ${
            Tables.guarded('segment)(guard =>
              Code.load[T](RowPlace('segment, 'offset, packed = true, guard = Some(guard)))
            )
          }
        def loadColumns(segment: MemorySegment, capacity: Long, row: Long): T =
          ${
            Tables.guarded('segment)(guard =>
              Code.load[T](ColumnPlace('segment, 'capacity, 'row, guard = Some(guard)))
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
          ${ Split.store('value)(target => target(RowPlace('segment, 'offset, packed = false))) }
        def storePacked(segment: MemorySegment, offset: Long, value: T): Unit =
          ${ Split.store('value)(target => target(RowPlace('segment, 'offset, packed = true))) }
        def storeColumns(segment: MemorySegment, capacity: Long, row: Long, value: T): Unit =
          ${ Split.store('value)(target => target(ColumnPlace('segment, 'capacity, 'row))) }
    }
  end derive

  given ToExpr[Kind]:
    def apply(kind: Kind)(using Quotes): Expr[Kind] = kind match
      case Kind.Text(bytes)         => '{ Kind.Text(${ Expr(bytes) }) }
      case Kind.Elements(of, count) => '{ Kind.Elements(${ Expr(of) }, ${ Expr(count) }) }
      case Kind.TextRef             => '{ Kind.TextRef }
      case Kind.BytesRef            => '{ Kind.BytesRef }
      case Kind.Ordinal(of)         => '{ Kind.Ordinal(${ Expr(of) }) }
      case Kind.BigEndian(of)       => '{ Kind.BigEndian(${ Expr(of) }) }
      case Kind.Union(members)      => '{ Kind.Union(${ Expr(members) }) }
      case Kind.Structs(of, count)  => '{ Kind.Structs(${ Expr(of) }, ${ Expr(count) }) }
      case _ =>
        val ordinal = Expr(Kind.primitives.indexOf(kind))
        '{ Kind.primitives($ordinal) }

  given ToExpr[Shape]:
    def apply(shape: Shape)(using Quotes): Expr[Shape] = shape match
      case Shape.Primitive(kind, cases) =>
        '{ Shape.Primitive(${ Expr(kind) }, ${ Expr(cases) }) }
      case Shape.Record(name, fields) =>
        '{ Shape.Record(${ Expr(name) }, ${ Expr(fields) }) }
      case Shape.Union(name, members) =>
        '{ Shape.Union(${ Expr(name) }, ${ Expr(members) }) }

  given ToExpr[Field]:
    def apply(field: Field)(using Quotes): Expr[Field] =
      val (alignment, offset) = (Expr(field.alignment), Expr(field.offset))
      '{ Field(${ Expr(field.name) }, ${ Expr(field.shape) }, $alignment, $offset) }
end Derivation
