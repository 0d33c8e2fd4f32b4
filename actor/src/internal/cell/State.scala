package undercroft.actor
package internal.cell

/** The lifecycle states of an actor, in order; from `Stopping` on it is ending. */
private[actor] object State:
  inline val New = 0
  inline val Starting = 1
  inline val Running = 2
  inline val Restarting = 3
  inline val Paused = 4
  inline val Stopping = 5
  inline val Ending = 6
  inline val Stopped = 7

  private val names = Vector(
    "new",
    "starting",
    "running",
    "restarting",
    "paused",
    "stopping",
    "ending",
    "stopped"
  )
  def named(state: Int): String = names(state)
end State
