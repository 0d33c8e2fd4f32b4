package undercroft.actor
package internal.macros

import scala.annotation.publicInBinary
import scala.quoted.*
import undercroft.actor.ActorRef
import undercroft.struct.internal.macros.access.SlotAccess

/** Macro of `!`: if the argument constructs a message that has a slot layout, writes it to a slot.
  */
@publicInBinary private[actor] object SendMacro:

  def apply[T: Type](ref: Expr[ActorRef[T]], message: Expr[T])(using Quotes): Expr[Unit] =
    val plan =
      for
        layout <- SlotLayout.of[T]
        number <- SlotAccess.caseOf(message)
        if layout.numbers(number)
      yield (Expr(layout.kind), Expr(layout.header(number)))
    plan match
      case None                 => '{ $ref.tell($message) }
      case Some((kind, header)) =>
        // The message is evaluated first: this runs code of users, which may send or throw.
        '{
          val to = $ref
          ${
            SlotAccess.evaluated(message): (again, stores) =>
              '{
                val slot = to.openSlot($kind, $header)
                if slot != 0L then
                  ${ SlotLayout.stored('slot)(stores) }
                else to.tell($again)
              }
          }
        }
  end apply
end SendMacro
