package undercroft.memory
package internal.platform

import java.util.concurrent.atomic.AtomicLong
import scala.annotation.tailrec

/** Maxima without `accumulateAndGet`, which takes a lambda: the first one of a JVM takes some 10
  * ms, and this runs before the first region.
  */
private[memory] object AtomicMaximum:
  /** Raises a number to at least `value`. */
  @tailrec
  def raise(number: AtomicLong, value: Long): Unit =
    val current = number.get
    if value > current && !number.compareAndSet(current, value) then raise(number, value)
