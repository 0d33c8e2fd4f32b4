package undercroft.actor
package testkit

/** A queue that can remove any element, the first and the last in constant time. Confined to one
  * thread.
  */
private[testkit] final class StepQueue:
  private var slots = new Array[AnyRef | Null](16)
  private var from = 0
  private var count = 0

  def size: Int = count

  def add(element: AnyRef): Unit =
    if count == slots.length then grow()
    slots(at(count)) = element
    count += 1

  def apply(index: Int): AnyRef = slots(at(index)).nn

  /** Removes and returns the element at `index`; the others keep their order. */
  def remove(index: Int): AnyRef =
    val element = apply(index)
    var i = index
    if index < count / 2 then
      while i > 0 do
        slots(at(i)) = slots(at(i - 1))
        i -= 1
      slots(from) = null
      from = at(1)
    else
      while i < count - 1 do
        slots(at(i)) = slots(at(i + 1))
        i += 1
      slots(at(count - 1)) = null
    count -= 1
    element

  private def at(index: Int): Int = (from + index) & (slots.length - 1)

  private def grow(): Unit =
    val larger = new Array[AnyRef | Null](slots.length * 2)
    for i <- 0 until count do larger(i) = slots(at(i))
    slots = larger
    from = 0
end StepQueue
