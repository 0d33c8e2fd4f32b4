package undercroft.struct
package internal.macros.access

import internal.macros.places.Place
import internal.macros.schema.ShapeDerivation
import internal.macros.terms.StructConstruction
import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.struct.*

/** Generates `ref.price += 1`.
  *
  * The compiler types `ref.price` first, and the macro has then replaced it by the load of a value.
  * It next looks for a method `+=` of that value's type, and otherwise gives up, because a load
  * cannot be assigned. So a field in front of such an operator is a call of [[AssignedPart]], of
  * type `Int & AssignableField`. The companion of [[AssignableField]] has the operators, and their
  * macro replaces that call.
  *
  * Elsewhere a field is the load and has its own type, because the compiler reports literal
  * patterns of an intersection as unreachable. A macro does not see the code around its call, so
  * the operator is found in the source text. Text that is taken for an operator by mistake does no
  * harm: then the call is a load.
  */
@publicInBinary private[struct] object CompoundAssignment:

  private val operators =
    Set("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=")

  /** The binary operator of an assigning one. */
  def operatorOf(method: String): Option[String] =
    Option.when(operators(method))(method.dropRight(1))

  /** Whether this macro call has a primitive type and is in front of an assigning operator. */
  def follows[A: Type](using Quotes): Boolean =
    val position = quotes.reflect.Position.ofMacroExpansion
    ShapeDerivation.primitive(quotes.reflect.TypeRepr.of[A].dealias).isDefined &&
    position.sourceFile.content.exists(source => isFollowed(source, position.end))

  /** Whether an assigning operator follows, after spaces, comments and parentheses. */
  private def isFollowed(source: String, from: Int): Boolean =
    var at = from
    var isSkipping = true
    while isSkipping && at < source.length do
      if source(at).isWhitespace || source(at) == ')' then at += 1
      else if source.startsWith("/*", at) then at = after(source, "*/", at + 2)
      else if source.startsWith("//", at) then at = after(source, "\n", at + 2)
      else isSkipping = false
    val operator =
      source.substring(Math.min(at, source.length)).takeWhile("+-*/%&|^<>=!".contains(_))
    operators(operator)

  private def after(source: String, end: String, from: Int): Int =
    val at = source.indexOf(end, from)
    if at < 0 then source.length else at + end.length

  /** `field operator= value`, for the typed load of a field. */
  def assign(field: Expr[Any], operator: String, value: Expr[Any])(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    def rewritten(term: Term): Option[Term] = term match
      case Inlined(_, definitions, inner) => rewritten(inner).map(block(definitions, _))
      case Block(statements, inner)       => rewritten(inner).map(block(statements, _))
      case Typed(inner, _)                => rewritten(inner)
      case _                              => ofPart(term, operator, value).map(_.asTerm)
    def block(statements: List[Statement], last: Term): Term =
      if statements.isEmpty then last else Block(statements, last)
    rewritten(field.asTerm) match
      case Some(term) => term.asExprOf[Unit]
      case None =>
        report.errorAndAbort(
          s"`$operator=` assigns to a field of a reference, as in `ref.price $operator= 1`, and " +
            "this is not one",
          field
        )
  end assign

  /** The assignment, if a term is a call of [[AssignedPart]]. */
  private def ofPart(using
      Quotes
  )(term: quotes.reflect.Term, operator: String, value: Expr[Any]): Option[Expr[Unit]] =
    term.asExpr match
      case '{
            type l <: Layout; AssignedPart.field[t, `l`, a]($ref, $name)
          } =>
        val field = name.valueOrAbort
        Some(FieldAccess.changeField[t, l](ref, name, change(operator, value, Some(field))))
      case '{
            type l <: Layout; type n <: Int; AssignedPart.element[a, `n`, `l`]($array, $index)
          } =>
        Some(InlineArrayAccess.change[a, n, l](array, index, change(operator, value, None)))
      case _ => None

  def loadField[T: Type, L <: Layout: Type, A: Type](
      ref: Expr[Reference[T, L]],
      name: Expr[String]
  )(using Quotes): Expr[A & AssignableField] =
    '{ ${ FieldAccess.loadValue[T, L, A](ref, name) }.asInstanceOf[A & AssignableField] }

  def loadElement[A: Type, N <: Int: Type, L <: Layout: Type](
      array: Expr[Reference[InlineArray[A, N], L]],
      index: Expr[Int]
  )(using Quotes): Expr[A & AssignableField] =
    '{ ${ InlineArrayAccess.loadValue(array, index) }.asInstanceOf[A & AssignableField] }

  /** Code that replaces one leaf of a place, whose value has the type in `Expr`. */
  trait Change:
    def apply[A: Type](place: Place, leaf: Shape.Leaf)(using Quotes): Expr[Unit]

  private def change(operator: String, value: Expr[Any], name: Option[String]): Change = new Change:
    def apply[A: Type](place: Place, leaf: Shape.Leaf)(using Quotes): Expr[Unit] =
      '{
        val before: A = ${ StructConstruction.single[A](place.get(leaf)) }
        val after: A = ${ result[A]('before, operator, value, name) }
        ${ place.set(leaf, StructConstruction.leafOf('after)) }
      }

  /** `ref operator= value`, for a field that is not a primitive. */
  def assignWhole[T: Type, L <: Layout: Type](
      ref: Expr[Reference[T, L]],
      operator: String,
      arguments: Expr[Seq[Any]]
  )(using Quotes): Expr[Unit] =
    arguments match
      case Varargs(Seq(value)) =>
        '{
          val target = $ref
          val before: T = ${ FieldAccess.load('target) }
          val after: T = ${ result[T]('before, operator, value, None) }
          ${ FieldAccess.store('target, 'after) }
        }
      case _ => quotes.reflect.report.errorAndAbort(s"`$operator=` takes one value")

  /** `before operator value`, as the compiler would type it, if it is an `A`. */
  private def result[A: Type](
      before: Expr[A],
      operator: String,
      value: Expr[Any],
      name: Option[String]
  )(using Quotes): Expr[A] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[A].widen
    def named(tpe: TypeRepr): String = ShapeDerivation.named(tpe.widen.dealias)
    val field = s"${name.fold("a part")(name => s"field `$name`")} of type ${named(tpe)}"
    val part = name.getOrElse("part")
    val cure =
      if ShapeDerivation.primitive(tpe.dealias).isDefined then
        s"convert it, as in `ref.update(_.$part)(before => (before $operator value).to${named(tpe)})`"
      else s"use `ref.update(_.$part)(f)`"
    val operation = applied(before.asTerm, operator, value.asTerm).getOrElse:
      report.errorAndAbort(
        s"$field has no `$operator` with a value of type ${named(value.asTerm.tpe)}: use " +
          s"`ref.update(_.$part)(f)`"
      )
    if operation.tpe.widen <:< tpe then operation.asExprOf[A]
    else
      report.errorAndAbort(
        s"`$operator=` stores a value of type ${named(operation.tpe)} in $field: $cure"
      )
  end result

  /** The operation: a method of the value's type, or an extension method beside that type. */
  private def applied(using
      Quotes
  )(
      before: quotes.reflect.Term,
      operator: String,
      value: quotes.reflect.Term
  ): Option[quotes.reflect.Term] =
    import quotes.reflect.*
    val tpe = before.tpe.widen.dealias
    val argument = value.tpe.widen
    def accepts(method: TypeRepr): Boolean = method match
      case MethodType(_, List(parameter), _) => argument <:< parameter
      case _                                 => false
    val methods = tpe.typeSymbol.methodMember(operator).map(tpe.memberType)
    // One method is applied as the compiler would, with conversions of its argument.
    if methods.sizeIs == 1 || methods.exists(accepts) then
      Some(Select.overloaded(before, operator, Nil, List(value)))
    else
      extensions(tpe.typeSymbol, operator).collectFirst:
        case method if method.tpe.widen match
              case MethodType(_, List(receiver), inner) => tpe <:< receiver && accepts(inner)
              case _                                    => false
            =>
          method.appliedTo(before).appliedTo(value)
  end applied

  /** The extension methods in the companion of a type and in the object that defines the type. */
  private def extensions(using
      Quotes
  )(tpe: quotes.reflect.Symbol, operator: String): List[quotes.reflect.Term] =
    import quotes.reflect.*
    for
      module <- List(tpe.companionModule, tpe.owner.companionModule)
      if !module.isNoSymbol
      method <- module.methodMember(operator)
      if method.flags.is(Flags.ExtensionMethod)
    yield Ref(module).select(method)
end CompoundAssignment
