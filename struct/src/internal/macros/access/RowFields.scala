package undercroft.struct
package internal.macros.access

import internal.macros.schema.ShapeDerivation
import internal.macros.terms.ValueConversion
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates the field accesses of a [[TableRow]], as accesses to its table. */
@publicInBinary private[struct] object RowFields:

  def select[T: Type, L <: Layout: Type](row: Expr[TableRow[T, L]], name: Expr[String])(using
      Quotes
  ): Expr[Any] =
    import quotes.reflect.*
    val field = checked[T](name)
    '{
      val bound = $row
      ${
        val value = RowAccess.load[T, L]('{ bound._table }, '{ bound._index })
        Select.unique(value.asTerm, field).asExpr
      }
    }

  /** `row.field(arguments)`: a call of the field's value. */
  def applied[T: Type, L <: Layout: Type](
      row: Expr[TableRow[T, L]],
      name: Expr[String],
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Any] =
    import quotes.reflect.*
    arguments match
      case Varargs(values) =>
        val field = select(row, name).asTerm
        Select.overloaded(field, "apply", Nil, values.map(_.asTerm).toList).asExpr
      case _ => report.errorAndAbort(s"write the arguments of `${name.valueOrAbort}` one by one")

  def assign[T: Type, L <: Layout: Type](
      row: Expr[TableRow[T, L]],
      name: Expr[String],
      value: Expr[Any]
  )(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val field = checked[T](name)
    val tpe = TypeRepr.of[T].dealias
    ShapeDerivation.fields(tpe).find(_._1 == field).fold(tpe)(_._2.dealias).asType match
      case '[a] =>
        val of = s"field `$field` of ${ShapeDerivation.named(tpe)}"
        '{
          val bound = $row
          val stored: a = ${ ValueConversion.to[a](value, of) }
          ${
            RowAccess.updateAt[T, L, a](
              '{ bound._table },
              '{ bound._index },
              '{ (struct: T) => ${ Select.unique('struct.asTerm, field).asExprOf[a] } },
              '{ (_: a) => stored }
            )
          }
        }
  end assign

  private def checked[T: Type](name: Expr[String])(using Quotes): String =
    import quotes.reflect.*
    val (field, tpe) = (name.valueOrAbort, TypeRepr.of[T].dealias)
    if !ShapeDerivation.isKnown[T] then
      report.errorAndAbort(
        s"`$field` is not known here: the fields of a row are the fields of its type, and " +
          s"${ShapeDerivation.named(tpe)} is not a known struct; ${ShapeDerivation.unknownCure[T]}"
      )
    val names = ShapeDerivation.fields(tpe).map(_._1)
    if !names.contains(field) then
      report.errorAndAbort(
        s"${ShapeDerivation.named(tpe)} has no field `$field`; it has ${names.mkString(", ")}"
      )
    field
end RowFields
