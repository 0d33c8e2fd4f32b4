package undercroft.actor
package internal.cell

import internal.dispatch.CountedSwitch
import java.util.concurrent.atomic.AtomicReference

/** Carries a context from the send of a message to its handler, for a module of traces.
  * Thread-safe; its methods must not throw, and must not wait.
  */
private[undercroft] trait MessageTracer:
  /** The context of a message that this thread is about to send; null to send it without. */
  def sent(): AnyRef | Null

  /** The context of a message that the runtime sends now because of `context`: of a timer, or of a
    * signal. If `isRepeated`, further ones follow, so that each begins a trace of its own that
    * refers to the context.
    */
  def renewed(context: AnyRef, isRepeated: Boolean): AnyRef

  /** The context of this thread as text for another process, or null if there is none. */
  def outgoing(): String | Null

  /** Runs `send`, once, in a context that another process wrote by [[outgoing]]. The text may be
    * forged; an unreadable one is as none. Throws only what `send` throws.
    */
  def incoming(text: String, send: Runnable): Unit

  /** An actor begins to handle a message that was sent in this context. Called on the actor's
    * thread. The result is passed to `end`, on the same thread.
    */
  def begin(actor: ActorRef[Nothing], message: AnyRef, context: AnyRef): AnyRef

  /** The handler has ended: by an exception, unless `failure` is null. */
  def end(handling: AnyRef, outcome: HandlerOutcome, failure: Throwable | Null): Unit

  /** A message that was sent in this context became a dead letter before a handler had it. */
  def lost(
      actor: ActorRef[Nothing],
      message: AnyRef,
      context: AnyRef,
      reason: DeadLetterReason
  ): Unit
end MessageTracer

/** The end of a handler, for a [[MessageTracer]]. */
private[undercroft] enum HandlerOutcome derives CanEqual:
  case Handled, Stashed, Unhandled, Cancelled, Failed

/** The tracer of one system. Thread-safe.
  *
  * Only actors that are spawned while there is a tracer are traced: their messages are queued in an
  * envelope with the context, so they are neither handed off directly nor stored in slots.
  */
private[undercroft] final class Tracing:
  private val present = AtomicReference[MessageTracer | Null](null)

  def tracer: MessageTracer | Null = present.get

  /** Sets the tracer. Returns false if there is one. */
  def begin(tracer: MessageTracer): Boolean =
    Tracing.use()
    present.compareAndSet(null, tracer)

  /** Removes the tracer, if it is this one. */
  def end(tracer: MessageTracer): Unit = present.compareAndSet(tracer, null): Unit
end Tracing

private[actor] object Tracing:
  private val switch = CountedSwitch()
  private val invoker = switch.invoker

  /** Whether any system of this process had a tracer. A constant to the JIT compiler: until then
    * the checks of an actor's tracing are not in the compiled code.
    */
  def isUsed: Boolean = invoker.invokeExact().asInstanceOf[Boolean]

  private def use(): Unit = synchronized(if !isUsed then switch.want(true))
