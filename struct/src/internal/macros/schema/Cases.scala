package undercroft.struct
package internal.macros.schema

import internal.bytes.CaseTag
import scala.quoted.*
import undercroft.struct.Shape

/** Enums whose cases have fields, and sealed hierarchies: stored as a tagged union, the case number
  * (the tag) and a union of the fields of all cases.
  */
private[undercroft] object Cases:

  /** The cases of a type in the order of their numbers, including the cases of nested sealed types.
    */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[List[quotes.reflect.TypeRepr]] =
    if isSum(tpe) then Some(cases(tpe)) else None

  /** Whether a type has several cases. */
  def isSum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && !symbol.flags.is(Flags.JavaDefined) && !symbol.flags.is(Flags.Case) &&
    symbol.flags.is(Flags.Sealed) && symbol.children.nonEmpty

  /** The cases of a sum type, as in `of`. An error states that the type cannot serve a purpose. */
  def cases(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      purpose: String = "derive Struct"
  ): List[quotes.reflect.TypeRepr] =
    val all = tpe.typeSymbol.children.flatMap: child =>
      val inner = applied(tpe, child, purpose)
      if child.isType && isSum(inner) then cases(inner, purpose) else List(inner)
    // A case of several nested types is one case.
    all.distinctBy(inner => if hasTerm(inner) then inner.termSymbol else inner.typeSymbol)

  /** The type of a case, with the type arguments of the enclosing type. */
  private def applied(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr,
      child: quotes.reflect.Symbol,
      purpose: String
  ): quotes.reflect.TypeRepr =
    import quotes.reflect.*
    val reference = Prefixes.beside(tpe, child)
    if child.isTerm then reference
    else
      val parameters = child.declaredTypes.filter(_.isTypeParam)
      if parameters.isEmpty then reference
      else
        val caseType = reference.appliedTo(parameters.map(_.typeRef))
        val typeArguments = caseType.baseType(tpe.typeSymbol).typeArgs.zip(tpe.typeArgs)
        val arguments = parameters.map: parameter =>
          typeArguments
            .collectFirst { case (to, from) if to.typeSymbol.equals(parameter) => from }
            .getOrElse:
              report.errorAndAbort(
                s"${tpe.typeSymbol.name} cannot $purpose: the type parameter " +
                  s"${parameter.name} of its case ${child.name} is not known from it"
              )
        reference.appliedTo(arguments)
  end applied

  /** Whether a case is an object, which has no fields. */
  def isObject(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    hasTerm(tpe) || tpe.typeSymbol.flags.is(quotes.reflect.Flags.Module)

  /** Whether a type is the type of a value with a name. */
  private def hasTerm(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.termSymbol.isTerm && !tpe.termSymbol.isNoSymbol

  def name(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    if isObject(tpe) && !tpe.termSymbol.isNoSymbol then tpe.termSymbol.name
    else tpe.typeSymbol.name.stripSuffix("$")

  /** The fields of a case, with their types. */
  def fields(using Quotes)(tpe: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    if isObject(tpe) then Nil
    else tpe.typeSymbol.caseFields.map(field => (field.name, tpe.memberType(field).widen.dealias))

  def shape(using Quotes)(tpe: quotes.reflect.TypeRepr): Shape =
    val members = cases(tpe).map: caseType =>
      val record =
        Shape.Record(name(caseType), FieldAnnotations.fields(caseType, fields(caseType)))
      Shape.Field(name(caseType), record)
    val isEmpty = members.forall(_.shape.leaves.isEmpty)
    val payload = if isEmpty then Nil else List(Shape.Field("", Shape.Union("", members)))
    val number = Shape.Primitive(StoredTypes.numberOf(cases(tpe).size), cases(tpe).map(name(_)))
    val symbol = tpe.typeSymbol
    val alignment = FieldAnnotations.alignment(symbol): message =>
      quotes.reflect.report.errorAndAbort(s"${symbol.name} cannot derive Struct: it $message")
    Shape.Record(symbol.name, Shape.Field(CaseTag.name, number, alignment) :: payload)

  /** The case number in a tag's leaf. */
  def number(tag: Expr[Any])(using Quotes): Expr[Int] = tag match
    case '{ $n: Byte }  => '{ $n & 0xff }
    case '{ $n: Short } => '{ $n & 0xffff }
    case '{ $n: Int }   => n

  /** The tag's leaf for a case number. */
  def leaf(using Quotes)(tpe: quotes.reflect.TypeRepr, number: Expr[Int]): Expr[Any] =
    StoredTypes.numberOf(cases(tpe).size) match
      case Shape.Kind.Byte  => '{ $number.toByte }
      case Shape.Kind.Short => '{ $number.toShort }
      case _                => number

  /** The number of a value's case. */
  def numberOf(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): Expr[Int] =
    import quotes.reflect.*
    if tpe.typeSymbol.flags.is(Flags.Enum) then Select.unique(value, "ordinal").asExprOf[Int]
    else
      val unknown: Expr[Int] = '{ throw NullPointerException(${ Expr(tpe.typeSymbol.name) }) }
      cases(tpe).zipWithIndex.foldRight(unknown):
        case ((caseType, k), otherwise) =>
          val isOne = is(caseType, value)
          '{ if $isOne then ${ Expr(k) } else $otherwise }

  private def is(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): Expr[Boolean] =
    import quotes.reflect.*
    TypeApply(Select.unique(value, "isInstanceOf"), List(Inferred(tpe))).asExprOf[Boolean]
end Cases
