package undercroft.actor.opentelemetry
package internal.traces

import internal.metrics.PathCounts
import io.opentelemetry.api.common.AttributeKey
import io.opentelemetry.api.trace.{Span, SpanKind, StatusCode, Tracer}
import io.opentelemetry.context.{Context, Scope}
import io.opentelemetry.context.propagation.TextMapPropagator
import java.util.concurrent.atomic.AtomicBoolean
import undercroft.actor.{ActorRef, DeadLetterReason, nullable}
import undercroft.actor.internal.cell.{HandlerOutcome, MessageTracer}
import undercroft.actor.internal.observe.ActorCounts

/** Starts a span for the handling of each message, below the span in which the message was sent.
  * Thread-safe. A failure of a span processor or sampler changes nothing for the actors; the first
  * one is logged.
  */
private[opentelemetry] final class SpanTracer(
    system: String,
    tracer: Tracer,
    propagator: TextMapPropagator,
    hasRoots: Boolean
) extends MessageTracer:
  import SpanTracer.*
  private val hasFailed = AtomicBoolean()

  def sent(): AnyRef | Null = guarded(null):
    val context = Context.current.nn
    if !hasRoots && (context eq Context.root) then null
    else SentContext(context, System.nanoTime, false)

  def renewed(context: AnyRef, isRepeated: Boolean): AnyRef = context match
    case before: SentContext =>
      guarded(context)(SentContext(before.context, System.nanoTime, isRepeated))
    case _ => context

  def outgoing(): String | Null = guarded(null):
    val context = Context.current.nn
    if context eq Context.root then null
    else
      val text = ContextText()
      propagator.inject(context, text, ContextText.setter)
      text.written

  def incoming(text: String, send: Runnable): Unit =
    val scope = guarded(Scope.noop.nn):
      propagator.extract(
        Context.root,
        ContextText.parse(text),
        ContextText.getter
      ).nn.makeCurrent().nn
    try send.run()
    finally guarded(())(scope.close())

  def begin(actor: ActorRef[Nothing], message: AnyRef, context: AnyRef): AnyRef = context match
    case sent: SentContext =>
      guarded(NoHandling):
        val span = start(actor, message, sent)
        val before = Context.current.nn
        Handling(span, sent.context.`with`(span).nn.makeCurrent().nn, before)
    case _ => NoHandling

  def end(handling: AnyRef, outcome: HandlerOutcome, failure: Throwable | Null): Unit =
    handling match
      case record: Handling =>
        guarded(())(record.leave())
        guarded(()):
          val span = record.span
          if failure != null then fail(span, failure)
          else if outcome != HandlerOutcome.Handled then
            span.setAttribute(Outcome, PathCounts.lower(outcome))
            if outcome == HandlerOutcome.Unhandled then
              span.setStatus(StatusCode.ERROR, "dead letter: unhandled"): Unit
        guarded(())(record.span.end())
      case _ => ()

  /** Marks a span as failed. The methods of the exception may throw, so they are called last. */
  private def fail(span: Span, failure: Throwable): Unit =
    span.setAttribute(ErrorType, failure.getClass.getName)
    span.setStatus(StatusCode.ERROR)
    guarded(())(span.setStatus(StatusCode.ERROR, String.valueOf(failure.getMessage)): Unit)
    guarded(())(span.recordException(failure): Unit)

  def lost(
      actor: ActorRef[Nothing],
      message: AnyRef,
      context: AnyRef,
      reason: DeadLetterReason
  ): Unit = context match
    case sent: SentContext =>
      guarded(()):
        val span = start(actor, message, sent)
        val name = PathCounts.lower(reason)
        span.setAttribute(PathCounts.Reason, name)
        span.setStatus(StatusCode.ERROR, s"dead letter: $name")
        span.end()
    case _ => ()

  /** Starts a span; it is not recorded if the context has no span and there are no roots. */
  private def start(actor: ActorRef[Nothing], message: AnyRef, sent: SentContext): Span =
    val cause = Span.fromContext(sent.context).nn.getSpanContext.nn
    if !hasRoots && !cause.isValid then Span.getInvalid.nn
    else
      val kind = messageType(message)
      val path = ActorCounts.pathOf(actor)
      val name = if path.isEmpty then kind else s"$path $kind"
      val builder = tracer.spanBuilder(name).nn.setSpanKind(SpanKind.INTERNAL).nn
      if sent.isLinked then // a trace of its own, with the baggage of the context
        builder.setParent(sent.context.`with`(Span.getInvalid))
        if cause.isValid then builder.addLink(cause): Unit
      else builder.setParent(sent.context): Unit
      val span = builder.startSpan().nn
      if span.isRecording then
        span.setAttribute(PathCounts.System, system)
        span.setAttribute(Actor, actor.name)
        span.setAttribute(MessageType, kind)
        span.setAttribute(Wait, (System.nanoTime - sent.nanos) / 1e9): Unit
      span

  private inline def guarded[A](default: A)(inline step: A): A =
    try step
    catch
      case cause: Throwable =>
        failed(cause)
        default

  private def failed(cause: Throwable): Unit =
    if hasFailed.compareAndSet(false, true) then
      try
        val text = s"a span of $system failed; further failures are not logged"
        logger.log(System.Logger.Level.WARNING, text, cause)
      catch case _: Throwable => ()
end SpanTracer

private[opentelemetry] object SpanTracer:
  private val logger: System.Logger = System.getLogger("undercroft.actor.opentelemetry").nn

  val Actor: AttributeKey[String] = AttributeKey.stringKey("undercroft.actor.name").nn
  val MessageType: AttributeKey[String] = AttributeKey.stringKey("undercroft.message.type").nn
  val Wait: AttributeKey[java.lang.Double] = AttributeKey.doubleKey("undercroft.message.wait").nn
  val Outcome: AttributeKey[String] = AttributeKey.stringKey("undercroft.message.outcome").nn
  val ErrorType: AttributeKey[String] = AttributeKey.stringKey("error.type").nn

  /** The context of a send, with its time; if `isLinked`, its span begins a trace that refers to
    * the context.
    */
  private final class SentContext(val context: Context, val nanos: Long, val isLinked: Boolean)

  private final class Handling(val span: Span, scope: Scope, before: Context):
    /** Restores the context of the thread, even if the handler has left a scope open. */
    def leave(): Unit =
      scope.close()
      if Context.current ne before then before.makeCurrent(): Unit

  private object NoHandling

  /** The name of a message's class, without packages; of an enum case, its name. */
  private def messageType(message: AnyRef): String = message match
    case enumCase: scala.reflect.Enum => enumCase.productPrefix
    case _                            => typeNames.get(message.getClass)

  private val typeNames = new ClassValue[String]:
    override def computeValue(kind: Class[?]): String =
      val names = kind.getName.nn.split("[.$]").nn.map(_.nn)
      names.findLast(name => name.nonEmpty && !name.head.isDigit).getOrElse(kind.getName)
end SpanTracer
