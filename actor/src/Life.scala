package undercroft.actor

/** Where an actor is in its life: how it fails, begins anew, and stops. docs/design/0009 draws the
  * states. The owner's thread.
  */
private[actor] abstract class Life[T](
    system: ActorSystem,
    parent: Cell[?] | Null,
    runner: Runner,
    start: Behavior[T],
    box: Mailbox,
    number: Long
) extends Post[T](system, parent, runner, start, box, number):
  this: Cell[T] =>
  import Cell.State

  private var supervisor: Supervisor | Null = null

  /** Where a process asks for its messages. */
  protected final var inbox: Inbox[T] | Null = null

  /** Peels decisions off the behaviour. */
  protected final def unwrap(): Unit =
    while behavior.isInstanceOf[Behavior.Supervised[?]] do
      val layer = behavior.asInstanceOf[Behavior.Supervised[T]]
      supervisor = Supervisor(layer.decide, layer.inner, supervisor)
      behavior = layer.inner

  /** Forgets all decisions: a behaviour with some of its own is next. */
  protected final def forgetSupervision(): Unit = supervisor = null

  // ---- failing

  protected final def failedWith(cause: Throwable, isMessage: Boolean): Unit =
    val own = ownSide()
    if isMessage then own.failed += 1
    if own.stash != null then own.stash.nn.forget()
    fail(cause)

  private[actor] def childFailed(cause: Throwable): Unit =
    if state == State.Running then fail(cause)

  private def fail(cause: Throwable): Unit =
    var concerned: Supervisor | Null = null
    var pause = 0L
    val wanted =
      try
        val own = supervisor
        if own != null then concerned = own.of(cause)
        if concerned == null then Supervision.Stop else concerned.nn.decide(cause)
      catch
        case other: Throwable =>
          cause.addSuppressed(other)
          Supervision.Stop
    val decision = wanted match
      case Supervision.Resume if state == State.Starting || inbox != null => Supervision.Stop
      case Supervision.Restart(limit, within) =>
        val may = concerned.nn.mayRestart(limit, within.toNanos, system.clock.nanos)
        if may then wanted else Supervision.Stop
      case backoff: Supervision.Backoff =>
        pause = concerned.nn.pause(backoff, system.clock.nanos, system.engine.random())
        if pause >= 0 then wanted else Supervision.Stop
      case other => other
    system.report(Event.Failed(this, cause, decision))
    if state < State.Stopping then
      decision match
        case Supervision.Resume => ()
        case Supervision.Stop   => beginStop(cause)
        case Supervision.Escalate =>
          val above = parent
          if above != null && above.pushCommand(Command.ChildFailed(this, cause)) then above.wake()
          beginStop(cause)
        case _ => beginRestart(concerned.nn, pause)
  end fail

  // ---- restarting

  private def beginRestart(concerned: Supervisor, pauseNanos: Long): Unit =
    state = State.Restarting
    tellSignal(Signal.PreRestart)
    val own = ownSide()
    own.restarts += 1
    own.pauseNanos = pauseNanos
    if own.timers != null then own.timers.nn.cancelAll()
    supervisor = concerned
    behavior = concerned.first.asInstanceOf[Behavior[T]]
    if family == null || family.nn.stopAll(forGood = false) then beginAnew()

  private def beginAnew(): Unit =
    val pause = ownSide().pauseNanos
    if pause == 0 then
      state = State.New
      unwrap()
    else
      state = State.Paused
      val _ = system.clock.schedule(
        pause,
        () => if pushCommand(Command.PauseOver()) then wake()
      )

  private[actor] def pauseOver(): Unit =
    if state == State.Paused then
      state = State.New
      unwrap()

  // ---- stopping

  private[actor] def beginStop(cause: Throwable | Null): Unit =
    if state < State.Stopping then
      state = State.Stopping
      if cause != null then ownSide().stopCause = cause
      if side != null && side.nn.timers != null then side.nn.timers.nn.cancelAll()
      if family == null || family.nn.stopAll(forGood = true) then state = State.Ending

  private[actor] def childless(): Unit =
    if state == State.Stopping then state = State.Ending
    else if state == State.Restarting then beginAnew()

  protected final def finish(): Unit =
    tellSignal(Signal.PostStop)
    state = State.Stopped
    val own = side
    if own != null && own.timers != null then own.timers.nn.cancelAll()
    closeMail()
    var message = poll()
    while message ne null do
      if message eq Slot.Mark then
        bury(reader.load(slotInHand).asInstanceOf[AnyRef])
        Worker.here(this).slots.give(slotInHand, Slot.sizeOf(slotInHand))
      else bury(message)
      countDoneRelease()
      message = poll()
    if own != null then
      if own.stash != null then own.stash.nn.empty(bury)
      own.failAsks(name)
      if own.waiters != null then own.waiters.nn.release(this)
    var command = takeCommands(Command.Closed)
    while command != null do
      val each = command
      command = each.next
      each.tooLate(this)
    if own != null then
      own.foreachWatcher(watcher => watcher.tellNotice(TerminatedNotice(this, own.stopCause)))
    runner.stopped(this)
    system.stopped(this)
    val above = parent
    if above != null && above.ownFamily().remove(this) then
      if above.pushCommand(Command.Childless()) then above.wake()
  end finish

  private def tellSignal(signal: Signal): Unit =
    try
      val _ = behavior.signal(signal)
    catch
      case cause: Throwable => system.report(Event.Failed(this, cause, Supervision.Resume))
end Life
