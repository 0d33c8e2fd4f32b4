package undercroft.struct
package internal.macros.terms

import internal.macros.schema.{ShapeDerivation, StoredTypes, TypeNames}
import scala.quoted.*

/** The compiler's conversions to an expected type, for stores through `updateDynamic`. */
private[struct] object ValueConversion:
  private val widths = List("Byte", "Short", "Int", "Long", "Float", "Double")

  /** The value as an `A`: unchanged, a literal that fits, or a number widened as Scala widens it.
    */
  def to[A: Type](value: Expr[Any], subject: String)(using Quotes): Expr[A] =
    import quotes.reflect.*
    val target = TypeRepr.of[A]
    val term = Projection.strip(value.asTerm)
    val from = term.tpe.widen
    term match
      case _ if from <:< target => term.asExprOf[A]
      // Only the null reference is a reference to Any, which has no Struct.
      case _ if StoredTypes.isReference(target) && isNone(from) =>
        TypeApply(Select.unique(term, "asInstanceOf"), List(Inferred(target))).asExprOf[A]
      case Literal(IntConstant(n)) if literal[A](n).isDefined =>
        literal[A](n).fold(fail(subject, from, target))(identity)
      case _ =>
        val (start, end) =
          (widths.indexOf(from.typeSymbol.name), widths.indexOf(target.typeSymbol.name))
        val isChar = from.typeSymbol.name == "Char" && end >= widths.indexOf("Int")
        if isChar || (start >= 0 && start < end) then
          Select.unique(term, s"to${target.typeSymbol.name}").asExprOf[A]
        else fail(subject, from, target)

  private def isNone(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    StoredTypes.isReference(
      tpe.dealias
    ) && tpe.dealias.typeArgs.headOption.exists(_ =:= TypeRepr.of[Any])

  private def fail(using
      Quotes
  )(subject: String, from: quotes.reflect.TypeRepr, target: quotes.reflect.TypeRepr): Nothing =
    val short = (ShapeDerivation.named(target.dealias), ShapeDerivation.named(from.dealias))
    val (wanted, actual) =
      if short._1 == short._2 then (TypeNames.full(target), TypeNames.full(from)) else short
    quotes.reflect.report.errorAndAbort(s"$subject is of type $wanted, not $actual")

  private def literal[A: Type](n: Int)(using Quotes): Option[Expr[A]] = Type.of[A] match
    case '[Byte] if n == n.toByte   => Some(Expr(n.toByte).asExprOf[A])
    case '[Short] if n == n.toShort => Some(Expr(n.toShort).asExprOf[A])
    case '[Char] if n == n.toChar   => Some(Expr(n.toChar).asExprOf[A])
    case _                          => None
end ValueConversion
