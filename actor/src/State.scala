package undercroft.actor

/** Where an actor is in its life, in the order of it; those from `Stopping` on end it. */
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
