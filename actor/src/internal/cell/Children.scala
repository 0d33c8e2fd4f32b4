package undercroft.actor
package internal.cell

/** The children of one actor, an intrusive linked list. Thread-safe, by a lock. */
private[actor] final class Children:
  private var last: ActorCell[?] | Null = null
  private var count = 0
  private var isClosed = false
  private var isAwaited = false

  /** Adds a child. Returns false if the parent is stopping. */
  def add(child: ActorCell[?]): Boolean = synchronized:
    if !isClosed then
      val before = last
      child.previous = before
      if before != null then before.next = child
      last = child
      count += 1
    !isClosed

  /** Removes a child. Returns whether it was the last one and the parent waits for that. */
  def remove(child: ActorCell[?]): Boolean = synchronized:
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

  /** Whether a child is live, and no older live one has the name that it was given. */
  def isOldestOfItsName(child: ActorCell[?]): Boolean = synchronized:
    val name = child.givenName
    var older = child.previous
    while older != null && (older.isStopped || older.givenName != name) do older = older.previous
    !child.isStopped && older == null

  private var intensity: RestartIntensity | Null = null

  /** Whether one more group restart is within the limit; if so, records it. */
  def mayRestart(limit: Int, withinNanos: Long, now: Long): Boolean = synchronized:
    val restarts = intensity.orCreate(RestartIntensity())
    intensity = restarts
    restarts.may(limit, withinNanos, now)

  /** Stops all children. Returns whether there are none; if not, the removal of the last one
    * notifies the parent.
    */
  def stopAll(forGood: Boolean, parent: ActorCell[?]): Boolean =
    val children = synchronized:
      isClosed = isClosed || forGood
      isAwaited = count > 0
      all
    var i = 0
    while i < children.length do
      val child = children(i)
      child.tellSystem(Lifecycle.Stop(SignalContext.passedOn(parent, child))): Unit
      i += 1
    i == 0

  /** Closes the children, and their children down to a depth, because the system has failed. */
  def closeBySystem(depth: Int): Unit = synchronized:
    var child = last
    while child != null do
      child.closeBySystem()
      val family = child.familyOrNull
      if family != null && depth > 0 then family.closeBySystem(depth - 1)
      child = child.previous

  /** The current children, youngest first. */
  def all: Array[ActorCell[?]] = synchronized:
    val children = new Array[ActorCell[?]](count)
    var child = last
    var i = 0
    while child != null do
      children(i) = child
      i += 1
      child = child.previous
    children
end Children
