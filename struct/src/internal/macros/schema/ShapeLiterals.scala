package undercroft.struct
package internal.macros.schema

import internal.bytes.ShapeParts
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
      case _ => '{ ShapeParts.kind(${ Expr(Shape.Kind.primitives.indexOf(kind)) }) }

  given ToExpr[Shape]:
    def apply(shape: Shape)(using Quotes): Expr[Shape] = shape match
      case Shape.Primitive(kind, Nil, "") => '{ ShapeParts.primitive(${ Expr(kind) }) }
      case Shape.Primitive(kind, cases, encoding) =>
        val names = Varargs(cases.map(Expr(_)))
        '{ ShapeParts.primitive(${ Expr(kind) }, Array[String]($names*), ${ Expr(encoding) }) }
      case Shape.Record(name, fields) =>
        '{ ShapeParts.record(${ Expr(name) }, ${ array(fields) }) }
      case Shape.Union(name, members) =>
        '{ ShapeParts.union(${ Expr(name) }, ${ array(members) }) }

  private def array(fields: List[Shape.Field])(using Quotes): Expr[Array[Shape.Field]] =
    '{ Array[Shape.Field](${ Varargs(fields.map(Expr(_))) }*) }

  given ToExpr[Shape.Field]:
    def apply(field: Shape.Field)(using Quotes): Expr[Shape.Field] =
      val (name, shape) = (Expr(field.name), Expr(field.shape))
      if field == Shape.Field(field.name, field.shape) then '{ ShapeParts.field($name, $shape) }
      else
        val (alignment, offset) = (Expr(field.alignment), Expr(field.offset))
        val dimensions = Varargs(field.dimensions.map(Expr(_)))
        '{ ShapeParts.field($name, $shape, $alignment, $offset, Array[Int]($dimensions*)) }
end ShapeLiterals
