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
    watched.tellSystem(Unwatch(cell)): Unit

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
      if cause == null then Unlink(cell)
      else LinkBroken(cell, cause, SignalContext.passedOn(cell, peer))
    peer.tellSystem(message): Unit

  /** The failure by which the actor stopped, or null. */
  def stopCause(cell: ActorCell[?]): Throwable | Null =
    val coldState = cell.coldStateOrNull
    if coldState == null then null else coldState.stopCause

  // ---- its system messages

  final class Watch(watcher: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().addWatcher(watcher)
    override def tooLate(cell: ActorCell[?]): Unit = notifyWatcher(cell, watcher)

  final class Unwatch(watcher: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().removeWatcher(watcher)

  /** Another actor has linked itself to this one. */
  final class Link(peer: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().addLink(peer): Unit
    override def tooLate(cell: ActorCell[?]): Unit = notifyLinked(cell, peer)

  final class Unlink(peer: ActorCell[?]) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit = cell.coldState().removeLink(peer): Unit

  /** A linked actor has failed and stopped. */
  final class LinkBroken(peer: ActorCell[?], cause: Throwable, context: AnyRef | Null)
      extends SystemMessage:
    override def endsActor: Boolean = true
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then SignalContext.note(cell, context)
      if cell.coldState().removeLink(peer) then
        FaultHandling.linkBroken(cell, LinkedActorFailedException(peer.name, cause))
end DeathWatch

/** An actor has stopped; queued after everything that it sent. */
private[actor] final class TerminatedMessage(
    stopped: ActorCell[?],
    failure: Throwable | Null,
    context: AnyRef | Null
) extends InternalMessage:
  private var content: AnyRef = this

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val coldState = cell.coldState()
    val refs = coldState.watched(stopped)
    if refs == null then Behavior.skipped
    else
      val oldest = refs.pollFirstEntry.nn
      val (ref, instead) = (oldest.getKey, oldest.getValue)
      if refs.isEmpty then coldState.stopWatching(stopped)
      else // each reference has a notification of its own
        cell.tellInternal(TerminatedMessage(stopped, failure, context))
      if instead != null then
        val message = instead.asInstanceOf[AnyRef]
        content = ContextEnvelope.wrapped(cell, message, context)
        ContextEnvelope.deliver(cell, behavior, message, context)
      else
        val why = Option(failure)
        val next = Lifecycle.signal(cell, behavior, Signal.Terminated(ref, why), context)
        if next eq Behavior.unhandled then
          SignalContext.note(cell, context)
          throw DeathPactException(ref.name, why)
        next
  end deliver

  override def kept: AnyRef | Null = if content eq this then null else content
  override def aside: AnyRef = content
  override def isNotice: Boolean = true
  override def toString: String = s"Terminated(${stopped.name})"
end TerminatedMessage
