package undercroft.actor
package internal.cell

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
    else
      val handling = tracer.begin(cell, signal, context)
      val next =
        try behavior.signal(signal)
        catch
          case cause: Throwable =>
            note(cell, tracer.sent())
            tracer.end(handling, HandlerOutcome.Failed, cause)
            throw cause
      val outcome =
        if next eq Behavior.unhandled then HandlerOutcome.Unhandled else HandlerOutcome.Handled
      if next eq Behavior.stopped then note(cell, tracer.sent())
      tracer.end(handling, outcome, null)
      next
  end handle
end SignalContext
