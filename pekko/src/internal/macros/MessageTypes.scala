package undercroft.pekko
package internal.macros

import scala.quoted.*
import undercroft.struct.{Struct, Text}
import undercroft.struct.internal.macros.schema.{Cases, StoredTypes}

/** The parts of message types: fields, cases, constructors. */
private[pekko] object MessageTypes:

  def isCase(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    val symbol = tpe.typeSymbol
    symbol.isClassDef && symbol.flags.is(Flags.Case) && !symbol.flags.is(Flags.Module)

  def isCaseClass(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    isCase(tpe) && !isSum(tpe)

  def isSum(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean = Cases.isSum(tpe)

  def isTuple(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    defn.isTupleClass(tpe.typeSymbol)

  /** Whether a type is written with `*:`, as a tuple of more than 22 elements is. */
  def isTupleChain(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName == "scala.*:"

  /** The types of the elements of a tuple or a chain of `*:`, if all are known. */
  def tupleElements(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[List[quotes.reflect.TypeRepr]] =
    import quotes.reflect.*
    if tpe =:= TypeRepr.of[EmptyTuple] then Some(Nil)
    else if isTuple(tpe) then Some(tpe.typeArgs)
    else if isTupleChain(tpe) then
      tpe.typeArgs match
        case List(first, rest) => tupleElements(rest.dealias).map(first :: _)
        case _                 => None
    else None

  /** Whether a class is of the Scala library: others may send its values, too. */
  def isOfScala(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    tpe.typeSymbol.fullName.startsWith("scala.")

  /** The full name of a class as Scala writes it. */
  def fullName(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    tpe.typeSymbol.fullName.replace("$.", ".").nn.stripSuffix("$")

  def hasStruct[A: Type](using Quotes): Boolean = Expr.summon[Struct[A]].isDefined

  /** The size of a bounded text. */
  def textBytes(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[Int] =
    import quotes.reflect.*
    tpe match
      case AppliedType(text, List(bytes))
          if text.typeSymbol.equals(TypeRepr.of[Text[1]].typeSymbol) =>
        bytes.dealias match
          case ConstantType(IntConstant(n)) if n > 0 && n <= Text.MaxBytes => Some(n)
          case _ => report.errorAndAbort(s"${tpe.show}: a text has 1 to ${Text.MaxBytes} bytes")
      case _ => None

  /** The names and the values of a named tuple. */
  def namedTuple(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): Option[(List[String], quotes.reflect.TypeRepr)] =
    import quotes.reflect.*
    tpe match
      case AppliedType(_, List(_, values)) if StoredTypes.names(tpe).nonEmpty =>
        Some((StoredTypes.names(tpe), values.dealias))
      case _ => None

  /** The type that a type is stored as: an opaque type, or one with a `Struct.StoredAs`. */
  def storedAs(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    if StoredTypes.isEnumeration(tpe) then None
    else StoredTypes.of(tpe).orElse(bounded(tpe)).map(_.dealias)

  /** The underlying type of an opaque type with an upper bound that is data itself, such as
    * `opaque type Id <: Int = Int`: a Struct has it as the bound.
    */
  private def bounded(using
      Quotes
  )(
      tpe: quotes.reflect.TypeRepr
  ): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    if StoredTypes.of(tpe).isDefined then None
    else
      tpe match
        case ref: TypeRef if ref.isOpaqueAlias => Some(ref.translucentSuperType)
        case AppliedType(ref: TypeRef, arguments) if ref.isOpaqueAlias =>
          Some(ref.translucentSuperType.appliedTo(arguments))
        case _ => None

  def encode(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    bounded(tpe) match
      case Some(underlying) => StoredTypes.cast(value, underlying.dealias)
      case None             => StoredTypes.encode(tpe, value)

  def decode(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, stored: quotes.reflect.Term): quotes.reflect.Term =
    if bounded(tpe).isDefined then StoredTypes.cast(stored, tpe)
    else StoredTypes.decode(tpe, stored)

  /** The fields of a case class. */
  def fields(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr): List[(quotes.reflect.Symbol, quotes.reflect.TypeRepr)] =
    tpe.typeSymbol.caseFields.map(field => (field, tpe.memberType(field).widen.dealias))

  /** The default value of each field, if it has one. */
  def defaults(using Quotes)(tpe: quotes.reflect.TypeRepr): List[Option[quotes.reflect.Term]] =
    import quotes.reflect.*
    val parameters =
      tpe.typeSymbol.primaryConstructor.paramSymss.find(_.forall(_.isTerm)).getOrElse(Nil)
    val companion = tpe.typeSymbol.companionModule
    parameters.zipWithIndex.map: (parameter, index) =>
      if !parameter.flags.is(Flags.HasDefault) || companion.isNoSymbol then None
      else
        companion.methodMember(s"$$lessinit$$greater$$default$$${index + 1}").headOption.map:
          method =>
            val value = Ref(companion).select(method)
            if tpe.typeArgs.isEmpty then value else value.appliedToTypes(tpe.typeArgs)

  /** Whether the last field of a case class is a repeated parameter, `A*`, which is stored as a
    * Seq.
    */
  def isLastRepeated(using Quotes)(tpe: quotes.reflect.TypeRepr): Boolean =
    import quotes.reflect.*
    def isRepeated(constructor: TypeRepr): Boolean = constructor match
      case PolyType(_, _, result) => isRepeated(result)
      case MethodType(_, parameters, _) =>
        parameters.lastOption.exists(_.typeSymbol.equals(defn.RepeatedParamClass))
      case _ => false
    isRepeated(tpe.memberType(tpe.typeSymbol.primaryConstructor))

  /** Reports an error if generated code cannot call the constructor. */
  def checkConstructor(using Quotes)(tpe: quotes.reflect.TypeRepr, owner: String): Unit =
    import quotes.reflect.*
    val constructor = tpe.typeSymbol.primaryConstructor
    if constructor.flags.is(Flags.Private) || constructor.flags.is(Flags.Protected) then
      report.errorAndAbort(
        s"$owner cannot be a message: its constructor is not public, and the receiver calls it"
      )
    val lists = constructor.paramSymss.filterNot(_.exists(_.isType))
    if lists.sizeIs > 1 then
      report.errorAndAbort(
        s"$owner cannot be a message: it has ${lists.size} parameter lists; use one"
      )

  // ---- cases

  /** The cases of a sum type, including the cases of nested sealed types, in source order. */
  def cases(using Quotes)(tpe: quotes.reflect.TypeRepr): List[quotes.reflect.TypeRepr] =
    Cases.cases(tpe, "be a message")

  /** The value of a case that is an object. */
  def objectOf(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.Term] =
    import quotes.reflect.*
    if tpe.termSymbol.isTerm && !tpe.termSymbol.isNoSymbol then Some(Ref(tpe.termSymbol))
    else if tpe.typeSymbol.flags.is(Flags.Module) then Some(Ref(tpe.typeSymbol.companionModule))
    else None

  def caseName(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    if tpe.termSymbol.isTerm && !tpe.termSymbol.isNoSymbol then
      tpe.termSymbol.name.stripSuffix("$")
    else tpe.typeSymbol.name.stripSuffix("$")

  /** The number of a value's case, or -1. */
  def caseNumber(using
      Quotes
  )(tpe: quotes.reflect.TypeRepr, value: quotes.reflect.Term): Expr[Int] =
    import quotes.reflect.*
    if tpe.typeSymbol.flags.is(Flags.Enum) then
      '{ ${ value.asExpr }.asInstanceOf[scala.reflect.Enum].ordinal }
    else
      val reference = '{ ${ value.asExpr }.asInstanceOf[AnyRef] }
      cases(tpe).zipWithIndex.foldRight('{ -1 }): (next, rest) =>
        val (caseType, index) = next
        val isCase = objectOf(caseType) match
          case Some(constant) => '{ $reference eq ${ constant.asExprOf[AnyRef] } }
          case None =>
            '{ ${ Literal(ClassOfConstant(caseType)).asExprOf[Class[?]] }.isInstance($reference) }
        '{ if $isCase then ${ Expr(index) } else $rest }
  end caseNumber
end MessageTypes
