package undercroft.struct

import internal.macros.access.SlotAccess
import java.lang.foreign.MemorySegment
import scala.quoted.*

/** Uses [[SlotAccess]] as a macro of another module does, with its own memory. */
object Slot:
  inline def store[T](slot: MemorySegment, offset: Long, inline value: T): Unit =
    ${ storeCode('slot, 'offset, 'value) }

  inline def read[T, R](slot: MemorySegment, offset: Long)(inline f: T => R): R =
    ${ SlotAccess.read[T, R]('slot, 'offset, 'f) }

  def storeCode[T: Type](slot: Expr[MemorySegment], offset: Expr[Long], value: Expr[T])(using
      Quotes
  ): Expr[Unit] = SlotAccess.store(value)(target => target(slot, offset))
