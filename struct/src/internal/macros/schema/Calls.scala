package undercroft.struct
package internal.macros.schema

import java.lang.foreign.MemorySegment
import java.util.concurrent.ConcurrentHashMap
import scala.quoted.*
import undercroft.struct.Shape

/** Calls in generated code, built from symbols. A quote costs more: each expansion that uses it
  * unpickles it, and each phase up to the end of inlining passes through a node around it.
  */
private[struct] object Calls:
  // Each run of the compiler loads its own instance of this object.
  private val overloads = ConcurrentHashMap[(Any, String, String), Any]()

  /** A call of a method without overloads of an object in a package of `undercroft`. */
  def of[R](module: String, method: String)(arguments: Expr[Any]*)(using Quotes): Expr[R] =
    import quotes.reflect.*
    val owner = Symbol.requiredModule(s"undercroft.$module")
    call(Ref(owner), owner.methodMember(method).head, arguments.map(_.asTerm))

  def plus(left: Expr[Long], right: Expr[Long])(using Quotes): Expr[Long] = longs(left, "+", right)

  def times(left: Expr[Long], right: Expr[Long])(using Quotes): Expr[Long] = longs(left, "*", right)

  private def longs(left: Expr[Long], operator: String, right: Expr[Long])(using Quotes) =
    import quotes.reflect.*
    val method = overload(TypeRepr.of[Long].typeSymbol, operator, "scala.Long")
    call[Long](left.asTerm, method, List(right.asTerm))

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
    val method = overload(TypeRepr.of[MemorySegment].typeSymbol, name, layoutClass)
    call(segment.asTerm, method, layout :: arguments.map(_.asTerm).toList)

  /** The method of a class that has a parameter of this erased type. */
  private def overload(using
      Quotes
  )(owner: quotes.reflect.Symbol, name: String, parameter: String): quotes.reflect.Symbol =
    val found = overloads.computeIfAbsent(
      (owner, name, parameter),
      _ => owner.declaredMethod(name).find(_.signature.paramSigs.contains(parameter)).get
    )
    found.asInstanceOf[quotes.reflect.Symbol]

  private def call[R](using
      Quotes
  )(
      receiver: quotes.reflect.Term,
      method: quotes.reflect.Symbol,
      arguments: Seq[quotes.reflect.Term]
  ): Expr[R] =
    receiver.select(method).appliedToArgs(arguments.toList).asExpr.asInstanceOf[Expr[R]]
end Calls
