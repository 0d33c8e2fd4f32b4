package undercroft.actor
package internal.macros

import internal.mailbox.MessageSlot
import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.memory.internal.cage.Cage
import undercroft.struct.Struct
import undercroft.struct.internal.bytes.Fingerprint
import undercroft.struct.internal.macros.access.SlotAccess
import undercroft.struct.internal.macros.places.Bound
import undercroft.struct.internal.macros.schema.TypeNames

/** Which messages of a type are stored in slots, as known at compile time.
  *
  * @param kind
  *   equal at two call sites only if they were compiled with the same cases and fields
  * @param numbers
  *   the numbers of the cases whose messages are stored in slots; the others are sent as objects
  */
private[internal] final case class SlotLayout(kind: Long, size: Int, numbers: Set[Int]):
  def header(number: Int): Long = number | size.toLong << 32

private[internal] object SlotLayout:

  /** The layout of a case class, an enum or a sealed hierarchy, if it has a Struct and at least one
    * case that fits into a slot.
    */
  def of[T: Type](using Quotes): Option[SlotLayout] =
    val isStored = isClass[T] && Expr.summon[Struct[T]].isDefined && SlotAccess.isKnown[T]
    val cases = if isStored then SlotAccess.cases[T] else Nil
    val sizes = cases.zipWithIndex.collect:
      case (slotCase, number) if sizeOf(slotCase) >= 0 && SlotAccess.onlyHolds[T](number) =>
        number -> sizeOf(slotCase)
    Option.when(sizes.nonEmpty):
      val numbers = sizes.map(_._1)
      val name = TypeNames.full(quotes.reflect.TypeRepr.of[T])
      val kind = Fingerprint.hash(s"$name ${cases.map(_.name)} $numbers " +
        SlotAccess.layoutOf[T])
      SlotLayout(if kind == 0 then 1 else kind, sizes.map(_._2).max, numbers.toSet)

  /** The memory of a slot. */
  def slot(slot: Expr[Long])(using Quotes): SlotAccess.Slot =
    val tag = '{ MessageSlot.caseOf($slot) }
    SlotAccess.Slot('{ Cage.open }, '{ Cage.within($slot) }, MessageSlot.HeaderBytes, tag)

  /** Code over the memory of a slot, whose segment and base are bound to names: the shorter the
    * byte code, the larger the messages whose methods the JIT inlines.
    */
  def over(using
      Quotes
  )(slot: Expr[Long])(body: SlotAccess.Slot => quotes.reflect.Term): quotes.reflect.Term =
    import quotes.reflect.*
    val whole = SlotLayout.slot(slot)
    Bound("memory", whole.segment.asTerm): memory =>
      Bound("base", whole.base.asTerm): base =>
        body(whole.copy(segment = memory.asExprOf[MemorySegment], base = base.asExprOf[Long]))

  /** Code that stores a message into a slot. */
  def stored(slot: Expr[Long])(stores: SlotAccess.Slot => Quotes ?=> Expr[Unit])(using
      Quotes
  ): Expr[Unit] =
    import quotes.reflect.*
    over(slot)(whole => stores(whole).asTerm).asExprOf[Unit]

  private def sizeOf(slotCase: SlotAccess.Case): Int =
    MessageSlot.sizeFor(MessageSlot.HeaderBytes + slotCase.sizeBytes)

  private def isClass[T: Type](using Quotes): Boolean =
    import quotes.reflect.*
    val symbol = TypeRepr.of[T].dealias.typeSymbol
    symbol.isClassDef && (symbol.flags.is(Flags.Sealed) || symbol.flags.is(Flags.Case))
end SlotLayout
