package undercroft.struct.internal

import scala.quoted.*
import undercroft.struct.internal.Derivation.given
import undercroft.struct.{BytesRef, Kind, TextRef, Union}

/** Options, stored as whether there is a value and the value, which is zero where there is none. */
private[struct] object Optional:

  /** What an Option is of. */
  def of(using Quotes)(tpe: quotes.reflect.TypeRepr): Option[quotes.reflect.TypeRepr] =
    tpe.asType match
      case '[Option[t]] => Some(quotes.reflect.TypeRepr.of[t].dealias)
      case _            => None

  def fields(using
      Quotes
  )(inner: quotes.reflect.TypeRepr): List[(String, quotes.reflect.TypeRepr)] =
    List("isDefined" -> quotes.reflect.TypeRepr.of[Boolean], "get" -> inner)

  /** An Option of what its leaves hold. */
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

  /** A leaf of what is there, or zero where it is not. */
  def leaf(using
      Quotes
  )(there: Expr[Boolean], leaf: quotes.reflect.Term, kind: Kind): quotes.reflect.Term =
    import quotes.reflect.*
    def or[A: Type](zero: Expr[A]): Term =
      Typed('{ if $there then ${ leaf.asExprOf[A] } else $zero }.asTerm, TypeTree.of[A])
    kind match
      case Kind.Boolean       => or('{ false })
      case Kind.Byte          => or('{ 0.toByte })
      case Kind.Short         => or('{ 0.toShort })
      case Kind.Char          => or('{ 0.toChar })
      case Kind.Int           => or('{ 0 })
      case Kind.Long          => or('{ 0L })
      case Kind.Float         => or('{ 0f })
      case Kind.Double        => or('{ 0d })
      case Kind.Text(_)       => or('{ "" })
      case Kind.TextRef       => or('{ TextRef.empty })
      case Kind.BytesRef      => or('{ BytesRef.empty })
      case Kind.Ordinal(of)   => Optional.leaf(there, leaf, of)
      case Kind.BigEndian(of) => Optional.leaf(there, leaf, of)
      case Kind.Elements(of, n) =>
        or[Array[?]]('{ ElementBytes.zeros(${ Expr(of) }, ${ Expr(n) }) })
      case Kind.Structs(_, _) => or('{ StructElements.zeros(${ Expr(kind.size) }) })
      case Kind.Union(_)      => or[Union[?]]('{ UnionBytes.zeros(${ Expr(kind.size) }) })
  end leaf
end Optional
