package undercroft.struct
package internal.macros.schema

import scala.quoted.*
import undercroft.struct.formerly

/** The former names of fields, from their annotations. */
private[struct] object FormerNames:

  /** The former names of a field of a class. */
  def of(using Quotes)(owner: quotes.reflect.Symbol, field: String): List[String] =
    import quotes.reflect.*
    parameters(owner)
      .filter(_.name == field)
      .flatMap(_.annotations)
      .flatMap:
        case Apply(Select(New(tpt), _), arguments) if tpt.tpe =:= TypeRepr.of[formerly] =>
          arguments.flatMap(literals(owner, field, _))
        case _ => Nil

  private def parameters(using
      Quotes
  )(owner: quotes.reflect.Symbol): List[quotes.reflect.Symbol] =
    owner.primaryConstructor.paramSymss.flatten.filter(_.isTerm)

  private def literals(using
      Quotes
  )(owner: quotes.reflect.Symbol, field: String, names: quotes.reflect.Term): List[String] =
    import quotes.reflect.*
    names match
      case Typed(inner, _)      => literals(owner, field, inner)
      case Inlined(_, _, inner) => literals(owner, field, inner)
      case NamedArg(_, inner)   => literals(owner, field, inner)
      case Repeated(values, _)  => values.flatMap(literals(owner, field, _))
      case value =>
        value.tpe.widenTermRefByName match
          case ConstantType(StringConstant(name)) => List(name)
          case _ => fail(owner, field, "has a former name that is not written out as a string")

  /** Reports an error if the field of a file could be read as several fields of a class. */
  def check(using Quotes)(owner: quotes.reflect.Symbol, fields: List[String]): Unit =
    val former = fields.map(field => field -> of(owner, field))
    for (field, names) <- former do
      names
        .find(_.isEmpty)
        .foreach(_ => fail(owner, field, "has an empty string as a former name"))
      names.diff(names.distinct).headOption.foreach: name =>
        fail(owner, field, s"has the former name `$name` twice")
      if names.contains(field) then
        fail(owner, field, s"has its present name `$field` as a former name")
      names.find(fields.contains).foreach: name =>
        fail(owner, field, s"has the former name `$name`, which is the name of another field")
      for (other, others) <- former do
        if other != field then
          names.find(others.contains).foreach: name =>
            fail(owner, field, s"has the former name `$name`, which the field `$other` has too")

  private def fail(using
      Quotes
  )(owner: quotes.reflect.Symbol, field: String, message: String): Nothing =
    quotes.reflect.report.errorAndAbort(
      s"${owner.name} cannot derive Struct: field `$field` $message",
      FieldPosition.named(owner, field)
    )
end FormerNames
