package undercroft.struct
package internal.macros.schema

import internal.bytes.{ElementBytes, StructElements, UnionBytes}
import scala.quoted.*
import undercroft.struct.internal.macros.schema.ShapeLiterals.given
import undercroft.struct.{BytesRef, Shape, TextRef, Union}

/** Options, stored as a flag for whether there is a value, and the value, which is zero if there is
  * none.
  */
private[struct] object OptionTypes:

  /** The element type of an Option. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    import quotes.reflect.*
    // By the symbol: a type pattern `Option[t]` also matches a type parameter and Nothing.
    val option = defn.OptionClass
    Option
      .when(tpe.typeSymbol.equals(option))(tpe.baseType(option).typeArgs.headOption)
      .flatten
      .map(_.dealias)

  def fields(using
      Quotes
  )(inner: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    List("isDefined" -> quotes.reflect.TypeRepr.of[Boolean], "get" -> inner)

  /** An Option from its leaves. */
  def made(using
      Quotes
  )(
      inner: quotes.reflect.TypeRepr,
      defined: quotes.reflect.Term,
      value: quotes.reflect.Term
  ): quotes.reflect.Term =
    import quotes.reflect.*
    inner.asType match
      case '[t] =>
        val there = defined.asExprOf[Boolean]
        '{ if $there then Some[t](${ value.asExprOf[t] }) else None }.asTerm

  /** A Some of a value. */
  def some(using
      Quotes
  )(inner: quotes.reflect.TypeRepr, value: quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    inner.asType match
      case '[t] => '{ Some[t](${ value.asExprOf[t] }) }.asTerm

  /** A leaf of the value if there is one, else zero. */
  def leaf(using
      Quotes
  )(there: Expr[Boolean], leaf: quotes.reflect.Term, kind: Shape.Kind): quotes.reflect.Term =
    import quotes.reflect.*
    def or[A: Type](zero: Expr[A]): Term =
      Typed('{ if $there then ${ leaf.asExprOf[A] } else $zero }.asTerm, TypeTree.of[A])
    kind match
      case Shape.Kind.Boolean       => or('{ false })
      case Shape.Kind.Byte          => or('{ 0.toByte })
      case Shape.Kind.Short         => or('{ 0.toShort })
      case Shape.Kind.Char          => or('{ 0.toChar })
      case Shape.Kind.Int           => or('{ 0 })
      case Shape.Kind.Long          => or('{ 0L })
      case Shape.Kind.Float         => or('{ 0f })
      case Shape.Kind.Double        => or('{ 0d })
      case Shape.Kind.Text(_)       => or('{ "" })
      case Shape.Kind.TextRef       => or('{ TextRef.empty })
      case Shape.Kind.BytesRef      => or('{ BytesRef.empty })
      case Shape.Kind.Ordinal(of)   => OptionTypes.leaf(there, leaf, of)
      case Shape.Kind.BigEndian(of) => OptionTypes.leaf(there, leaf, of)
      case Shape.Kind.Elements(of, n) =>
        or[Array[?]]('{ ElementBytes.zeros(${ Expr(of) }, ${ Expr(n) }) })
      case Shape.Kind.Structs(_, _) => or('{ StructElements.zeros(${ Expr(kind.size) }) })
      case Shape.Kind.Union(_)      => or[Union[?]]('{ UnionBytes.zeros(${ Expr(kind.size) }) })
  end leaf
end OptionTypes
