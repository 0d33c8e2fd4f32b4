package undercroft.struct
package internal.macros.places

import scala.quoted.*

/** Binds generated values to names.
  *
  * Replaces `ValDef.let`, whose references have no position: the compiler fails on them when it
  * types the expansion of a transparent macro again.
  */
private[undercroft] object Bound:

  /** A block that binds one value. */
  def apply(using
      Quotes
  )(name: String, value: quotes.reflect.Term)(
      body: quotes.reflect.Term => quotes.reflect.Term
  ): quotes.reflect.Term = in(quotes.reflect.Symbol.spliceOwner, name, value)(body)

  /** As `apply`, for expressions. */
  def value[A, R: Type](name: String, value: Expr[A])(next: Expr[A] => Expr[R])(using
      Quotes
  ): Expr[R] =
    import quotes.reflect.*
    apply(name, value.asTerm)(bound => next(bound.asExpr.asInstanceOf[Expr[A]]).asTerm).asExprOf[R]

  /** As `apply`, for a block in the method `owner`. */
  def in(using
      Quotes
  )(owner: quotes.reflect.Symbol, name: String, value: quotes.reflect.Term)(
      body: quotes.reflect.Term => quotes.reflect.Term
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val definition = definedIn(owner, name, value)
    Block(List(definition), body(Ref(definition.symbol)))

  /** A block that binds several values, in order. */
  def all(using
      Quotes
  )(values: List[quotes.reflect.Term])(
      body: List[quotes.reflect.Term] => quotes.reflect.Term
  ): quotes.reflect.Term =
    import quotes.reflect.*
    val definitions = values.map(valueOf("value", _))
    Block(definitions, body(definitions.map(definition => Ref(definition.symbol))))

  def valueOf(using
      Quotes
  )(name: String, value: quotes.reflect.Term): quotes.reflect.ValDef =
    definedIn(quotes.reflect.Symbol.spliceOwner, name, value)

  private def definedIn(using
      Quotes
  )(
      owner: quotes.reflect.Symbol,
      name: String,
      value: quotes.reflect.Term
  ): quotes.reflect.ValDef =
    import quotes.reflect.*
    val symbol = Symbol.newVal(
      owner,
      Symbol.freshName(name),
      value.tpe.widen,
      Flags.EmptyFlags,
      Symbol.noSymbol
    )
    ValDef(symbol, Some(value.changeOwner(symbol)))
end Bound
