package undercroft.actor
package internal.observe

import internal.cell.ActorCell
import internal.dispatch.{ActorSettings, HandlerClock}
import jdk.jfr.{FlightRecorder, FlightRecorderListener, Recording}
import undercroft.memory.internal.observe.JfrRecorder

/** Creates the JFR events of [[ActorJfr]]. Loading this class also loads the recorder's classes.
  */
private[actor] final class ActorJfrEmitter:

  def told(event: ActorEvent): Unit = event match
    case ActorEvent.Failed(actor, cause, decision) =>
      val failed = ActorFailedEvent()
      if failed.shouldCommit then
        failed.actor = actor.name
        failed.cause = cause.toString
        failed.decision = decision.toString
        failed.commit()
    case ActorEvent.DeadLetter(to, message, reason) =>
      val letter = DeadLetterEvent()
      if letter.shouldCommit then
        letter.actor = to.name
        letter.message = message.getClass.getName
        letter.reason = reason.toString
        letter.commit()
    case ActorEvent.MessageParked(parked, isKept) =>
      val event = MessageParkedEvent()
      if event.shouldCommit then
        event.actor = parked.actor.name
        event.message = parked.message.getClass.getName
        event.state = parked.state
        event.isKept = isKept
        event.commit()
    case ActorEvent.SystemFailed(_) => () // there may be no memory
    case ActorEvent.Stalled(actor, atLeast, state, stack) =>
      val stall = ActorStalledEvent()
      if stall.shouldCommit then
        stall.actor = actor.name
        stall.nanos = atLeast.toNanos
        stall.state = state.toString
        stall.stack = stack.mkString("\n")
        stall.commit()

  def slow(cell: ActorCell[?], nanos: Long): Unit =
    val event = SlowHandlerEvent()
    if event.shouldCommit then
      event.actor = cell.name
      event.nanos = nanos
      event.commit()
end ActorJfrEmitter

private[actor] object ActorJfrEmitter:
  /** Notifies [[ActorJfr]] when the recorder starts, or at once if it has started. */
  def awaitRecorder(): Unit =
    JfrRecorder.addListener:
      new FlightRecorderListener:
        private var isTiming = false

        override def recorderInitialized(recorder: FlightRecorder): Unit =
          JfrRecorder.addPeriodicEvent(classOf[ActorSystemEvent], () => systems())
          ActorJfr.started(ActorJfrEmitter())
          updateTiming() // a recording may run already: its start is not reported any more

        override def recordingStateChanged(recording: Recording): Unit = updateTiming()

        /** Measures handlers while at least one recording has the event enabled. */
        private def updateTiming(): Unit = synchronized:
          val isWanted = SlowHandlerEvent().isEnabled
          if isWanted != isTiming then
            isTiming = isWanted
            HandlerClock.want(isWanted)

  private def systems(): Unit =
    for system <- ActorJfr.all if ActorSettings.audits do
      val audit = system.observe.audit
      val event = ActorSystemEvent()
      event.system = system.name
      event.actors = audit.actors
      event.sent = audit.sent
      event.handled = audit.handled
      event.failed = audit.failed
      event.stashed = audit.stashed
      event.waiting = audit.waiting
      event.dead = audit.deadLetterCount
      event.restarts = audit.restarts
      event.commit()
end ActorJfrEmitter
