package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.formerly

/** The former names of fields and enum cases, from their annotations. */
private[struct] object FormerNames:

  /** The former names of a field of a class. */
  def of(using Quotes)(owner: quotes.reflect.Symbol, field: String): List[String] =
    val fields = parameters(owner).filter(_.name == field)
    fields.flatMap(annotated(_, message => fail(owner, s"field `$field` $message", fields.head)))

  /** The former names of a case of an enum, or of another sealed type. */
  def ofCase(using Quotes)(caseType: quotes.reflect.TypeRepr): List[String] =
    val symbol = caseSymbol(caseType)
    val name = Cases.name(caseType)
    annotated(symbol, message => fail(symbol.owner, s"case `$name` $message", symbol))

  /** Reports an error if the field of a file could be read as several fields of a class. */
  def check(using Quotes)(owner: quotes.reflect.Symbol, fields: List[String]): Unit =
    val symbols = fields.map(field => parameters(owner).find(_.name == field).getOrElse(owner))
    checkNames(owner, "field", fields.map(field => field -> of(owner, field)), symbols)

  /** Reports an error if the case in a file could be read as several cases of a sealed type. */
  def checkCases(using Quotes)(tpe: quotes.reflect.TypeRepr): Unit =
    val cases = Cases.of(tpe).toList.flatten
    val former = cases.map(caseType => Cases.name(caseType) -> ofCase(caseType))
    checkNames(tpe.typeSymbol, "case", former, cases.map(caseSymbol(_)))

  private def checkNames(using
      Quotes
  )(
      owner: quotes.reflect.Symbol,
      kind: String,
      former: List[(String, List[String])],
      symbols: List[quotes.reflect.Symbol]
  ): Unit =
    for ((present, names), symbol) <- former.zip(symbols) do
      def wrong(message: String): Nothing = fail(owner, s"$kind `$present` $message", symbol)
      if names.exists(_.isEmpty) then wrong("has an empty string as a former name")
      names.diff(names.distinct).headOption.foreach: name =>
        wrong(s"has the former name `$name` twice")
      if names.contains(present) then wrong(s"has its present name `$present` as a former name")
      names.find(name => former.exists(_._1 == name)).foreach: name =>
        wrong(s"has the former name `$name`, which is the name of another $kind")
      for (other, others) <- former do
        if other != present then
          names.find(others.contains).foreach: name =>
            wrong(s"has the former name `$name`, which the $kind `$other` has too")

  private def parameters(using
      Quotes
  )(owner: quotes.reflect.Symbol): List[quotes.reflect.Symbol] =
    owner.primaryConstructor.paramSymss.flatten.filter(_.isTerm)

  private def caseSymbol(using
      Quotes
  )(caseType: quotes.reflect.TypeRepr): quotes.reflect.Symbol =
    import quotes.reflect.*
    val isValue = Cases.isObject(caseType) && !caseType.termSymbol.isNoSymbol
    if isValue then caseType.termSymbol
    else if caseType.typeSymbol.flags.is(Flags.Module) then caseType.typeSymbol.companionModule
    else caseType.typeSymbol

  private def annotated(using
      Quotes
  )(symbol: quotes.reflect.Symbol, wrong: String => Nothing): List[String] =
    import quotes.reflect.*
    symbol.annotations.flatMap:
      case Apply(Select(New(tpt), _), arguments) if tpt.tpe =:= TypeRepr.of[formerly] =>
        arguments.flatMap(literals(_, wrong))
      case _ => Nil

  private def literals(using
      Quotes
  )(names: quotes.reflect.Term, wrong: String => Nothing): List[String] =
    import quotes.reflect.*
    names match
      case Typed(inner, _)      => literals(inner, wrong)
      case Inlined(_, _, inner) => literals(inner, wrong)
      case NamedArg(_, inner)   => literals(inner, wrong)
      case Repeated(values, _)  => values.flatMap(literals(_, wrong))
      case value =>
        value.tpe.widenTermRefByName match
          case ConstantType(StringConstant(name)) => List(name)
          case _ => wrong("has a former name that is not written out as a string")

  private def fail(using
      Quotes
  )(owner: quotes.reflect.Symbol, message: String, symbol: quotes.reflect.Symbol): Nothing =
    quotes.reflect.report.errorAndAbort(
      s"${owner.name.stripSuffix("$")} cannot derive Struct: $message",
      FieldPosition.of(symbol)
    )
end FormerNames
