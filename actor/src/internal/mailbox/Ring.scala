package undercroft.actor
package internal.mailbox

/** A growable FIFO queue in a circular array; the capacity doubles. Not thread-safe. */
private[actor] final class Ring[A <: AnyRef](firstCapacity: Int):
  private var slots = new Array[AnyRef | Null](firstCapacity)
  private var from = 0
  private var count = 0

  def size: Int = count
  def isEmpty: Boolean = count == 0

  /** The number of elements that fit at present. */
  def capacity: Int = slots.length

  def add(element: A): Unit =
    if count == slots.length then grow()
    slots((from + count) & (slots.length - 1)) = element
    count += 1

  /** Adds an element to the front, so that it is polled next. */
  def addFirst(element: A): Unit =
    if count == slots.length then grow()
    from = (from - 1) & (slots.length - 1)
    slots(from) = element
    count += 1

  /** Returns the oldest element, or null, without removing it. */
  def peek: A | Null = if count == 0 then null else slots(from).asInstanceOf[A]

  /** Removes and returns the oldest element, or null. */
  def poll(): A | Null =
    if count == 0 then null
    else
      val element = slots(from)
      slots(from) = null
      from = (from + 1) & (slots.length - 1)
      count -= 1
      element.asInstanceOf[A]

  /** Makes room for `room` further elements, by one copy. */
  def reserve(room: Int): Unit =
    if slots.length - count < room then
      growTo(math.max(slots.length * 2, Integer.highestOneBit(count + room - 1) * 2))

  private def grow(): Unit = growTo(slots.length * 2)

  private def growTo(capacity: Int): Unit =
    val larger = new Array[AnyRef | Null](capacity)
    var i = 0
    while i < count do
      larger(i) = slots((from + i) & (slots.length - 1))
      i += 1
    slots = larger
    from = 0
end Ring
