package undercroft.actor
package internal.cell

/** Group restart: children of one parent that restart together, either all of them or the failed
  * one and its younger siblings. Parent's thread only.
  *
  * {{{
  *   halt    youngest first: each ends its work, stops its children, and answers
  *   begin   oldest first: each runs its setup, and answers
  * }}}
  *
  * The parent asks one child at a time, by a system message with a number, and the child answers
  * with the same number; a child that stops instead also answers. If another child fails meanwhile,
  * the restart begins again with the union of both groups. The references, mailboxes and stashes of
  * the children are kept.
  */
private[actor] final class GroupRestart:
  private var members = Array.empty[ActorCell[?]]
  private var at = 0
  private var isHalting = false
  private var requestNumber = 0

  /** Adds a failed child, which is halted or about to be, and the children that restart with it. */
  def include(parent: ActorCell[?], failed: ActorCell[?], onlyRest: Boolean): Unit =
    val siblings = parent.family().all.reverse // oldest first
    val failedIndex = if onlyRest then siblings.indexWhere(_ eq failed) else 0
    // Each group ends with the youngest child, so the larger of two groups contains the other.
    val earlier = siblings.indexWhere(child => members.exists(_ eq child))
    val from =
      if failedIndex < 0 then earlier
      else if earlier < 0 then failedIndex
      else math.min(failedIndex, earlier)
    if from >= 0 then
      members = siblings.drop(from)
      isHalting = true
      at = members.length
      proceed(parent)

  /** A child has completed the request `number`, or has stopped. */
  def answered(parent: ActorCell[?], number: Int): Unit =
    if number == requestNumber && members.nonEmpty then proceed(parent)

  private def proceed(parent: ActorCell[?]): Unit =
    var isAsked = false
    while !isAsked && members.nonEmpty do
      at += (if isHalting then -1 else 1)
      if at < 0 then isHalting = false
      else if at == members.length then members = Array.empty
      else
        requestNumber += 1
        val child = members(at)
        val message =
          if isHalting then GroupRestart.Halt(parent, requestNumber)
          else GroupRestart.Begin(parent, requestNumber)
        isAsked = child.tellSystem(message)
end GroupRestart

private[actor] object GroupRestart:
  // ---- on the thread of a child

  /** Halts a failed child, and asks its parent for a group restart. */
  def begin(child: ActorCell[?], concerned: Supervisor, onlyRest: Boolean): Unit =
    child.coldState().isHalted = true
    Lifecycle.beginRestart(child, concerned, 0)
    val parent = child.parent.nn
    parent.tellSystem(RestartGroup(child, onlyRest)): Unit

  /** Answers the request of the parent, if there is one. */
  def answerParent(child: ActorCell[?]): Unit =
    val coldState = child.coldStateOrNull
    if coldState != null && coldState.owed != 0 then
      val number = coldState.owed
      coldState.owed = 0
      answer(child.parent.nn, number)

  /** Answers the request `number` of a parent. Thread-safe. */
  def answer(parent: ActorCell[?], number: Int): Unit =
    parent.tellSystem(Answered(number)): Unit

  // ---- its system messages

  /** A child failed, and other children restart with it. */
  final class RestartGroup(failed: ActorCell[?], onlyRest: Boolean) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state == State.Running then
        val coldState = cell.coldState()
        val group = coldState.groupRestart.orCreate(GroupRestart())
        coldState.groupRestart = group
        group.include(cell, failed, onlyRest)

  /** Asks a child to stop its work and its children, and to restart on a later [[Begin]]. */
  final class Halt(parent: ActorCell[?], number: Int) extends SystemMessage:
    override def stopsWork: Boolean = true
    def apply(cell: ActorCell[?]): Unit =
      val coldState = cell.coldState()
      coldState.owed = number
      coldState.isHalted = true
      if cell.state == State.Running then
        val supervisor = cell.supervisor
        Lifecycle.beginRestart(cell, if supervisor == null then null else supervisor.outermost, 0)
      else if cell.state == State.New || cell.state == State.Paused then
        cell.state = State.Paused
        answerParent(cell)
    override def tooLate(cell: ActorCell[?]): Unit = answer(parent, number)

  /** Lets a halted child restart. */
  final class Begin(parent: ActorCell[?], number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      val coldState = cell.coldState()
      coldState.owed = number
      coldState.isHalted = false
      if cell.state == State.Paused then Lifecycle.renew(cell)
      else if cell.state == State.Running then answerParent(cell)
    override def tooLate(cell: ActorCell[?]): Unit = answer(parent, number)

  /** A child has completed the request with this number, or has stopped. */
  final class Answered(number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      val group = cell.coldState().groupRestart
      if group != null && cell.state == State.Running then group.answered(cell, number)
end GroupRestart
