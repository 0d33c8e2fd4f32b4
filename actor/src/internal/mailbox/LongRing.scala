package undercroft.actor
package internal.mailbox

/** A [[Ring]] of Long values. */
private[actor] final class LongRing(capacity: Int):
  private var slots = new Array[Long](capacity)
  private var from = 0
  private var count = 0

  def add(element: Long): Unit =
    if count == slots.length then grow()
    slots((from + count) & (slots.length - 1)) = element
    count += 1

  /** Adds an element to the front, so that it is polled next. */
  def addFirst(element: Long): Unit =
    if count == slots.length then grow()
    from = (from - 1) & (slots.length - 1)
    slots(from) = element
    count += 1

  /** Removes and returns the oldest element; 0 if there is none. */
  def poll(): Long =
    if count == 0 then 0L
    else
      val element = slots(from)
      from = (from + 1) & (slots.length - 1)
      count -= 1
      element

  private def grow(): Unit =
    val larger = new Array[Long](slots.length * 2)
    var i = 0
    while i < count do
      larger(i) = slots((from + i) & (slots.length - 1))
      i += 1
    slots = larger
    from = 0
end LongRing
