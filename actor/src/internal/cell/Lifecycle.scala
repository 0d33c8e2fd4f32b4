package undercroft.actor
package internal.cell

import internal.mailbox.{MessageQueue, Waiters}

/** The lifecycle of an actor: start, restart and stop. [[State]] and docs/design/0009 have the
  * states. Owner thread only.
  */
private[actor] object Lifecycle:

  // ---- start

  /** Unwraps the first behavior; runs no user code. Called by the spawning thread. */
  def prepare[T](cell: ActorCell[T], name: String): Unit =
    if !name.isEmpty then cell.coldState().name = name
    if cell.mailbox.overflow == Overflow.Backpressure then cell.coldState().waiters = Waiters()
    FaultHandling.unwrap(cell)
    MessageQueue.acceptSlots(cell, cell.behavior)
    if Behavior.isReady(cell.behavior) then cell.state = State.Running

  /** Runs the setup of the first behavior. */
  def start[T](cell: ActorCell[T]): Unit =
    cell.state = State.Starting
    cell.isProcess = Behavior.isProcess(cell.spawnedAs)
    try install(cell, cell.behavior)
    catch
      case cause: Throwable =>
        val inbox = cell.inbox
        val message = if inbox == null then null else inbox.current
        if cause ne Inbox.Leave then FaultHandling.failed(cell, cause, message)
        if cell.inbox != null then
          cell.inbox.nn.end(isHandled = false, if cause eq Inbox.Leave then null else cause)
    val wasProcess = cell.inbox != null
    cell.inbox = null
    if cell.state == State.Starting then endStart(cell)
    else if cell.state == State.Restarting && wasProcess then endIncarnation(cell)
    cell.isAtWork = false

  /** Startup is complete: the actor accepts messages. */
  def endStart(cell: ActorCell[?]): Unit =
    java.lang.invoke.VarHandle.releaseFence() // for readers of `CellDiagnostics.isQuiescent`
    cell.state = State.Running
    GroupRestart.answerParent(cell)

  /** Installs the next behavior. */
  def install[T](cell: ActorCell[T], first: Behavior[T]): Unit =
    val next = if isEvaluated(first) then first else evaluated(cell, first)
    if next eq Behavior.stopped then beginStop(cell, null)
    else
      cell.behavior = next
      MessageQueue.acceptSlots(cell, next)
      val stash = cell.stashOrNull
      if stash != null && stash.wantsBack then stash.bringBack() // a setup requested it

  private def isEvaluated(behavior: Behavior[?]): Boolean =
    Behavior.isReady(behavior) || (behavior eq Behavior.stopped)

  /** Evaluates any number of nested setups. */
  private def evaluated[T](cell: ActorCell[T], first: Behavior[T]): Behavior[T] =
    var next = first
    cell.isEvaluating = true
    while !isEvaluated(next) do
      next match
        case setup: Behavior.Setup[T @unchecked] =>
          cell.hasNoMessage = true
          try next = setup.make(ActorContext(cell))
          finally cell.hasNoMessage = false
        case process: Behavior.Process[T @unchecked]
            if cell.state == State.Starting && cell.runner.keepsThread =>
          Inbox.run(cell, process)
          next = Behavior.stopped
        case _: Behavior.Process[?] =>
          throw IllegalStateException(s"${cell.name} cannot become a process: spawn the process")
        case _: Behavior.Supervised[?] =>
          next = FaultHandling.unwrapped(cell, next)
        case _ =>
          throw IllegalStateException(
            s"the setup of ${cell.name} ended in ${Behavior.named(next)}, which is not a behavior"
          )
    end while
    cell.isEvaluating = false
    next
  end evaluated

  // ---- restart

  /** Restarts with the behavior inside the supervisor `concerned`, or with the spawned one if null.
    * A process first leaves its body: then [[start]] continues the restart.
    */
  def beginRestart[T](cell: ActorCell[T], concerned: Supervisor | Null, pauseNanos: Long): Unit =
    cell.state = State.Restarting
    SignalContext.ensure(cell)
    signalRestartOrStop(cell, Signal.PreRestart)
    val coldState = cell.coldState()
    coldState.restarts += 1
    coldState.pauseNanos = pauseNanos
    // Already now: a child may stop while a process leaves its body.
    DeathWatch.unwatchChildren(cell)
    cell.supervisor = concerned
    cell.behavior =
      if concerned == null then cell.spawnedAs else concerned.first.asInstanceOf[Behavior[T]]
    if cell.inbox == null then endIncarnation(cell)

  /** Cancels the timers and stops the children of an actor that restarts. */
  private def endIncarnation(cell: ActorCell[?]): Unit =
    cancelTimers(cell)
    DeathWatch.unwatchChildren(cell)
    val isWithout = isWithoutChildren(cell, forGood = false)
    SignalContext.forget(cell)
    if isWithout then endRestart(cell)

  /** Stops the children. Returns whether there are none. */
  private def isWithoutChildren(cell: ActorCell[?], forGood: Boolean): Boolean =
    val family = cell.familyOrNull
    family == null || family.stopAll(forGood, cell)

  private def endRestart(cell: ActorCell[?]): Unit =
    val coldState = cell.coldState()
    val pause = coldState.pauseNanos
    if coldState.isHalted then
      cell.state = State.Paused
      GroupRestart.answerParent(cell)
    else if pause == 0 then renew(cell)
    else
      cell.state = State.Paused
      coldState.pauseNumber += 1
      val number = coldState.pauseNumber
      val _ = cell.system.clock.schedule(
        pause,
        () => cell.tellSystem(PauseOver(number)): Unit
      )

  /** Returns to the state before the start. */
  def renew(cell: ActorCell[?]): Unit =
    cell.state = State.New
    cell.isEvaluating = false
    FaultHandling.unwrap(cell)
    FaultHandling.failByLink(cell)

  // ---- stop

  def beginStop(cell: ActorCell[?], cause: Throwable | Null): Unit =
    if cell.state < State.Stopping then
      cell.state = State.Stopping
      SignalContext.ensure(cell)
      if cause != null then cell.coldState().stopCause = cause
      cancelTimers(cell)
      if isWithoutChildren(cell, forGood = true) then cell.state = State.Ending

  private def cancelTimers(cell: ActorCell[?]): Unit =
    val coldState = cell.coldStateOrNull
    if coldState != null && coldState.timers != null then coldState.timers.nn.cancelAll()

  /** Ends the actor, in its last turn. */
  def finish(cell: ActorCell[?]): Unit =
    cell.endInterruptions()
    signalRestartOrStop(cell, Signal.PostStop)
    cell.state = State.Stopped
    cancelTimers(cell)
    MessageQueue.close(cell)
    val coldState = cell.coldStateOrNull
    if coldState != null then
      if coldState.stash != null then
        coldState.stash.nn.empty(endStashed(cell, _, DeadLetterReason.Stopped))
      coldState.failAsks(cell.name)
      if coldState.waiters != null then coldState.waiters.nn.release(cell)
    SystemMessage.rejectAll(cell)
    DeathWatch.notifyAll(cell)
    cell.system.stopped(cell)
    leaveFamily(cell)
    GroupRestart.answerParent(cell)
    release(cell)
    cell.system.stopFutures.complete(cell)
    if cell.parent == null then cell.system.engine.end() // last: an error before it is fatal
  end finish

  /** Completes a stashed message that is not handled. */
  def endStashed(cell: ActorCell[?], message: AnyRef, reason: DeadLetterReason): Unit =
    message match
      case retried: RetriedMessage => FaultHandling.giveUp(cell, retried)
      case _                       => DeadLetters.add(cell, message, reason)

  private def leaveFamily(cell: ActorCell[?]): Unit =
    val parent = cell.parent
    if parent != null && parent.family().remove(cell) then
      parent.tellSystem(Childless()): Unit

  /** Undoes a spawn if no thread could be started; only its parent knows the actor. Called by the
    * spawning thread.
    */
  def withdraw(cell: ActorCell[?]): Unit =
    cell.state = State.Stopped
    val _ = cell.closeInbound()
    SystemMessage.rejectAll(cell)
    leaveFamily(cell)

  /** Releases behaviors and tables, so that a reference to a stopped actor retains none of its
    * state.
    */
  private def release[T](cell: ActorCell[T]): Unit =
    cell.behavior = Behavior.stopped
    cell.spawnedAs = Behavior.stopped
    cell.supervisor = null
    MessageQueue.release(cell)
    val coldState = cell.coldStateOrNull
    if coldState != null then coldState.release()

  // ---- signals

  /** Lets a behavior handle a signal; there is no current message meanwhile. */
  def signal[T](
      cell: ActorCell[T],
      behavior: Behavior[T],
      signal: Signal,
      context: AnyRef | Null
  ): Behavior[T] =
    val before = cell.hasNoMessage
    cell.hasNoMessage = true
    try SignalContext.handle(cell, behavior, signal, context)
    finally cell.hasNoMessage = before

  private def signalRestartOrStop[T](cell: ActorCell[T], signal: Signal): Unit =
    try
      val _ = Lifecycle.signal(cell, cell.behavior, signal, SignalContext.of(cell))
    catch
      case cause: Throwable =>
        FaultHandling.checkFatal(cell, cause)
        cell.system.report(ActorEvent.Failed(cell, cause, Supervision.Resume))

  // ---- its system messages

  /** Stops the actor; `context` is that of the message that caused it. */
  final class Stop(context: AnyRef | Null) extends SystemMessage:
    override def stopsWork: Boolean = true
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then SignalContext.note(cell, context)
      beginStop(cell, null)

  /** The actor cannot have further turns, because of `cause`. */
  final class StopBy(cause: Throwable) extends SystemMessage:
    override def endsActor: Boolean = true
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then
        cell.system.report(ActorEvent.Failed(cell, cause, Supervision.Stop))
        beginStop(cell, cause)

  /** The last child has stopped; the actor was waiting for that. */
  final class Childless extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state == State.Stopping then cell.state = State.Ending
      else if cell.state == State.Restarting then endRestart(cell)

  /** The delay `number` before a restart has passed; a group restart may have ended it before. */
  final class PauseOver(number: Int) extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      val coldState = cell.coldState()
      if cell.state == State.Paused && !coldState.isHalted && coldState.pauseNumber == number then
        renew(cell)
end Lifecycle

/** Stops an actor after the messages that were sent before, also those that its behavior has
  * stashed: see [[Stash.Keeper]].
  */
private[actor] object StopInOrder extends InternalMessage:
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val stash = cell.stashOrNull
    val keeper = if stash == null then null else stash.keeper
    if keeper == null then Behavior.stopped
    else keeper.stopInOrder().asInstanceOf[Behavior[T]]

  override def isNotice: Boolean = true
  override def toString: String = "a request to stop"
