package undercroft.struct
package internal.macros.access

import internal.macros.schema.{CaseFields, FormerNames, OptionTypes, ShapeDerivation, StoredTypes}
import internal.macros.terms.StructConstruction
import internal.runtime.ComposedStruct
import scala.quoted.*
import undercroft.struct.{Struct, align, bigEndian, offset}

/** Generates the Struct of a class with type parameters: its fields are loaded and stored by the
  * Structs in scope.
  */
private[struct] object ComposedDerivation:

  def derive[T: Type](using Quotes): Expr[Struct[T]] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    OptionTypes.of(tpe) match
      case Some(inner) =>
        inner.asType match
          case '[a] =>
            val (isDefined, value) = (Derivation.derive[Boolean], structOf[a])
            '{ ComposedStruct.option[a]($isDefined, $value) }.asExprOf[Struct[T]]
      case None =>
        if !ShapeDerivation.isCaseClass(tpe) || StoredTypes.of(tpe).isDefined then
          fail(tpe, "its fields have type parameters, so their sizes are not known here")
        checkAnnotations(tpe)
        record[T](tpe)
  end derive

  private def record[T: Type](using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Expr[Struct[T]] =
    import quotes.reflect.*
    val members = ShapeDerivation.fields(tpe).map((name, inner) => (name, inner.dealias))
    val structs: List[Expr[Struct[?]]] = members.map: (_, inner) =>
      inner.asType match
        case '[a] => structOf[a]
    val dimensions = members.map((_, inner) => ShapeDerivation.dimensions(inner))
    val former = members.map((name, _) => FormerNames.of(tpe.typeSymbol, name))
    val defaults: List[Expr[ComposedStruct.Argument]] = FieldHistories.arguments(tpe).map:
      case None              => '{ ComposedStruct.Argument.Required }
      case Some(None)        => '{ ComposedStruct.Argument.Unknown }
      case Some(Some(value)) => '{ ComposedStruct.Argument.Default(() => ${ value.asExpr }) }
    '{
      ComposedStruct.record[T](
        ${ Expr(tpe.typeSymbol.name) },
        ${ Expr(members.map(_._1)) },
        ${ Expr(dimensions) },
        ${ Expr.ofList(structs) },
        ${ Expr(former) },
        ${ Expr.ofList(defaults) },
        value => ${ split('value) },
        load => ${ created[T]('load) }
      )
    }
  end record

  /** The values of the fields. */
  private def split[T: Type](value: Expr[T])(using Quotes): Expr[Array[Any]] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val values = tpe.typeSymbol.caseFields.indices.map: number =>
      CaseFields.select(value.asTerm, tpe, number).asExprOf[Any]
    '{ Array[Any](${ Varargs(values) }*) }

  /** A value of fields that `load` loads by their numbers. */
  private def created[T: Type](load: Expr[Int => Any])(using Quotes): Expr[T] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val values = ShapeDerivation.fields(tpe).zipWithIndex.map:
      case ((_, inner), k) =>
        inner.dealias.asType match
          case '[a] => '{ $load(${ Expr(k) }).asInstanceOf[a] }.asTerm
    StructConstruction.created(tpe, values).asExprOf[T]

  /** The Struct of a field. */
  private def structOf[A: Type](using Quotes): Expr[Struct[A]] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[A].dealias
    if tpe.typeSymbol.isTypeParam then
      Expr.summon[Struct[A]].getOrElse(fail(
        tpe,
        s"there is no Struct of ${ShapeDerivation.named(tpe.dealias)} here"
      ))
    else Derivation.derive[A]

  private def checkAnnotations(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    val annotations =
      List(TypeRepr.of[align], TypeRepr.of[offset], TypeRepr.of[bigEndian]).map(_.typeSymbol)
    val annotated = symbol :: symbol.primaryConstructor.paramSymss.flatten.filter(_.isTerm)
    annotated
      .find(part => annotations.exists(part.hasAnnotation(_)))
      .foreach: part =>
        fail(tpe, s"${part.name} has an annotation of its layout, and a field a type parameter")

  private def fail(using Quotes)(tpe: quotes.reflect.TypeRepr, reason: String): Nothing =
    val name = tpe.typeSymbol.name
    quotes.reflect.report.errorAndAbort(
      s"$name cannot derive Struct: $reason; derive it for known types, as in " +
        s"`given Struct[$name[Int]] = Struct.derived`"
    )
end ComposedDerivation
