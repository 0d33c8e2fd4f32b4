package undercroft.struct

import java.lang.foreign.MemorySegment
import scala.quoted.*
import undercroft.struct.internal.InMemory

/** What a macro of another module does with memory of its own. */
object Slot:
  inline def store[T](slot: MemorySegment, offset: Long, inline value: T): Unit =
    ${ storeCode('slot, 'offset, 'value) }

  inline def read[T, R](slot: MemorySegment, offset: Long)(inline f: T => R): R =
    ${ InMemory.read[T, R]('slot, 'offset, 'f) }

  def storeCode[T: Type](slot: Expr[MemorySegment], offset: Expr[Long], value: Expr[T])(using
      Quotes
  ): Expr[Unit] = InMemory.store(value)(target => target(slot, offset))
