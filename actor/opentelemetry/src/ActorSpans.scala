package undercroft.actor.opentelemetry

import internal.traces.SpanTracer
import io.opentelemetry.api.OpenTelemetry
import undercroft.actor.ActorSystem

/** A registration that traces the messages of one actor system. Thread-safe.
  *
  * Each message carries the context in which it was sent, and its handling is a span below it,
  * whose context is current while the handler runs: so one trace shows the path of a request from
  * actor to actor, with asks, and with the spans of other libraries. The result of `pipeToSelf`
  * belongs to the span that called it. The message of a single timer is below the span that set it.
  * Each message of a periodic timer, and each receive timeout, begins a trace with a link to that
  * span. A signal that has a handler is a span below the message that stopped, failed or restarted
  * the actor; without such a message it begins a trace.
  *
  * Through `undercroft-pekko` a trace continues on other nodes, if the OpenTelemetry of each node
  * has propagators: the context of a message is their fields, up to 1 KiB.
  *
  * A span is named by the path of the actor and the class of the message, and has the attributes
  * `undercroft.actor.system`, `undercroft.actor.name`, `undercroft.message.type` and
  * `undercroft.message.wait`, the seconds from the send to the handler. If the handler throws, it
  * has the exception and an error status. The `undercroft.message.outcome` of other messages is
  * `stashed`, `unhandled` or `cancelled`. A message that no handler receives is a span with an
  * error status and an `undercroft.actor.reason`. The sampler of the SDK decides which spans are
  * recorded.
  *
  * Only actors that are spawned after the registration are traced. A message to a traced actor
  * costs an envelope, a context and, if its span is recorded, the span; it is neither handed off
  * directly nor stored in a slot. Other systems and other actors cost nothing more.
  *
  * {{{
  * import io.opentelemetry.api.OpenTelemetry
  * import undercroft.actor.*
  * ActorSystem.scoped("shop"):
  *   val spans = ActorSpans.register(summon[ActorSystem], OpenTelemetry.noop)
  *   spawn(Behavior.ignore[Int], "till") ! 250
  * }}}
  */
final class ActorSpans private (val system: ActorSystem, tracer: SpanTracer)
    extends AutoCloseable:
  /** Ends the tracing of new messages; messages that are handled now keep their spans. Idempotent.
    *
    * {{{
    * import io.opentelemetry.api.OpenTelemetry
    * import undercroft.actor.*
    * ActorSystem.scoped("shop"):
    *   val system = summon[ActorSystem]
    *   ActorSpans.register(system, OpenTelemetry.noop).close()
    *   val again = ActorSpans.register(system, OpenTelemetry.noop)
    * }}}
    */
  def close(): Unit = system.tracing.end(tracer)
end ActorSpans

object ActorSpans:
  /** Traces the messages of a system to the actors that are spawned from now on.
    *
    * {{{
    * import io.opentelemetry.api.GlobalOpenTelemetry
    * import undercroft.actor.*
    * def trace(system: ActorSystem): ActorSpans =
    *   ActorSpans.register(system, GlobalOpenTelemetry.get, roots = false)
    * }}}
    *
    * @param roots
    *   whether a message that was sent outside of any span begins a trace, if the sampler wants one
    * @throws java.lang.IllegalStateException
    *   if the system is traced already, or has stopped
    */
  def register(
      system: ActorSystem,
      openTelemetry: OpenTelemetry,
      roots: Boolean = true
  ): ActorSpans =
    if system == null then throw NullPointerException("the system is null")
    if openTelemetry == null then
      throw NullPointerException(s"the OpenTelemetry for ${system.name} is null")
    if system.isStopped then throw IllegalStateException(s"${system.name} has stopped")
    val tracer =
      SpanTracer(
        system.name,
        openTelemetry.getTracer("undercroft.actor").nn,
        openTelemetry.getPropagators.nn.getTextMapPropagator.nn,
        roots
      )
    if !system.tracing.begin(tracer) then
      throw IllegalStateException(s"${system.name} is traced already: close the registration first")
    new ActorSpans(system, tracer)
end ActorSpans
