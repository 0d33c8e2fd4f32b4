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

  private val spawnedAs = start
  private[actor] final def isProcess: Boolean = Behavior.isProcess(spawnedAs)
  private var supervisor: Supervisor | Null = null

  /** Where a process asks for its messages. */
  protected final var inbox: Inbox[T] | Null = null

  /** Peels decisions off the behaviour. */
  protected final def unwrap(): Unit =
    while behavior.isInstanceOf[Behavior.Supervised[?]] do
      val layer = behavior.asInstanceOf[Behavior.Supervised[T]]
      supervisor = Supervisor(layer.decide, layer.inner, supervisor, layer.failing)
      behavior = layer.inner

  /** Forgets all decisions: a behaviour with some of its own is next. */
  protected final def forgetSupervision(): Unit = supervisor = null

  // ---- failing

  /** A handler failed, with a message or, where that is null, without one. */
  protected final def failedWith(cause: Throwable, message: AnyRef | Null): Unit =
    val own = ownSide()
    if own.stash != null then own.stash.nn.forget()
    val rule = if message == null then null else ruleOf(cause)
    if rule == null then
      fail(cause)
      if message != null then own.failed += 1
    else
      // What the rule says is of the actor as it is now, before it begins anew.
      val (wanted, described) = (rule.wanted(cause), rule.state)
      fail(cause)
      settle(message.nn, cause, wanted, described)

  /** What is said about messages that fail so, if anything is. */
  protected final def ruleOf(cause: Throwable): FailingRule | Null =
    val own = supervisor
    try if own == null then null else own.ruleOf(cause)
    catch
      case other: Throwable =>
        addSuppressed(cause, other)
        null

  /** Does with a message that failed what was decided. */
  private def settle(message: AnyRef, cause: Throwable, wanted: Failing, described: String): Unit =
    val own = ownSide()
    val failures = Retried.failures(message) + 1
    val kept = Notice.kept(message)
    val content = if kept == null then null else Notice.shown(kept)
    wanted.after(failures, mayRetry = kept != null && state < State.Stopping) match
      case Failing.Retry(_, _) => own.ownStash().putNext(Retried(kept.nn, failures))
      case decided =>
        own.failed += 1
        if content != null then
          decided match
            case Failing.ToParent if !isTopmost =>
              parent.nn.tellNotice(MessageFailedNotice(this, content, cause))
            case Failing.ToParent | Failing.Park =>
              system.park(Parked(this, content, cause, described))
            case _ => ()

  /** Whether its parent is the system's guardian. */
  private def isTopmost: Boolean = parent == null || parent.parent == null

  private[actor] def childFailed(cause: Throwable): Unit =
    if state == State.Running then fail(cause)

  private[actor] def linkBroken(cause: Throwable): Unit =
    if state == State.New || state == State.Running then fail(cause)

  private def fail(cause: Throwable): Unit =
    var concerned: Supervisor | Null = null
    var pause = 0L
    val wanted =
      try
        val own = supervisor
        if own != null then concerned = own.of(cause)
        if concerned == null then Supervision.Stop
        else decided(concerned.nn.decide(cause), "supervised")
      catch
        case other: Throwable =>
          addSuppressed(cause, other)
          Supervision.Stop
    val decision = wanted match
      case Supervision.Resume if state == State.Starting || inbox != null => Supervision.Stop
      case Supervision.Restart(limit, within) =>
        val may = concerned.nn.mayRestart(limit, within.toNanos, system.clock.nanos)
        if may then wanted else Supervision.Stop
      case backoff: Supervision.Backoff =>
        pause = concerned.nn.pause(backoff, system.clock.nanos, system.engine.random())
        if pause >= 0 then wanted else Supervision.Stop
      case Supervision.RestartAll(limit, within) =>
        if mayRestartTogether(limit, within.toNanos) then wanted else Supervision.Escalate
      case Supervision.RestartRest(limit, within) =>
        if mayRestartTogether(limit, within.toNanos) then wanted else Supervision.Escalate
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
        case Supervision.RestartAll(_, _)  => beginTogether(concerned.nn, onlyRest = false)
        case Supervision.RestartRest(_, _) => beginTogether(concerned.nn, onlyRest = true)
        case _                             => beginRestart(concerned, pause)
  end fail

  // ---- restarting with others: see [[Regroup]]

  private def mayRestartTogether(limit: Int, withinNanos: Long): Boolean =
    parent.nn.ownFamily().mayRestart(limit, withinNanos, system.clock.nanos)

  private def beginTogether(concerned: Supervisor, onlyRest: Boolean): Unit =
    ownSide().isHalted = true
    beginRestart(concerned, 0)
    val above = parent.nn
    if above.pushCommand(Command.Together(this, onlyRest)) then above.wake()

  /** Has other children begin anew with one that failed. The parent's. */
  private[actor] def regroup(failed: Cell[?], onlyRest: Boolean): Unit =
    if state == State.Running then
      val own = ownSide()
      val group = own.regroup match
        case null => Regroup()
        case some => some
      own.regroup = group
      group.include(this, failed, onlyRest)

  private[actor] def regroupAnswered(number: Int): Unit =
    val group = ownSide().regroup
    if group != null && state == State.Running then group.answered(this, number)

  /** Answers a parent, which is this one. Any thread. */
  private[actor] def answer(number: Int): Unit =
    if pushCommand(Command.Answered(number)) then wake()

  private[actor] def halt(number: Int): Unit =
    val own = ownSide()
    own.owed = number
    own.isHalted = true
    if state == State.Running then
      beginRestart(if supervisor == null then null else supervisor.nn.outermost, 0)
    else if state == State.New || state == State.Paused then
      state = State.Paused
      answerOwed()

  private[actor] def beginAsked(number: Int): Unit =
    val own = ownSide()
    own.owed = number
    own.isHalted = false
    if state == State.Paused then
      state = State.New
      unwrap()
    else if state == State.Running then answerOwed()

  private def answerOwed(): Unit =
    val own = side
    if own != null && own.owed != 0 then
      val number = own.owed
      own.owed = 0
      parent.nn.answer(number)

  /** It has begun: it takes messages. */
  protected final def begun(): Unit =
    java.lang.invoke.VarHandle.releaseFence() // for who asks whether it seems idle
    state = State.Running
    answerOwed()

  // ---- restarting

  /** Begins anew with what a supervisor is around, or with all that it was spawned with. */
  private def beginRestart(concerned: Supervisor | Null, pauseNanos: Long): Unit =
    state = State.Restarting
    tellSignal(Signal.PreRestart)
    val own = ownSide()
    own.restarts += 1
    own.pauseNanos = pauseNanos
    if own.timers != null then own.timers.nn.cancelAll()
    supervisor = concerned
    behavior =
      if concerned == null then spawnedAs else concerned.first.asInstanceOf[Behavior[T]]
    if family == null || family.nn.stopAll(forGood = false) then beginAnew()

  private def beginAnew(): Unit =
    val own = ownSide()
    val pause = own.pauseNanos
    if own.isHalted then
      state = State.Paused
      answerOwed()
    else if pause == 0 then
      state = State.New
      unwrap()
    else
      state = State.Paused
      val _ = system.clock.schedule(
        pause,
        () => if pushCommand(Command.PauseOver()) then wake()
      )

  private[actor] def pauseOver(): Unit =
    if state == State.Paused && !ownSide().isHalted then
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
        bury(shown(slotInHand))
        Worker.here(this).slots.give(slotInHand, Slot.sizeOf(slotInHand))
      else bury(message)
      countOtherRelease()
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
      own.foreachLink(tellLink)
    runner.stopped(this)
    system.stopped(this)
    val above = parent
    if above != null && above.ownFamily().remove(this) then
      if above.pushCommand(Command.Childless()) then above.wake()
    answerOwed()
  end finish

  /** Tells one that is linked to it that it has stopped. Any thread, once it has. */
  private[actor] def tellLink(other: Cell[?]): Unit =
    val cause = stopCause
    val command =
      if cause == null then Command.Unlink(this) else Command.LinkBroken(this, cause)
    if other.pushCommand(command) then other.wake()

  /** Has a behaviour handle a signal: there is no message in hand meanwhile. */
  private[actor] final def signalTo(of: Behavior[T], signal: Signal): Behavior[T] =
    val before = hasNoMessage
    hasNoMessage = true
    try of.signal(signal)
    finally hasNoMessage = before

  private def tellSignal(signal: Signal): Unit =
    try
      val _ = signalTo(behavior, signal)
    catch
      case cause: Throwable => system.report(Event.Failed(this, cause, Supervision.Resume))
end Life
