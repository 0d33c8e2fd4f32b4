package undercroft.actor
package internal.macros

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.actor.ActorRef

/** Macro of `!`: if the argument constructs a message that has a slot layout, writes it to a slot.
  */
@publicInBinary private[actor] object SendMacro:

  def apply[T: Type](ref: Expr[ActorRef[T]], message: Expr[T])(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val written = made(message.asTerm)
    val plan = written.flatMap: (symbol, arguments) =>
      formOf[T](symbol).flatMap: (form, slotCase) =>
        slotCase.fields.filter(_.size == arguments.size).map(fields =>
          (symbol, arguments, form, slotCase, fields)
        )
    plan match
      case None => '{ $ref.tell($message) }
      case Some((symbol, arguments, form, slotCase, fields)) =>
        val types = SlotLayout.fieldsOf(symbol)
        // Evaluate the arguments first, in their order, and their stored forms: this runs user
        // code, which may send messages or throw.
        ValDef
          .let(Symbol.spliceOwner, "to", ref.asTerm): to =>
            ValDef.let(
              Symbol.spliceOwner,
              arguments.zip(types).map((value, tpe) => widened(value, tpe))
            ): values =>
              val target = to.asExprOf[ActorRef[T]]
              val leaves = fields.zip(types).zip(values).flatMap:
                case ((stored, tpe), value) => SlotFields.leaves(stored, tpe, value)
              ValDef.let(Symbol.spliceOwner, leaves.map(_._3)): parts =>
                def writes(slot: Expr[Long]): Expr[Unit] =
                  val statements = leaves.zip(parts).map:
                    case ((name, at, _), part) =>
                      SlotFields.write(name, Expr(at), slot, part.asExpr)
                  Expr.block(statements, '{ () })
                // Built from the parts, so that nothing is allocated for a message that goes to a
                // slot.
                val at = leaves.map(_._2).zip(parts).toMap
                def whole(stored: SlotLayout.Stored, tpe: TypeRepr, value: Term) = stored match
                  case SlotLayout.Stored.Primitive(_, _) | SlotLayout.Stored.As(_) => value
                  case _ => SlotFields.remade(stored, tpe)((_, place) => at(place))
                val again =
                  if symbol.isTerm || symbol.flags.is(Flags.Module) then message
                  else
                    val remade = fields.zip(types).zip(values).map:
                      case ((stored, tpe), value) => whole(stored, tpe, value)
                    SlotFields.make(symbol, remade).asExprOf[T]
                '{
                  val slot =
                    $target.openSlot(${ Expr(form.kind) }, ${ Expr(form.header(slotCase)) })
                  if slot != 0L then ${ writes('slot) } else $target.tell($again)
                }.asTerm
          .asExprOf[Unit]
    end match
  end apply

  /** The slot layout of the messages of an actor of `T`, and the case of `symbol` in it. */
  private def formOf[T: Type](using
      Quotes
  )(symbol: quotes.reflect.Symbol): Option[(SlotLayout, SlotLayout.Case)] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val at = SlotLayout.casesOf(tpe).indexOf(symbol)
    if at < 0 then None else SlotLayout.of(tpe).map(form => (form, form.cases(at)))

  /** The case and the arguments of a message that is constructed in place. */
  private def made(using
      Quotes
  )(
      message: quotes.reflect.Term
  ): Option[(quotes.reflect.Symbol, List[quotes.reflect.Term])] =
    import quotes.reflect.*
    message match
      case Inlined(_, Nil, inner) => made(inner)
      case Typed(inner, _)        => made(inner)
      case Block(Nil, inner)      => made(inner)
      // A secondary constructor computes the fields from its arguments, so accept only the primary
      // one.
      case Apply(constructor @ Select(New(tpt), _), arguments)
          if constructor.symbol == tpt.tpe.typeSymbol.primaryConstructor =>
        Some((tpt.tpe.typeSymbol, arguments))
      case Apply(fun @ Select(_, "apply"), arguments)
          if fun.symbol.flags.is(Flags.Synthetic) && fun.symbol.owner.companionClass.exists =>
        Some((fun.symbol.owner.companionClass, arguments))
      case Ident(_) | Select(_, _)
          if message.symbol.isValDef && message.symbol.flags.is(Flags.Enum) ||
            message.symbol.flags.is(Flags.Module) =>
        Some((message.symbol, Nil))
      case _ => None
  end made

  /** Ascribes an argument with exactly its field's type. */
  private def widened(using
      Quotes
  )(
      argument: quotes.reflect.Term,
      tpe: quotes.reflect.TypeRepr
  ): quotes.reflect.Term =
    import quotes.reflect.*
    tpe.asType match
      case '[t] => Typed(argument, TypeTree.of[t])
end SendMacro
