package undercroft.actor

import jdk.jfr.{FlightRecorder, FlightRecorderListener, Recording}

/** Makes the events of [[ActorFlight]]. Loading this class loads those of the recorder. */
private[actor] final class ActorEvents:

  def told(event: Event): Unit = event match
    case Event.Failed(actor, cause, decision) =>
      val failed = ActorFailedEvent()
      if failed.shouldCommit then
        failed.actor = actor.name
        failed.cause = cause.toString
        failed.decision = decision.toString
        failed.commit()
    case Event.DeadLetter(to, message, reason) =>
      val letter = DeadLetterEvent()
      if letter.shouldCommit then
        letter.actor = to.name
        letter.message = message.getClass.getName
        letter.reason = reason.toString
        letter.commit()
    case Event.MessageParked(parked, isKept) =>
      val event = MessageParkedEvent()
      if event.shouldCommit then
        event.actor = parked.actor.name
        event.message = parked.message.getClass.getName
        event.state = parked.state
        event.isKept = isKept
        event.commit()
    case Event.Stuck(actor, atLeast, state, stack) =>
      val stuck = ActorStuckEvent()
      if stuck.shouldCommit then
        stuck.actor = actor.name
        stuck.nanos = atLeast.toNanos
        stuck.state = state.toString
        stuck.stack = stack.mkString("\n")
        stuck.commit()

  def slow(cell: Cell[?], nanos: Long): Unit =
    val event = SlowTurnEvent()
    if event.shouldCommit then
      event.actor = cell.name
      event.nanos = nanos
      event.commit()
end ActorEvents

private[actor] object ActorEvents:
  /** Has [[ActorFlight]] told when the recorder starts, or at once if it has. */
  def awaitRecorder(): Unit =
    if FlightRecorder.isAvailable then
      FlightRecorder.addListener:
        new FlightRecorderListener:
          private var isTiming = false

          override def recorderInitialized(recorder: FlightRecorder): Unit =
            FlightRecorder.addPeriodicEvent(classOf[ActorSystemEvent], () => systems())
            ActorFlight.started(ActorEvents())

          /** The time of turns is taken for as long as some recording wants it. */
          override def recordingStateChanged(recording: Recording): Unit = synchronized:
            val wanted = SlowTurnEvent().isEnabled
            if wanted != isTiming then
              isTiming = wanted
              Timing.want(wanted)

  private def systems(): Unit =
    for system <- ActorFlight.all if Switches.audits do
      val audit = system.audit
      val event = ActorSystemEvent()
      event.system = system.name
      event.actors = audit.actors
      event.sent = audit.sent
      event.handled = audit.handled
      event.failed = audit.failed
      event.stashed = audit.stashed
      event.waiting = audit.waiting
      event.dead = audit.deadCount
      event.restarts = audit.restarts
      event.commit()
end ActorEvents
