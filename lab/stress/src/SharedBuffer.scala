package undercroft.buffer

import java.util.ConcurrentModificationException
import scala.util.control.NonFatal

/** A buffer that two threads use without a lock, of a pool of its own, for tests in Java. */
final class SharedBuffer:
  private val pool = SegmentPool.lockFree(segmentBytes = 64)
  private val shared = Buffer(using pool).writeInt(1)

  /** Recycles segments of the buffer and takes them again. */
  def clearAndWrite(): Unit =
    try
      shared.clear()
      shared.writeInt(2).clear()
      shared.writeInt(3): Unit
    catch case NonFatal(_) => () // the race was detected, which it need not be

  /** Checks other buffers of the pool: each contains the bytes that were written to it. */
  def others(): String =
    try
      val buffers = Vector.tabulate(4)(n => Buffer(using pool).writeInt(n))
      if buffers.map(_.size).forall(_ == 4) && buffers.map(_.readInt()) == Vector(0, 1, 2, 3) then
        "own"
      else "another's"
    catch case e: Exception => e.toString

  /** Checks the buffer itself after `clear`, the second one if the first one reports the race. */
  def cleared(): String =
    try shared.clear()
    catch case _: ConcurrentModificationException => shared.clear()
    if shared.size == 0 && shared.writeInt(5).size == 4 && shared.readInt() == 5 then "empty"
    else "torn"
end SharedBuffer
