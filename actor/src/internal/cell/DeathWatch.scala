package undercroft.actor
package internal.cell

/** Notifies other actors that an actor has stopped: its watchers, the linked actors, and the actors
  * that it watched.
  */
private[actor] object DeathWatch:

  /** Notifies all of them. Owner thread only, when the actor accepts no more system messages. */
  def notifyAll(cell: ActorCell[?]): Unit =
    val coldState = cell.coldStateOrNull
    if coldState != null then
      coldState.foreachWatcher(notifyWatcher(cell, _))
      coldState.foreachLink(notifyLinked(cell, _))
      coldState.foreachWatched(stopWatching(cell, _))

  private def stopWatching(cell: ActorCell[?], watched: ActorCell[?]): Unit =
    watched.tellSystem(SystemMessage.Unwatch(cell)): Unit

  /** Ends the watches of the children, before a restart stops these. */
  def unwatchChildren(cell: ActorCell[?]): Unit =
    val (coldState, family) = (cell.coldStateOrNull, cell.familyOrNull)
    if coldState != null && family != null && coldState.isWatchingAny then
      for child <- family.all if coldState.isWatching(child) do
        coldState.stopWatching(child)
        stopWatching(cell, child)

  /** Notifies a watcher. Thread-safe, once `cell` has stopped. */
  def notifyWatcher(cell: ActorCell[?], watcher: ActorCell[?]): Unit =
    val context = SignalContext.passedOn(cell, watcher)
    watcher.tellInternal(TerminatedMessage(cell, stopCause(cell), context))

  /** Notifies a linked actor. Thread-safe, once `cell` has stopped. */
  def notifyLinked(cell: ActorCell[?], peer: ActorCell[?]): Unit =
    val cause = stopCause(cell)
    val message =
      if cause == null then SystemMessage.Unlink(cell)
      else SystemMessage.LinkBroken(cell, cause, SignalContext.passedOn(cell, peer))
    peer.tellSystem(message): Unit

  /** The failure by which the actor stopped, or null. */
  def stopCause(cell: ActorCell[?]): Throwable | Null =
    val coldState = cell.coldStateOrNull
    if coldState == null then null else coldState.stopCause
end DeathWatch
