package undercroft.lab.stress

import undercroft.memory.internal.cage.Cage
import java.lang.foreign.ValueLayout
import java.util.function.LongConsumer
import undercroft.memory.Region

/** Scopes, which Java cannot express; for tests in Java. */
object Scopes:
  /** Opens a scope, writes `value` to a block of it and passes the reference to `receiver`. */
  def publish(value: Long, receiver: LongConsumer): Unit =
    Region.scoped:
      val block = Region.current.allocateBlock(64, 8)
      Cage.setLong(block.bits, 0, value)
      receiver.accept(block.bits)

  /** Checks first and reads afterwards: a bug that the cage does not have. */
  def checkThenRead(reference: Long): Long =
    Cage.check(reference, 0, 8)
    Cage.segment.get(ValueLayout.JAVA_LONG, Cage.offsetOf(reference))
