package undercroft.actor
package internal.cell

import internal.dispatch.Dispatcher

/** Notifies other actors that an actor has stopped: its watchers, the linked actors, and the actors
  * that it watched.
  */
private[actor] object DeathWatch:

  /** Notifies all of them. Owner thread only, when the actor accepts no more system messages. */
  def notifyAll(cell: ActorCell[?]): Unit =
    val coldState = cell.coldStateOrNull
    if coldState != null then
      Dispatcher.retryOnOutOfMemory(coldState.foreachWatcher(notifyWatcher(cell, _)))
      Dispatcher.retryOnOutOfMemory(coldState.foreachLink(notifyLinked(cell, _)))
      Dispatcher.retryOnOutOfMemory(coldState.foreachWatched(stopWatching(cell, _)))

  private def stopWatching(cell: ActorCell[?], watched: ActorCell[?]): Unit =
    Dispatcher.retryOnOutOfMemory {
      if watched.pushSystemMessage(SystemMessage.Unwatch(cell)) then watched.wake()
    }

  /** Ends the watches of the children, before a restart stops these. */
  def unwatchChildren(cell: ActorCell[?]): Unit =
    val (coldState, family) = (cell.coldStateOrNull, cell.familyOrNull)
    if coldState != null && family != null && coldState.isWatchingAny then
      Dispatcher.retryOnOutOfMemory:
        for child <- family.all if coldState.isWatching(child) do
          coldState.stopWatching(child)
          stopWatching(cell, child)

  /** Notifies a watcher. Thread-safe, once `cell` has stopped. */
  def notifyWatcher(cell: ActorCell[?], watcher: ActorCell[?]): Unit =
    Dispatcher.retryOnOutOfMemory:
      val context = SignalContext.passedOn(cell, watcher)
      watcher.tellInternal(TerminatedMessage(cell, stopCause(cell), context))

  /** Notifies a linked actor. Thread-safe, once `cell` has stopped. */
  def notifyLinked(cell: ActorCell[?], peer: ActorCell[?]): Unit =
    val cause = stopCause(cell)
    Dispatcher.retryOnOutOfMemory:
      val message =
        if cause == null then SystemMessage.Unlink(cell)
        else SystemMessage.LinkBroken(cell, cause, SignalContext.passedOn(cell, peer))
      if peer.pushSystemMessage(message) then peer.wake()

  /** The failure by which the actor stopped, or null. */
  def stopCause(cell: ActorCell[?]): Throwable | Null =
    val coldState = cell.coldStateOrNull
    if coldState == null then null else coldState.stopCause
end DeathWatch
