package undercroft.lab.stress

import java.lang.foreign.ValueLayout
import java.util.function.LongConsumer
import undercroft.memory.{Cage, Region}

/** What Java cannot say of scopes. */
object Scopes:
  /** Opens a scope, writes a value to a block of it and hands out the reference. */
  def publish(value: Long, receiver: LongConsumer): Unit =
    Region.scoped:
      val block = Region.current.block(64, 8)
      Cage.setLong(block.bits, 0, value)
      receiver.accept(block.bits)

  /** A read that checks first and reads afterwards: the mistake that the cage does not make. */
  def checkThenRead(reference: Long): Long =
    Cage.check(reference, 0, 8)
    Cage.segment.get(ValueLayout.JAVA_LONG, Cage.offsetOf(reference))
