package undercroft.struct

import internal.macros.access.SlotAccess
import java.lang.foreign.{MemorySegment, ValueLayout}
import scala.quoted.*

/** Uses [[SlotAccess]] as a macro of another module does, with its own memory: the case number in 4
  * bytes, and the fields after 8.
  */
object Slot:
  /** Stores a constructor call. */
  inline def store[T](slot: MemorySegment, offset: Long, inline value: T): Unit =
    ${ storeCode('slot, 'offset, 'value) }

  /** Passes on the value as it is created again, without a store. */
  inline def again[T](inline value: T)(use: T => Unit): Unit = ${ againCode('value, 'use) }

  inline def load[T](slot: MemorySegment, offset: Long): T = ${ loadCode[T]('slot, 'offset) }

  /** The values that the first matching case binds; "whole" for the value itself. */
  inline def matched[T](slot: MemorySegment, offset: Long)(inline f: T => Any): List[Any] =
    ${ matchedCode[T]('slot, 'offset, 'f) }

  def storeCode[T: Type](slot: Expr[MemorySegment], offset: Expr[Long], value: Expr[T])(using
      Quotes
  ): Expr[Unit] =
    val number = Expr(SlotAccess.caseOf(value).get)
    SlotAccess.evaluated(value): (_, stores) =>
      '{
        $slot.set(ValueLayout.JAVA_INT_UNALIGNED, $offset, $number)
        ${ stores(place(slot, offset)) }
      }

  def againCode[T: Type](value: Expr[T], use: Expr[T => Unit])(using Quotes): Expr[Unit] =
    SlotAccess.evaluated(value)((again, _) => '{ $use($again) })

  def loadCode[T: Type](slot: Expr[MemorySegment], offset: Expr[Long])(using Quotes): Expr[T] =
    SlotAccess.load[T](place(slot, offset), SlotAccess.cases[T].indices.toSet)

  def matchedCode[T: Type](slot: Expr[MemorySegment], offset: Expr[Long], f: Expr[T => Any])(using
      Quotes
  ): Expr[List[Any]] =
    import quotes.reflect.*
    def cases(term: Term): List[CaseDef] = term match
      case Inlined(_, Nil, inner) => cases(inner)
      case Typed(inner, _)        => cases(inner)
      case Block(Nil, inner)      => cases(inner)
      case Lambda(_, body)        => cases(body)
      case Match(_, cases)        => cases
      case other                  => report.errorAndAbort(other.show)
    val numbers = SlotAccess.cases[T].indices.toSet
    val arms = SlotAccess.arms[T](place(slot, offset), numbers)(cases(f.asTerm)).get
    arms.foldRight('{ List.empty[Any] }): (arm, rest) =>
      val test = arm.tests.foldLeft('{ true })((a, b) => '{ $a && $b })
      val values = arm.names.map((_, read) => read.fold('{ "whole" })(_().asExprOf[Any]))
      '{ if $test then ${ Expr.ofList(values) } else $rest }

  private def place(slot: Expr[MemorySegment], offset: Expr[Long])(using Quotes): SlotAccess.Slot =
    SlotAccess.Slot(
      slot,
      offset,
      start = 8,
      tag = '{ $slot.get(ValueLayout.JAVA_INT_UNALIGNED, $offset) }
    )
end Slot
