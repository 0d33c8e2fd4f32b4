package undercroft.actor
package internal.cell

import internal.dispatch.{SystemFailure, Worker}

/** Handles failures of an actor's handlers: the supervisor decides about the actor, and a rule
  * about the message. Owner thread only.
  */
private[actor] object FaultHandling:

  /** Unwraps the supervision layers of the behavior. */
  def unwrap[T](cell: ActorCell[T]): Unit = cell.behavior = unwrapped(cell, cell.behavior)

  /** Adds the supervision layers of `behavior` to the cell. Returns the behavior inside them. */
  def unwrapped[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    var inner = behavior
    while inner.isInstanceOf[Behavior.Supervised[?]] do
      val layer = inner.asInstanceOf[Behavior.Supervised[T]]
      cell.supervisor = Supervisor(layer.decide, layer.inner, cell.supervisor, layer.failing)
      inner = layer.inner
    inner

  /** A handler failed, with a message, or without one if `message` is null. */
  def failed(cell: ActorCell[?], cause: Throwable, message: AnyRef | Null): Unit =
    checkFatal(cell, cause)
    if cell.state != State.Stopped then
      handle(cell, cause, message)
      noteInterrupt()

  /** Ends the system if a handler threw an error that is fatal; then this actor handles nothing
    * more. An actor of a system that has ended fails no more.
    */
  def checkFatal(cell: ActorCell[?], cause: Throwable): Unit =
    val failure = cell.system.failure
    if SystemFailure.isFatal(cause) then failure.begin(cause, cell, SystemFailure.Place.Handler)
    if failure.isBegun then cell.state = State.Stopped

  /** If another thread closes shared memory that a handler reads, the JVM makes the access fail and
    * sets the interrupt status of the thread, which the next actor would see.
    */
  private def noteInterrupt(): Unit = Thread.currentThread match
    case worker: Worker if worker.isInterrupted => worker.noteInterrupt()
    case _                                      => ()

  private def handle(cell: ActorCell[?], cause: Throwable, message: AnyRef | Null): Unit =
    val coldState = cell.coldState()
    if coldState.stash != null then coldState.stash.nn.forget()
    if message != null then coldState.touch(message)
    val rule = if message == null then null else ruleOf(cell, cause)
    if rule == null then
      fail(cell, cause)
      if message != null then
        coldState.failed += 1
        val keptMessage = InternalMessage.kept(message)
        InternalMessage.failed(if keptMessage == null then message else keptMessage, cause)
    else
      // The rule describes the actor's present state, so evaluate it before the restart.
      val (outcome, stateText) = withoutMessage(cell)((rule.wanted(cause), rule.state))
      val parent = cell.parent
      val context = if parent == null then null else SignalContext.passedOn(cell, parent)
      val failure = MessageFailureRecord(cause, outcome, stateText, context)
      coldState.isRetrying = outcomeOf(cell, message.nn, failure).isInstanceOf[MessageFailure.Retry]
      try fail(cell, cause)
      finally coldState.isRetrying = false
      settle(cell, message.nn, failure)
  end handle

  /** Runs user code that decides about a failure; there is no current message meanwhile. */
  private inline def withoutMessage[A](cell: ActorCell[?])(inline decision: A): A =
    val before = cell.hasNoMessage
    cell.hasNoMessage = true
    try decision
    finally cell.hasNoMessage = before

  /** The rule for messages that failed with `cause`, or null. */
  def ruleOf(cell: ActorCell[?], cause: Throwable): MessageFailureRule | Null =
    val supervisor = cell.supervisor
    try if supervisor == null then null else withoutMessage(cell)(supervisor.ruleOf(cause))
    catch
      case failure: Throwable =>
        checkFatal(cell, failure)
        addSuppressed(cause, failure)
        null

  /** Applies the decision about a failed message. */
  private def settle(cell: ActorCell[?], message: AnyRef, failure: MessageFailureRecord): Unit =
    val keptMessage = InternalMessage.kept(message)
    outcomeOf(cell, message, failure) match
      case MessageFailure.Retry(_, _) =>
        val failures = RetriedMessage.failures(message) + 1
        cell.coldState().ownStash().putNext(RetriedMessage(keptMessage.nn, failures, failure))
      case decided =>
        cell.coldState().failed += 1
        if keptMessage == null then InternalMessage.failed(message, failure.cause)
        conclude(cell, keptMessage, failure, decided)

  private def outcomeOf(
      cell: ActorCell[?],
      message: AnyRef,
      failure: MessageFailureRecord
  ): MessageFailure =
    val keptMessage = InternalMessage.kept(message)
    val mayRetry =
      keptMessage != null && cell.state < State.Stopping && isRetriable(cell, keptMessage)
    failure.outcome.after(RetriedMessage.failures(message) + 1, mayRetry)

  /** Whether a message can be handled again: a process does not repeat a failed delivery. */
  private def isRetriable(cell: ActorCell[?], keptMessage: AnyRef): Boolean =
    cell.inbox == null || InternalMessage.source(keptMessage) == null

  /** The actor has stopped before it handled a failed message again. */
  def giveUp(cell: ActorCell[?], retried: RetriedMessage): Unit =
    cell.coldState().failed += 1
    val failure = retried.last
    val decided = failure.outcome.after(retried.failures, mayRetry = false)
    conclude(cell, retried.message, failure, decided)

  /** Passes a failed message on, as decided, or drops it. */
  private def conclude(
      cell: ActorCell[?],
      keptMessage: AnyRef | Null,
      failure: MessageFailureRecord,
      decided: MessageFailure
  ): Unit =
    val cause = failure.cause
    val content = if keptMessage == null then null else InternalMessage.shown(keptMessage)
    if content != null then
      decided match
        case MessageFailure.ToParent if !isTopmost(cell) =>
          cell.parent.nn.tellInternal(ChildMessageFailed(cell, content, cause, failure.context))
        case MessageFailure.ToParent | MessageFailure.Park =>
          val stateText = failure.stateText
          cell.system.park(ParkedMessage.of(cell, keptMessage.nn, content, cause, stateText))
          InternalMessage.failed(keptMessage.nn, cause)
        case _ => InternalMessage.failed(keptMessage.nn, cause)
  end conclude

  /** Whether the parent of this actor is the system's guardian. */
  private def isTopmost(cell: ActorCell[?]): Boolean =
    val parent = cell.parent
    parent == null || parent.parent == null

  /** A linked actor has failed. */
  def linkBroken(cell: ActorCell[?], cause: Throwable): Unit =
    if cell.state == State.New || cell.state == State.Running then fail(cell, cause)
    else if cell.state < State.Stopping then
      val coldState = cell.coldState()
      val earlier = coldState.linkFailure
      if earlier == null then coldState.linkFailure = cause else addSuppressed(earlier, cause)

  /** Fails with the failure of a linked actor during the restart, if there was one. */
  def failByLink(cell: ActorCell[?]): Unit =
    val coldState = cell.coldState()
    val cause = coldState.linkFailure
    if cause != null then
      coldState.linkFailure = null
      fail(cell, cause)

  /** Decides about the actor, and applies the decision. */
  private def fail(cell: ActorCell[?], cause: Throwable): Unit =
    if cell.isInterrupted && cell.state < State.Stopping then
      // It was to stop, so this is no failure for its parent, watchers and links.
      cell.system.report(ActorEvent.Failed(cell, cause, Supervision.Stop))
      Lifecycle.beginStop(cell, null)
    else decideAfter(cell, cause)

  private def decideAfter(cell: ActorCell[?], cause: Throwable): Unit =
    val system = cell.system
    var concerned: Supervisor | Null = null
    var pause = 0L
    val directive =
      try
        val supervisor = cell.supervisor
        withoutMessage(cell):
          if supervisor != null then concerned = supervisor.of(cause)
          if concerned == null then Supervision.Stop
          else decided(concerned.nn.decide(cause), "supervised")
      catch
        case failure: Throwable =>
          checkFatal(cell, failure)
          addSuppressed(cause, failure)
          Supervision.Stop
    val decision = directive match
      case Supervision.Resume
          if cell.state == State.Starting || cell.isEvaluating || cell.inbox != null =>
        Supervision.Stop
      case Supervision.Restart(limit, within) =>
        val may = concerned.nn.mayRestart(limit, within.toNanos, system.clock.nanos)
        if may then directive else Supervision.Stop
      case backoff: Supervision.Backoff =>
        val hasStarted = cell.state != State.Starting
        pause = concerned.nn.pause(backoff, system.clock.nanos, system.engine.random(), hasStarted)
        if pause >= 0 then directive else Supervision.Stop
      case group: (Supervision.RestartAll | Supervision.RestartRest) =>
        val family = cell.parent.nn.family()
        val may = family.mayRestart(group.limit, group.within.toNanos, system.clock.nanos)
        if may then directive else Supervision.Escalate
      case directive => directive
    system.report(ActorEvent.Failed(cell, cause, decision))
    if cell.state < State.Stopping then
      decision match
        case Supervision.Resume =>
          SignalContext.forget(cell)
          val stash = cell.stashOrNull
          if stash != null && stash.wantsBack then stash.bringBack() // the decision requested it
        case Supervision.Stop => Lifecycle.beginStop(cell, cause)
        case Supervision.Escalate =>
          val parent = cell.parent
          if parent != null then
            val context = SignalContext.passedOn(cell, parent)
            parent.tellSystem(ChildFailed(cell, cause, context)): Unit
          Lifecycle.beginStop(cell, cause)
        case group: (Supervision.RestartAll | Supervision.RestartRest) =>
          val onlyRest = group.isInstanceOf[Supervision.RestartRest]
          GroupRestart.begin(cell, concerned.nn, onlyRest)
        case _ => Lifecycle.beginRestart(cell, concerned, pause)
  end decideAfter

  /** A child escalated its failure. */
  final class ChildFailed(child: ActorCell[?], cause: Throwable, context: AnyRef | Null)
      extends SystemMessage:
    def apply(cell: ActorCell[?]): Unit =
      if cell.state < State.Stopping then SignalContext.note(cell, context)
      if cell.state == State.Running then fail(cell, ChildFailedException(child.name, cause))
end FaultHandling

/** A failure of a message: its cause, the rule's decision, and the actor's state at that moment.
  *
  * @param context
  *   for the tracer of the parent, or null
  */
private[actor] final class MessageFailureRecord(
    val cause: Throwable,
    val outcome: MessageFailure,
    val stateText: String,
    val context: AnyRef | Null
)

/** A failed message that will be handled again; `last` is its latest failure. */
private[actor] final class RetriedMessage(
    failed: AnyRef,
    override val failures: Int,
    val last: MessageFailureRecord
) extends Envelope(failed):
  override def kept: AnyRef | Null = message

private[actor] object RetriedMessage:
  def failures(message: AnyRef): Int = message match
    case retried: RetriedMessage => retried.failures
    case envelope: Envelope      => failures(envelope.message)
    case notice: InternalMessage => notice.failures
    case _                       => 0

/** Passes a child's failed message to its parent. */
private[actor] final class ChildMessageFailed(
    child: ActorCell[?],
    message: AnyRef,
    failure: Throwable,
    context: AnyRef | Null
) extends InternalMessage:
  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val ref = child.asInstanceOf[ActorRef[Any]]
    Lifecycle.signal(cell, behavior, Signal.MessageFailed(ref, message, failure), context)
  override def shown: AnyRef | Null = message
  override def kept: AnyRef | Null = null
  override def toString: String = s"MessageFailed(${child.name}, $message)"
