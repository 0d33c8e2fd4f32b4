package undercroft.actor

/** The children of one actor, linked by their own fields. Any thread, by a lock. */
private[actor] final class Family:
  private var last: Cell[?] | Null = null
  private var count = 0
  private var isClosed = false
  private var isAwaited = false

  /** Adds a child, or refuses: its parent is stopping. */
  def add(child: Cell[?]): Boolean = synchronized:
    if !isClosed then
      val before = last
      child.previous = before
      if before != null then before.next = child
      last = child
      count += 1
    !isClosed

  /** Removes a child. Whether it was the last one of a parent that waits for that. */
  def remove(child: Cell[?]): Boolean = synchronized:
    val before = child.previous
    val after = child.next
    if before != null then before.next = after
    if after != null then after.previous = before else last = before
    child.previous = null
    child.next = null
    count -= 1
    val over = count == 0 && isAwaited
    if over then isAwaited = false
    over

  private var intensity: Intensity | Null = null

  /** Whether one more restart of several children is within the limit; if so, it is noted. */
  def mayRestart(limit: Int, withinNanos: Long, now: Long): Boolean = synchronized:
    val so = intensity match
      case null => Intensity()
      case some => some
    intensity = so
    so.may(limit, withinNanos, now)

  /** Stops all children; whether there are none. If not, the removal of the last one tells. */
  def stopAll(forGood: Boolean): Boolean =
    val children = synchronized:
      isClosed = isClosed || forGood
      isAwaited = count > 0
      all
    for child <- children do if child.pushCommand(Command.Stop()) then child.wake()
    children.isEmpty

  /** Those there are at this moment, the youngest first. */
  def all: Array[Cell[?]] = synchronized:
    val children = new Array[Cell[?]](count)
    var each = last
    var i = 0
    while each != null do
      children(i) = each
      i += 1
      each = each.previous
    children
end Family
