package undercroft.struct
package internal.macros.access

import internal.macros.places.RowPlace
import internal.macros.schema.{Cases, FormerNames, InlineArrayTypes, OptionTypes}
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import internal.macros.terms.ValueSplitter
import internal.runtime.{FieldDefault, FieldHistory}
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.internal.macros.schema.ShapeLiterals.given

/** Generates the former names of the fields and enum cases of a type, and the default values of the
  * fields, at any depth.
  */
private[struct] object FieldHistories:

  def of[T: Type](using Quotes): Expr[() => List[FieldHistory]] =
    import quotes.reflect.*
    val histories = inside(TypeRepr.of[T].dealias, Nil)
    if histories.isEmpty then '{ FieldHistory.none } else '{ () => ${ Expr.ofList(histories) } }

  private def inside(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): List[Expr[FieldHistory]] =
    if InlineArrayTypes.parts(tpe).isDefined then
      inside(InlineArrayTypes.elementType(tpe).dealias, path)
    else
      (OptionTypes.of(tpe), StoredTypes.of(tpe)) match
        case (Some(inner), _) => inside(inner, path :+ "get")
        case _ if StoredTypes.names(tpe).nonEmpty =>
          ShapeDerivation.fields(tpe).flatMap((name, inner) => inside(inner.dealias, path :+ name))
        case _ if StoredTypes.isEnumeration(tpe)      => ofCases(tpe, path)
        case (_, Some(inner))                         => inside(inner.dealias, path)
        case _ if ShapeDerivation.kind(tpe).isDefined => Nil
        case _ if Cases.isSum(tpe) =>
          ofCases(tpe, path) ++ Cases.of(tpe).toList.flatten.flatMap: caseType =>
            ofFields(caseType, Cases.fields(caseType), path :+ Cases.name(caseType))
        case _ => ofFields(tpe, ShapeDerivation.fields(tpe), path)

  private def ofCases(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, path: List[String]): List[Expr[FieldHistory]] =
    FormerNames.checkCases(tpe)
    Cases.of(tpe).toList.flatten.flatMap: caseType =>
      val former = FormerNames.ofCase(caseType)
      Option.when(former.nonEmpty):
        val ofCase = path :+ Cases.name(caseType)
        '{ new FieldHistory(${ Expr(ofCase) }, ${ Expr(former) }, None) }

  private def ofFields(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      fields: List[(String, quotes.reflect.TypeRepr)],
      path: List[String]
  ): List[Expr[FieldHistory]] =
    val defaults = arguments(tpe)
    fields.zipWithIndex.flatMap:
      case ((name, fieldType), k) =>
        val field = path :+ name
        val former = FormerNames.of(tpe.typeSymbol, name)
        val default = defaults.lift(k).flatten
        val history = Option.when(former.nonEmpty || default.isDefined):
          val value: Expr[Option[FieldDefault]] =
            default.map(valueOf(fieldType.dealias, _)).fold('{ None })(of => '{ Some($of) })
          '{ new FieldHistory(${ Expr(field) }, ${ Expr(former) }, $value) }
        history.toList ++ inside(fieldType.dealias, field)

  private def valueOf(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      argument: Option[quotes.reflect.Term]
  ): Expr[FieldDefault] =
    val shape = Expr(ShapeDerivation.shapeOf(tpe))
    val dimensions = Expr(ShapeDerivation.dimensions(tpe))
    (tpe.asType, argument) match
      case ('[f], Some(default)) =>
        '{
          new FieldDefault(
            $shape,
            $dimensions,
            Some: (segment: MemorySegment, isPacked: Boolean) =>
              val value: f = ${ default.asExprOf[f] }
              if isPacked then ${ stored('value, 'segment, packed = true) }
              else ${ stored('value, 'segment, packed = false) }
          )
        }
      case _ => '{ new FieldDefault($shape, $dimensions, None) }
  end valueOf

  private def stored[F: Type](value: Expr[F], segment: Expr[MemorySegment], packed: Boolean)(using
      Quotes
  ): Expr[Unit] = ValueSplitter.store(value)(target => target(RowPlace(segment, '{ 0L }, packed)))

  /** For each parameter of the constructor, whether it has a default argument, and a call of that
    * if generated code can make it.
    */
  def arguments(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): List[Option[Option[quotes.reflect.Term]]] =
    import quotes.reflect.*
    val parameters =
      tpe.typeSymbol.primaryConstructor.paramSymss.find(_.forall(_.isTerm)).getOrElse(Nil)
    val companion = tpe.typeSymbol.companionModule
    parameters.zipWithIndex.map: (parameter, k) =>
      Option.when(parameter.flags.is(Flags.HasDefault)):
        if companion.isNoSymbol || !isReachable(companion) then None
        else
          companion.methodMember(s"$$lessinit$$greater$$default$$${k + 1}").headOption.map:
            method =>
              val value = Ref(companion).select(method)
              if tpe.typeArgs.isEmpty then value else value.appliedToTypes(tpe.typeArgs)

  /** Whether an object is static, or a member of a class or a method around the generated code. */
  private def isReachable(using Quotes)(companion: quotes.reflect.Symbol): Boolean =
    import quotes.reflect.*
    def owners(symbol: Symbol): List[Symbol] =
      if symbol.isNoSymbol then Nil else symbol :: owners(symbol.maybeOwner)
    val around = owners(Symbol.spliceOwner)
    owners(companion.owner).forall: owner =>
      owner.flags.is(Flags.Package) || owner.flags.is(Flags.Module) ||
        around.exists(_.equals(owner))
end FieldHistories
