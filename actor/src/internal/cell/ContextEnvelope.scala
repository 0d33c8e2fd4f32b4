package undercroft.actor
package internal.cell

/** A message with the context in which it was sent, for the tracer of the system. */
private[actor] final class ContextEnvelope(sent: AnyRef, val context: AnyRef, to: ActorCell[?])
    extends Envelope(sent):

  override def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val inbox = cell.inbox
    val tracer = cell.system.tracing.tracer
    if inbox != null then
      inbox.caughtContext = context
      super.deliver(cell, behavior)
    else if tracer == null then super.deliver(cell, behavior)
    else ContextEnvelope.traced(cell, tracer, content, context)(super.deliver(cell, behavior))

  private def content: AnyRef = InternalMessage.shown(message) match
    case null    => message
    case content => content

  override def tooLate(reason: DeadLetterReason): Unit =
    super.tooLate(reason)
    val wasHandled =
      reason == DeadLetterReason.Unhandled || reason == DeadLetterReason.Cancelled
    val tracer = to.system.tracing.tracer
    if tracer != null && !wasHandled then tracer.lost(to, content, context, reason)

  override def kept: AnyRef | Null = InternalMessage.kept(message) match
    case null    => null
    case content => around(content)
  override def aside: AnyRef = around(InternalMessage.aside(message))

  private def around(content: AnyRef): ContextEnvelope =
    if content eq message then this else ContextEnvelope(content, context, to)
end ContextEnvelope

private[actor] object ContextEnvelope:
  /** Wraps a message that this thread is about to send, if the system's tracer wants it. */
  def sent(cell: ActorCell[?], message: AnyRef): AnyRef = wrapped(cell, message, context(cell))

  /** The context of this thread for a message to a traced actor; null if there is none. */
  def context(cell: ActorCell[?]): AnyRef | Null =
    val tracer = cell.system.tracing.tracer
    if tracer == null then null else tracer.sent()

  /** Wraps a message with a context that was captured before, unless it is null. */
  def wrapped(cell: ActorCell[?], message: AnyRef, context: AnyRef | Null): AnyRef =
    if context eq null then message else ContextEnvelope(message, context, cell)

  /** The context of a message that the runtime sends to a traced actor now because of `context`. */
  def renewed(cell: ActorCell[?], context: AnyRef | Null, isRepeated: Boolean): AnyRef | Null =
    val tracer = cell.system.tracing.tracer
    if tracer == null || (context eq null) then null else tracer.renewed(context, isRepeated)

  /** Delivers a user message of the runtime, in a context if there is one. */
  def deliver[T](
      cell: ActorCell[T],
      behavior: Behavior[T],
      message: AnyRef,
      context: AnyRef | Null
  ): Behavior[T] = wrapped(cell, message, context) match
    case envelope: ContextEnvelope => envelope.deliver(cell, behavior)
    case _                         => behavior.receive(message.asInstanceOf[T])

  /** Runs the handler of a message or signal within a span. */
  def traced[T](cell: ActorCell[T], tracer: MessageTracer, content: AnyRef, context: AnyRef)(
      handle: => Behavior[T]
  ): Behavior[T] =
    val handling = tracer.begin(cell, content, context)
    val next =
      try handle
      catch
        case cause: Throwable =>
          SignalContext.note(cell, tracer.sent())
          tracer.end(handling, HandlerOutcome.Failed, cause)
          throw cause
    if next eq Behavior.stopped then SignalContext.note(cell, tracer.sent())
    tracer.end(handling, outcome(cell, next), null)
    next

  private def outcome(cell: ActorCell[?], next: Behavior[?]): HandlerOutcome =
    val stash = cell.stashOrNull
    if stash != null && stash.wantsThis then HandlerOutcome.Stashed
    else if next eq Behavior.unhandled then HandlerOutcome.Unhandled
    else if next eq Behavior.skipped then HandlerOutcome.Cancelled
    else HandlerOutcome.Handled
end ContextEnvelope

/** The contexts of signals, for the tracer of a system: a signal is handled below the message that
  * stopped or restarted an actor. All of it does nothing for actors that are not traced. Owner
  * thread only, unless stated otherwise.
  */
private[actor] object SignalContext:

  /** The context in which this thread stops `cell`: of any thread. */
  def here(cell: ActorCell[?]): AnyRef | Null =
    if Tracing.isUsed && cell.isTraced then ContextEnvelope.context(cell) else null

  /** Keeps the context of the message that stops or restarts the actor, unless it is null. */
  def note(cell: ActorCell[?], context: AnyRef | Null): Unit =
    if context ne null then cell.coldState().signalContext = context

  /** Keeps the context of this thread, if none is kept. */
  def ensure(cell: ActorCell[?]): Unit = if of(cell) eq null then note(cell, here(cell))

  /** The actor continues. */
  def forget(cell: ActorCell[?]): Unit =
    val coldState = cell.coldStateOrNull
    if coldState != null then coldState.signalContext = null

  /** The context that is kept, or null. */
  def of(cell: ActorCell[?]): AnyRef | Null =
    val coldState = cell.coldStateOrNull
    if coldState == null then null else coldState.signalContext

  /** The context of a message to `receiver` about the end of `stopped`. */
  def passedOn(stopped: ActorCell[?], receiver: ActorCell[?]): AnyRef | Null =
    if !(Tracing.isUsed && receiver.isTraced) then null
    else
      of(stopped) match
        case null    => ContextEnvelope.context(receiver)
        case context => ContextEnvelope.renewed(receiver, context, isRepeated = false)

  /** Lets a behavior handle a signal, within a span if it has a handler for it. */
  def handle[T](
      cell: ActorCell[T],
      behavior: Behavior[T],
      signal: Signal,
      context: AnyRef | Null
  ): Behavior[T] =
    val tracer = cell.system.tracing.tracer
    if tracer == null || (context eq null) || !behavior.handles(signal) then behavior.signal(signal)
    else ContextEnvelope.traced(cell, tracer, signal, context)(behavior.signal(signal))
end SignalContext
