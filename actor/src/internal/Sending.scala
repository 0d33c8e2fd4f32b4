package undercroft.actor.internal

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.actor.ActorRef

/** Generates `!`: a message that is written out, and has a place in slots, is written into one. */
@publicInBinary private[actor] object Sending:

  def apply[T: Type](ref: Expr[ActorRef[T]], message: Expr[T])(using Quotes): Expr[Unit] =
    import quotes.reflect.*
    val written = made(message.asTerm)
    val found = written.flatMap: (symbol, arguments) =>
      formOf[T](symbol).flatMap: (form, one) =>
        one.fields.filter(_.size == arguments.size).map(fields =>
          (symbol, arguments, form, one, fields)
        )
    found match
      case None => '{ $ref.tell($message) }
      case Some((symbol, arguments, form, one, fields)) =>
        val types = Form.fieldsOf(symbol)
        // The arguments first, in their order, and what they are stored as: whoever computes them
        // may send messages, or fail.
        ValDef
          .let(Symbol.spliceOwner, "to", ref.asTerm): to =>
            ValDef.let(
              Symbol.spliceOwner,
              arguments.zip(types).map((value, tpe) => widened(value, tpe))
            ): values =>
              val target = to.asExprOf[ActorRef[T]]
              val leaves = fields.zip(types).zip(values).flatMap:
                case ((stored, tpe), value) => Fields.leaves(stored, tpe, value)
              ValDef.let(Symbol.spliceOwner, leaves.map(_._3)): parts =>
                def writes(slot: Expr[Long]): Expr[Unit] =
                  val all = leaves.zip(parts).map:
                    case ((name, at, _), part) => Fields.write(name, Expr(at), slot, part.asExpr)
                  Expr.block(all, '{ () })
                // Of the parts, so that nothing was made for a message that goes in a slot.
                val at = leaves.map(_._2).zip(parts).toMap
                def whole(stored: Form.Stored, tpe: TypeRepr, value: Term) = stored match
                  case Form.Stored.Primitive(_, _) | Form.Stored.As(_) => value
                  case _ => Fields.remade(stored, tpe)((_, place) => at(place))
                val again =
                  if symbol.isTerm || symbol.flags.is(Flags.Module) then message
                  else
                    val remade = fields.zip(types).zip(values).map:
                      case ((stored, tpe), value) => whole(stored, tpe, value)
                    Fields.make(symbol, remade).asExprOf[T]
                '{
                  val slot = $target.openSlot(${ Expr(form.kind) }, ${ Expr(form.header(one)) })
                  if slot != 0L then ${ writes('slot) } else $target.tell($again)
                }.asTerm
          .asExprOf[Unit]
    end match
  end apply

  /** The form of the messages that an actor of `T` reads, and the case that `symbol` is of it. */
  private def formOf[T: Type](using
      Quotes
  )(symbol: quotes.reflect.Symbol): Option[(Form, Form.Case)] =
    import quotes.reflect.*
    val tpe = TypeRepr.of[T].dealias
    val at = Form.casesOf(tpe).indexOf(symbol)
    if at < 0 then None else Form.of(tpe).map(form => (form, form.cases(at)))

  /** The case and the arguments of a message that is written out. */
  private def made(using
      Quotes
  )(
      message: quotes.reflect.Term
  ): Option[(quotes.reflect.Symbol, List[quotes.reflect.Term])] =
    import quotes.reflect.*
    message match
      case Inlined(_, Nil, inner)                => made(inner)
      case Typed(inner, _)                       => made(inner)
      case Block(Nil, inner)                     => made(inner)
      case Apply(Select(New(tpt), _), arguments) => Some((tpt.tpe.typeSymbol, arguments))
      case Apply(fun @ Select(_, "apply"), arguments)
          if fun.symbol.flags.is(Flags.Synthetic) && fun.symbol.owner.companionClass.exists =>
        Some((fun.symbol.owner.companionClass, arguments))
      case Ident(_) | Select(_, _)
          if message.symbol.isValDef && message.symbol.flags.is(Flags.Enum) ||
            message.symbol.flags.is(Flags.Module) =>
        Some((message.symbol, Nil))
      case _ => None

  /** An argument of exactly its field's type. */
  private def widened(using
      Quotes
  )(
      argument: quotes.reflect.Term,
      tpe: quotes.reflect.TypeRepr
  ): quotes.reflect.Term =
    import quotes.reflect.*
    tpe.asType match
      case '[t] => Typed(argument, TypeTree.of[t])
end Sending
