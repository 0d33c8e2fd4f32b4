package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.Shape

/** Shapes and their kinds as expressions in generated code. */
private[struct] object ShapeLiterals:

  given ToExpr[Shape.Kind]:
    def apply(kind: Shape.Kind)(using Quotes): Expr[Shape.Kind] = kind match
      case Shape.Kind.Text(bytes) => '{ Shape.Kind.Text(${ Expr(bytes) }) }
      case Shape.Kind.Elements(of, count) =>
        '{ Shape.Kind.Elements(${ Expr(of) }, ${ Expr(count) }) }
      case Shape.Kind.TextRef            => '{ Shape.Kind.TextRef }
      case Shape.Kind.BytesRef           => '{ Shape.Kind.BytesRef }
      case Shape.Kind.Ordinal(of)        => '{ Shape.Kind.Ordinal(${ Expr(of) }) }
      case Shape.Kind.BigEndian(of)      => '{ Shape.Kind.BigEndian(${ Expr(of) }) }
      case Shape.Kind.Union(members)     => '{ Shape.Kind.Union(${ Expr(members) }) }
      case Shape.Kind.Structs(of, count) => '{ Shape.Kind.Structs(${ Expr(of) }, ${ Expr(count) }) }
      case _ =>
        val ordinal = Expr(Shape.Kind.primitives.indexOf(kind))
        '{ Shape.Kind.primitives($ordinal) }

  given ToExpr[Shape]:
    def apply(shape: Shape)(using Quotes): Expr[Shape] = shape match
      case Shape.Primitive(kind, cases, encoding) =>
        '{ Shape.Primitive(${ Expr(kind) }, ${ Expr(cases) }, ${ Expr(encoding) }) }
      case Shape.Record(name, fields) =>
        '{ Shape.Record(${ Expr(name) }, ${ Expr(fields) }) }
      case Shape.Union(name, members) =>
        '{ Shape.Union(${ Expr(name) }, ${ Expr(members) }) }

  given ToExpr[Shape.Field]:
    def apply(field: Shape.Field)(using Quotes): Expr[Shape.Field] =
      val (alignment, offset) = (Expr(field.alignment), Expr(field.offset))
      val dimensions = Expr(field.dimensions)
      '{
        Shape.Field(${ Expr(field.name) }, ${ Expr(field.shape) }, $alignment, $offset, $dimensions)
      }
end ShapeLiterals
