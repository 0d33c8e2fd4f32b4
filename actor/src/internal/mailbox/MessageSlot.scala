package undercroft.actor
package internal.mailbox

import undercroft.memory.internal.cage.Cage
import java.lang.foreign.ValueLayout
import scala.annotation.publicInBinary

/** Access to message slots: off-heap blocks that hold one message each. Called by generated code.
  *
  * {{{
  *   0      4       8                      8 + fields
  *  +------+-------+-----------------------+
  *  | case | size  | fields, aligned       |     32, 64 or 128 bytes
  *  +------+-------+-----------------------+
  * }}}
  *
  * A slot is identified by its position in the cage. Only the worker that owns the receiving actor
  * may access it, and user code never sees it, so accesses are not checked.
  */
@publicInBinary private[undercroft] object MessageSlot:
  /** Bytes before the fields. */
  inline val HeaderBytes = 8

  /** The number of size classes: class 0 has 32 bytes, each next class twice as many. */
  inline val Sizes = 3

  /** The size class for `bytes` bytes, header included, or -1 if they do not fit into any. */
  def sizeFor(bytes: Int): Int = (0 until Sizes).indexWhere(bytes <= bytesOf(_))
  def bytesOf(size: Int): Int = 32 << size

  /** Marks the position of a slot in the queue of message objects. */
  object Mark

  /** Represents, in reports, a message in a slot whose constructor throws. */
  final class Refused(by: Throwable):
    override def toString: String = s"a message whose constructor throws ${by.getClass.getName}"

  /** The size class in a header. */
  def sizeIn(header: Long): Int = (header >>> 32).toInt
  def caseOf(slot: Long): Int = getInt(slot, 0)
  def sizeOf(slot: Long): Int = getInt(slot, 4)

  def getInt(slot: Long, at: Int): Int =
    Cage.open.get(ValueLayout.JAVA_INT_UNALIGNED, place(slot, at))
  def getLong(slot: Long, at: Int): Long =
    Cage.open.get(ValueLayout.JAVA_LONG_UNALIGNED, place(slot, at))
  def setLong(slot: Long, at: Int, value: Long): Unit =
    Cage.open.set(ValueLayout.JAVA_LONG_UNALIGNED, place(slot, at), value)

  private def place(slot: Long, at: Int): Long = Cage.within(slot) + at

  /** Sends a copy of a slot. Returns false if the actor does not accept slots of this kind now. */
  def forwarded(to: ActorRef[?], slot: Long, kind: Long): Boolean =
    val copy = to.openSlot(kind, getLong(slot, 0))
    if copy != 0 then
      val end = bytesOf(sizeOf(slot))
      var at = HeaderBytes
      while at < end do
        setLong(copy, at, getLong(slot, at))
        at += 8
    copy != 0
end MessageSlot
