package undercroft.actor
package internal.cell

import internal.dispatch.{Dispatcher, Worker}
import internal.mailbox.MessageSlot

/** The lifecycle of an actor: failure, restart and stop. docs/design/0009 draws the states. Owner
  * thread only.
  */
private[actor] abstract class Lifecycle[T](
    system: ActorSystem,
    parent: ActorCell[?] | Null,
    runner: Dispatcher,
    start: Behavior[T],
    box: Mailbox,
    number: Long
) extends DeadLetters[T](system, parent, runner, start, box, number):
  this: ActorCell[T] =>

  private var spawnedAs = start
  private[actor] final def isProcess: Boolean = Behavior.isProcess(spawnedAs)
  private var supervisor: Supervisor | Null = null

  /** The inbox of a process. */
  protected final var inbox: Inbox[T] | Null = null

  /** Unwraps the supervision layers of the behavior. */
  protected final def unwrap(): Unit =
    while behavior.isInstanceOf[Behavior.Supervised[?]] do
      val layer = behavior.asInstanceOf[Behavior.Supervised[T]]
      supervisor = Supervisor(layer.decide, layer.inner, supervisor, layer.failing)
      behavior = layer.inner

  /** Removes all supervision, before a behavior with its own is installed. */
  protected final def forgetSupervision(): Unit = supervisor = null

  // ---- failure

  /** A handler failed, with a message, or without one if `message` is null. */
  protected final def failedWith(cause: Throwable, message: AnyRef | Null): Unit =
    Dispatcher.surely(decideAbout(cause, message))

  private def decideAbout(cause: Throwable, message: AnyRef | Null): Unit =
    val coldState = ownSide()
    if coldState.stash != null then coldState.stash.nn.forget()
    val rule = if message == null then null else ruleOf(cause)
    if rule == null then
      fail(cause)
      if message != null then coldState.failed += 1
    else
      // The rule describes the actor's present state, so evaluate it before the restart.
      val (outcome, stateText) = (rule.wanted(cause), rule.state)
      fail(cause)
      settle(message.nn, cause, outcome, stateText)

  /** The rule for messages that failed with `cause`, or null. */
  protected final def ruleOf(cause: Throwable): MessageFailureRule | Null =
    val currentSupervisor = supervisor
    try if currentSupervisor == null then null else currentSupervisor.ruleOf(cause)
    catch
      case failure: Throwable =>
        addSuppressed(cause, failure)
        null

  /** Applies the decision about a failed message. */
  private def settle(
      message: AnyRef,
      cause: Throwable,
      outcome: MessageFailure,
      stateText: String
  ): Unit =
    val coldState = ownSide()
    val failures = RetriedMessage.failures(message) + 1
    val keptMessage = InternalMessage.kept(message)
    val content = if keptMessage == null then null else InternalMessage.shown(keptMessage)
    outcome.after(failures, mayRetry = keptMessage != null && state < State.Stopping) match
      case MessageFailure.Retry(_, _) =>
        coldState.ownStash().putNext(RetriedMessage(keptMessage.nn, failures))
      case decided =>
        coldState.failed += 1
        if content != null then
          decided match
            case MessageFailure.ToParent if !isTopmost =>
              parent.nn.tellNotice(ChildMessageFailed(this, content, cause))
            case MessageFailure.ToParent | MessageFailure.Park =>
              system.park(ParkedMessage(this, content, cause, stateText))
            case _ => ()
  end settle

  /** Whether its parent is the system's guardian. */
  private def isTopmost: Boolean = parent == null || parent.parent == null

  private[actor] def childFailed(cause: Throwable): Unit =
    if state == State.Running then fail(cause)

  private[actor] def linkBroken(cause: Throwable): Unit =
    if state == State.New || state == State.Running then fail(cause)

  private def fail(cause: Throwable): Unit =
    var concerned: Supervisor | Null = null
    var pause = 0L
    val directive =
      try
        val currentSupervisor = supervisor
        if currentSupervisor != null then concerned = currentSupervisor.of(cause)
        if concerned == null then Supervision.Stop
        else decided(concerned.nn.decide(cause), "supervised")
      catch
        case failure: Throwable =>
          addSuppressed(cause, failure)
          Supervision.Stop
    val decision = directive match
      case Supervision.Resume if state == State.Starting || inbox != null => Supervision.Stop
      case Supervision.Restart(limit, within) =>
        val may = concerned.nn.mayRestart(limit, within.toNanos, system.clock.nanos)
        if may then directive else Supervision.Stop
      case backoff: Supervision.Backoff =>
        pause = concerned.nn.pause(backoff, system.clock.nanos, system.engine.random())
        if pause >= 0 then directive else Supervision.Stop
      case Supervision.RestartAll(limit, within) =>
        if mayRestartTogether(limit, within.toNanos) then directive else Supervision.Escalate
      case Supervision.RestartRest(limit, within) =>
        if mayRestartTogether(limit, within.toNanos) then directive else Supervision.Escalate
      case directive => directive
    system.report(ActorEvent.Failed(this, cause, decision))
    if state < State.Stopping then
      decision match
        case Supervision.Resume => ()
        case Supervision.Stop   => beginStop(cause)
        case Supervision.Escalate =>
          val above = parent
          if above != null && above.pushCommand(SystemMessage.ChildFailed(this, cause)) then
            above.wake()
          beginStop(cause)
        case Supervision.RestartAll(_, _)  => beginTogether(concerned.nn, onlyRest = false)
        case Supervision.RestartRest(_, _) => beginTogether(concerned.nn, onlyRest = true)
        case _                             => beginRestart(concerned, pause)
  end fail

  // ---- group restart: see [[GroupRestart]]

  private def mayRestartTogether(limit: Int, withinNanos: Long): Boolean =
    parent.nn.ownFamily().mayRestart(limit, withinNanos, system.clock.nanos)

  private def beginTogether(concerned: Supervisor, onlyRest: Boolean): Unit =
    ownSide().isHalted = true
    beginRestart(concerned, 0)
    val above = parent.nn
    if above.pushCommand(SystemMessage.RestartGroup(this, onlyRest)) then above.wake()

  /** Restarts other children together with a failed one. Called on the parent. */
  private[actor] def regroup(failed: ActorCell[?], onlyRest: Boolean): Unit =
    if state == State.Running then
      val coldState = ownSide()
      val group = coldState.regroup match
        case null  => GroupRestart()
        case group => group
      coldState.regroup = group
      group.include(this, failed, onlyRest)

  private[actor] def regroupAnswered(number: Int): Unit =
    val group = ownSide().regroup
    if group != null && state == State.Running then group.answered(this, number)

  /** Answers this actor as the parent of a group. Thread-safe. */
  private[actor] def answer(number: Int): Unit =
    if pushCommand(SystemMessage.Answered(number)) then wake()

  private[actor] def halt(number: Int): Unit =
    val coldState = ownSide()
    coldState.owed = number
    coldState.isHalted = true
    if state == State.Running then
      beginRestart(if supervisor == null then null else supervisor.nn.outermost, 0)
    else if state == State.New || state == State.Paused then
      state = State.Paused
      answerOwed()

  private[actor] def beginAsked(number: Int): Unit =
    val coldState = ownSide()
    coldState.owed = number
    coldState.isHalted = false
    if state == State.Paused then
      state = State.New
      unwrap()
    else if state == State.Running then answerOwed()

  private def answerOwed(): Unit =
    val coldState = side
    if coldState != null && coldState.owed != 0 then
      val number = coldState.owed
      coldState.owed = 0
      Dispatcher.surely(parent.nn.answer(number))

  /** Startup is complete: it accepts messages. */
  protected final def begun(): Unit =
    java.lang.invoke.VarHandle.releaseFence() // for readers of `seemsIdle`
    state = State.Running
    answerOwed()

  // ---- restart

  /** Restarts with the behavior inside the supervisor `concerned`, or with the spawned one if null.
    */
  private def beginRestart(concerned: Supervisor | Null, pauseNanos: Long): Unit =
    state = State.Restarting
    tellSignal(Signal.PreRestart)
    val coldState = ownSide()
    coldState.restarts += 1
    coldState.pauseNanos = pauseNanos
    if coldState.timers != null then coldState.timers.nn.cancelAll()
    supervisor = concerned
    behavior =
      if concerned == null then spawnedAs else concerned.first.asInstanceOf[Behavior[T]]
    if isWithoutChildren(forGood = false) then beginAnew()

  /** Stops the children. Returns whether there are none. */
  private def isWithoutChildren(forGood: Boolean): Boolean =
    var isDone = family == null
    if family != null then Dispatcher.surely { isDone = family.nn.stopAll(forGood) }
    isDone

  private def beginAnew(): Unit =
    val coldState = ownSide()
    val pause = coldState.pauseNanos
    if coldState.isHalted then
      state = State.Paused
      answerOwed()
    else if pause == 0 then
      state = State.New
      unwrap()
    else
      state = State.Paused
      val _ = system.clock.schedule(
        pause,
        () => if pushCommand(SystemMessage.PauseOver()) then wake()
      )

  private[actor] def pauseOver(): Unit =
    if state == State.Paused && !ownSide().isHalted then
      state = State.New
      unwrap()

  // ---- stop

  private[actor] def beginStop(cause: Throwable | Null): Unit =
    if state < State.Stopping then
      state = State.Stopping
      if cause != null then Dispatcher.surely { ownSide().stopCause = cause }
      if side != null && side.nn.timers != null then
        Dispatcher.surely(side.nn.timers.nn.cancelAll())
      if isWithoutChildren(forGood = true) then state = State.Ending

  private[actor] def childless(): Unit =
    if state == State.Stopping then state = State.Ending
    else if state == State.Restarting then beginAnew()

  protected final def finish(): Unit =
    tellSignal(Signal.PostStop)
    state = State.Stopped
    val coldState = side
    if coldState != null && coldState.timers != null then
      Dispatcher.surely(coldState.timers.nn.cancelAll())
    buryMail()
    if coldState != null then
      if coldState.stash != null then Dispatcher.surely(coldState.stash.nn.empty(deadLetter))
      Dispatcher.surely(coldState.failAsks(name))
      if coldState.waiters != null then Dispatcher.surely(coldState.waiters.nn.release(this))
    refuseCommands()
    if coldState != null then
      Dispatcher.surely(coldState.foreachWatcher(tellTerminated))
      Dispatcher.surely(coldState.foreachLink(tellLink))
      coldState.foreachWatched: watched =>
        Dispatcher.surely {
          if watched.pushCommand(SystemMessage.Unwatch(this)) then watched.wake()
        }
    runner.stopped(this)
    Dispatcher.surely(system.stopped(this))
    leaveFamily()
    answerOwed()
    release()
  end finish

  /** Closes the mailbox; all waiting messages become dead letters, in their order. */
  private def buryMail(): Unit =
    var late = closeMail()
    val windowed = closeWindow()
    var message = poll()
    while message ne null do
      if message eq MessageSlot.Mark then
        deadLetter(shown(slotInHand))
        Worker.here(this).slots.give(slotInHand, MessageSlot.sizeOf(slotInHand))
      else deadLetter(message)
      countOtherRelease()
      message = poll()
    while late != null do
      val last = late.message
      late.message = null
      late = late.next
      if last != null then
        deadLetter(last)
        countOtherRelease()
    while windowed != null && !windowed.isEmpty do
      countSentRelease()
      deadLetter(windowed.poll)
      countOtherRelease()
  end buryMail

  private def refuseCommands(): Unit =
    var remaining = takeCommands(SystemMessage.Closed)
    while remaining != null do
      val command = remaining
      remaining = command.next
      Dispatcher.surely(command.tooLate(this))

  private def tellTerminated(watcher: ActorCell[?]): Unit =
    Dispatcher.surely(watcher.tellNotice(TerminatedMessage(this, stopCause)))

  private def leaveFamily(): Unit =
    val above = parent
    if above != null && above.ownFamily().remove(this) then
      Dispatcher.surely { if above.pushCommand(SystemMessage.Childless()) then above.wake() }

  /** Undoes a spawn if no thread could be started; only its parent knows the actor. Called by the
    * spawning thread.
    */
  private[actor] def withdraw(): Unit =
    state = State.Stopped
    val _ = closeMail()
    refuseCommands()
    leaveFamily()

  /** Releases behaviors and tables, so that a reference to a stopped actor retains none of its
    * state.
    */
  private def release(): Unit =
    behavior = Behavior.stopped
    spawnedAs = Behavior.stopped
    supervisor = null
    releaseMail()
    val coldState = side
    if coldState != null then coldState.release()

  /** Notifies a linked actor that this one has stopped. Thread-safe, once it has stopped. */
  private[actor] def tellLink(peer: ActorCell[?]): Unit =
    val cause = stopCause
    Dispatcher.surely:
      val command =
        if cause == null then SystemMessage.Unlink(this) else SystemMessage.LinkBroken(this, cause)
      if peer.pushCommand(command) then peer.wake()

  /** Lets a behavior handle a signal; there is no current message meanwhile. */
  private[actor] final def signalTo(of: Behavior[T], signal: Signal): Behavior[T] =
    val before = hasNoMessage
    hasNoMessage = true
    try of.signal(signal)
    finally hasNoMessage = before

  private def tellSignal(signal: Signal): Unit =
    try
      val _ = signalTo(behavior, signal)
    catch
      case cause: Throwable =>
        Dispatcher.surely(system.report(ActorEvent.Failed(this, cause, Supervision.Resume)))
end Lifecycle
