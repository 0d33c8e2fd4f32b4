package undercroft.struct
package internal.macros.terms

import internal.macros.places.Place
import internal.macros.schema.{ShapeDerivation, StoredTypes}
import scala.quoted.*

/** Stores the result of a function on a struct in its place: all of it, or, if the function is
  * written as `_.copy(price = 1)`, only the fields that it names.
  */
private[struct] object CopyUpdates:

  def store[T: Type](f: Expr[T => T], place: Place)(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    Projection.strip(f.asTerm) match
      case Lambda(List(row), body) =>
        val owned = body.changeOwner(Symbol.spliceOwner)
        copied(row.symbol, TypeRepr.of[T].dealias, owned) match
          case Some(copied) => stored[T](row.symbol, place)(copied.before, copied.fields)
          case None         => all(f, place)
      case _ => all(f, place)

  private def all[T: Type](f: Expr[T => T], place: Place)(using Quotes): Expr[Unit] =
    ValueSplitter.store(Projection(f, place))(target => target(place))

  /** The statements before a copy, and the paths and values of the fields that it changes. */
  private final class Copied[S, V](val before: List[S], val fields: List[(List[String], V)])

  private def copied(using
      Quotes
  )(
      row: quotes.reflect.Symbol,
      tpe: quotes.reflect.TypeRepr,
      body: quotes.reflect.Term
  ): Option[Copied[quotes.reflect.Statement, quotes.reflect.Term]] =
    import quotes.reflect.*
    // The terms of arguments that the compiler bound to names; some bindings are not needed later.
    var named = Map.empty[Symbol, Term]
    var unneeded = Set.empty[Symbol]
    // The statements that replace the binding of a copy in a copy.
    var instead = Map.empty[Symbol, List[Statement]]

    def meant(argument: Term): Term = Projection.strip(argument) match
      case NamedArg(_, value)                             => meant(value)
      case name @ Ident(_) if named.contains(name.symbol) => meant(named(name.symbol))
      case value                                          => value

    def drop(argument: Term): Unit = Projection.strip(argument) match
      case NamedArg(_, value) => drop(value)
      case name @ Ident(_)    => unneeded += name.symbol
      case _                  => ()

    def of(body: Term, within: List[String]): Option[Copied[Statement, Term]] =
      Projection.strip(body) match
        case Block(before, inner) =>
          before.foreach:
            case definition @ ValDef(_, _, Some(value))
                if definition.symbol.flags.is(Flags.Synthetic) =>
              named = named.updated(definition.symbol, value.changeOwner(Symbol.spliceOwner))
            case _ => ()
          of(inner, within).map(copy => Copied(before ++ copy.before, copy.fields))
        case Apply(Copy(receiver), arguments) =>
          for
            path <- Projection.pathFrom(row, Projection.strip(receiver))
            if within == path
            part = Projection.typeAt(tpe, path)
            names = part.typeSymbol.caseFields.map(_.name)
            if StoredTypes.storedAs(part).isEmpty && ValueSplitter.onlyHolds(part) &&
              names.sizeIs == arguments.size
          yield
            val parts = names.zip(arguments).zipWithIndex.flatMap:
              case ((name, argument), k) => field(path :+ name, argument, k)
            Copied(parts.flatMap(_.before), parts.flatMap(_.fields))
        case _ => None

    def field(path: List[String], argument: Term, k: Int): Option[Copied[Statement, Term]] =
      meant(argument) match
        case Default(default) if default == s"copy$$default$$${k + 1}" =>
          drop(argument)
          None
        case value =>
          of(value, within = path) match
            case Some(inner) => Some(inPlaceOf(argument, inner))
            case None        => Some(Copied(Nil, List(path -> unnamed(argument))))

    /** A copy in a copy. If it was bound to a name, its values are evaluated at that place: before
      * the arguments that follow it.
      */
    def inPlaceOf(
        argument: Term,
        copy: Copied[Statement, Term]
    ): Copied[Statement, Term] = Projection.strip(unnamed(argument)) match
      case name @ Ident(_) =>
        val values = copy.fields.map((path, value) => (path, value, bindingOf(value)))
        val bindings = values.flatMap(_._3)
        instead = instead.updated(name.symbol, copy.before ++ bindings)
        val fields = values.map: (path, value, binding) =>
          path -> binding.fold(value)(definition => Ref(definition.symbol))
        Copied(Nil, fields)
      case _ => copy

    /** A value with a name, unless it is a name or a literal. */
    def bindingOf(value: Term): Option[ValDef] = Projection.strip(value) match
      case Literal(_) | Ident(_) => None
      case _ =>
        val fresh = Symbol.freshName("copied")
        val tpe = value.tpe.widen
        val symbol =
          Symbol.newVal(Symbol.spliceOwner, fresh, tpe, Flags.EmptyFlags, Symbol.noSymbol)
        Some(ValDef(symbol, Some(value.changeOwner(symbol))))

    def unnamed(argument: Term): Term = argument match
      case NamedArg(_, value) => value
      case value              => value

    def placed(statements: List[Statement]): List[Statement] = statements.flatMap:
      case definition: ValDef if unneeded.contains(definition.symbol) => Nil
      case definition: ValDef => instead.get(definition.symbol).fold(List(definition))(placed)
      case statement          => List(statement)

    of(body, within = Nil).map(copy => Copied(placed(copy.before), copy.fields))
  end copied

  private object Copy:
    def unapply(using Quotes)(function: quotes.reflect.Term): Option[quotes.reflect.Term] =
      import quotes.reflect.*
      function match
        case TypeApply(inner, _) => unapply(inner)
        case Select(receiver, "copy") if function.symbol.flags.is(Flags.Synthetic) =>
          Some(receiver)
        case _ => None

  /** The method that returns the default of an omitted argument. */
  private object Default:
    def unapply(using Quotes)(term: quotes.reflect.Term): Option[String] =
      import quotes.reflect.*
      term match
        case TypeApply(inner, _) => unapply(inner)
        case Apply(inner, Nil)   => unapply(inner)
        case Select(_, name)     => Some(name)
        case _                   => None

  private def stored[T: Type](using
      Quotes
  )(row: quotes.reflect.Symbol, place: Place)(
      before: List[quotes.reflect.Statement],
      fields: List[(List[String], quotes.reflect.Term)]
  ): Expr[Unit] =
    import quotes.reflect.*
    val leaves = ShapeDerivation.shape[T].leaves
    val split = ValueSplitter[quotes.type]()
    val stores = fields.flatMap: (path, value) =>
      val fieldLeaves = leaves.filter(_.path.startsWith(path))
      split.stores(fieldLeaves, split(Projection.typeAt(TypeRepr.of[T], path), value))
    val code = ValueSplitter.code(stores, place, fresh = false)
    val body = Block(before ++ split.statements, Expr.block(code, '{ () }).asTerm)
    Projection.project[T](row, body, place, Map.empty).asExprOf[Unit]
end CopyUpdates
