package undercroft.actor

/** Children of one parent that begin anew together: the one that failed and all, or those that were
  * spawned after it. The parent's thread.
  *
  * {{{
  *   halt    the youngest first: each ends what it does, stops its children, and answers
  *   begin   the oldest first: each runs its setup, and answers
  * }}}
  *
  * One child is asked at a time, by a command with a number, and answers by one with the same; it
  * does so, too, when it stops instead. Whoever fails meanwhile has all of it begin again, with as
  * many children as both concern. The references, mailboxes and stashes of the children stay.
  */
private[actor] final class Regroup:
  private var members = Array.empty[Cell[?]]
  private var at = 0
  private var isHalting = false
  private var asked = 0

  /** One child has failed, and is halted or about to be. */
  def include(parent: Cell[?], failed: Cell[?], onlyRest: Boolean): Unit =
    val all = parent.ownFamily().all.reverse // the oldest first
    val own = if onlyRest then all.indexWhere(_ eq failed) else 0
    // Groups end with the youngest, always: the larger one of two holds both.
    val earlier = all.indexWhere(child => members.exists(_ eq child))
    val from = if own < 0 then earlier else if earlier < 0 then own else math.min(own, earlier)
    if from >= 0 then
      members = all.drop(from)
      isHalting = true
      at = members.length
      proceed(parent)

  /** A child has done what it was asked for, or has stopped. */
  def answered(parent: Cell[?], number: Int): Unit =
    if number == asked && members.nonEmpty then proceed(parent)

  private def proceed(parent: Cell[?]): Unit =
    var isAsked = false
    while !isAsked && members.nonEmpty do
      at += (if isHalting then -1 else 1)
      if at < 0 then isHalting = false
      else if at == members.length then members = Array.empty
      else
        asked += 1
        val child = members(at)
        val command =
          if isHalting then Command.Halt(parent, asked) else Command.Begin(parent, asked)
        isAsked = child.pushCommand(command)
        if isAsked then child.wake()
end Regroup
