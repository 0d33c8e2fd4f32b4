package undercroft.pekko
package internal.macros

import scala.quoted.*

/** The macros of [[MessageCodec]]. */
private[pekko] object CodecDerivation:

  def apply[T: Type](using Quotes): Expr[MessageCodec[T]] =
    Expr.summon[MessageCodec[T]].getOrElse(derived[T])

  def derived[T: Type](using Quotes): Expr[MessageCodec[T]] = CodecGenerator().message[T]

  def sentAs[A: Type, B: Type](to: Expr[A => B], from: Expr[B => A])(using
      Quotes
  ): Expr[MessageCodec[A]] = CodecGenerator().sentAs(to, from)
