package undercroft.struct
package internal.macros.places

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.Shape

/** Calls in generated code, built from symbols. A quote costs more: each expansion that uses it
  * unpickles it, and each phase up to the end of inlining passes through a node around it.
  */
private[struct] object Calls:

  /** A call of a method without overloads of an object in `internal`. */
  def of[R](module: String, method: String)(arguments: Expr[Any]*)(using Quotes): Expr[R] =
    import quotes.reflect.*
    val owner = Symbol.requiredModule(s"undercroft.struct.internal.$module")
    call(Ref(owner), owner.methodMember(method).head, arguments.map(_.asTerm))

  def plus(left: Expr[Long], right: Expr[Long])(using Quotes): Expr[Long] = onLongs(left, "+", right)

  def times(left: Expr[Long], right: Expr[Long])(using Quotes): Expr[Long] =
    onLongs(left, "*", right)

  private def onLongs(left: Expr[Long], operator: String, right: Expr[Long])(using
      Quotes
  ): Expr[Long] =
    import quotes.reflect.*
    val overloads = TypeRepr.of[Long].typeSymbol.methodMember(operator)
    val method = overloads.find(_.signature.paramSigs.contains("scala.Long")).get
    call(left.asTerm, method, List(right.asTerm))

  /** A read of a number. */
  def get(segment: Expr[MemorySegment], kind: Shape.Kind, at: Expr[Long])(using
      Quotes
  ): Expr[Any] = access(segment, "get", kind)(at)

  def set(segment: Expr[MemorySegment], kind: Shape.Kind, at: Expr[Long], value: Expr[Any])(using
      Quotes
  ): Expr[Unit] = access(segment, "set", kind)(at, value)

  private def access[R](segment: Expr[MemorySegment], name: String, kind: Shape.Kind)(
      arguments: Expr[Any]*
  )(using Quotes): Expr[R] =
    import quotes.reflect.*
    val layouts = Symbol.requiredModule("undercroft.struct.internal.bytes.ValueLayouts")
    val layout = Ref(layouts).select(layouts.fieldMember(kind.toString.toLowerCase))
    val layoutClass = s"java.lang.foreign.ValueLayout$$.Of$kind"
    val overloads = TypeRepr.of[MemorySegment].typeSymbol.methodMember(name)
    val method = overloads.find(_.signature.paramSigs.contains(layoutClass)).get
    call(segment.asTerm, method, layout :: arguments.map(_.asTerm).toList)

  private def call[R](using
      Quotes
  )(
      receiver: quotes.reflect.Term,
      method: quotes.reflect.Symbol,
      arguments: Seq[quotes.reflect.Term]
  ): Expr[R] =
    receiver.select(method).appliedToArgs(arguments.toList).asExpr.asInstanceOf[Expr[R]]
end Calls
