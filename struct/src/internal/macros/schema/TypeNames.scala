package undercroft.struct
package internal.macros.schema

import scala.quoted.*

/** The names of types in keys that generated code compares. */
private[undercroft] object TypeNames:

  /** The full name of a type's class, with the names of its arguments. `show` would need the types
    * of the methods around a local class, which may not be known yet.
    */
  def full(using Quotes)(tpe: quotes.reflect.TypeRepr): String =
    import quotes.reflect.*
    tpe.dealias match
      case AppliedType(constructor, arguments) =>
        arguments.map(full(_)).mkString(s"${full(constructor)}[", ", ", "]")
      case ConstantType(constant) => String.valueOf(constant.value)
      case AndType(left, right)   => s"${full(left)} & ${full(right)}"
      case OrType(left, right)    => s"${full(left)} | ${full(right)}"
      case named: TermRef         => named.termSymbol.fullName
      case other                  => other.typeSymbol.fullName
end TypeNames
