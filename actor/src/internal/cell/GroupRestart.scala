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
    val siblings = parent.ownFamily().all.reverse // oldest first
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
        val command =
          if isHalting then SystemMessage.Halt(parent, requestNumber)
          else SystemMessage.Begin(parent, requestNumber)
        isAsked = child.pushCommand(command)
        if isAsked then child.wake()
end GroupRestart
