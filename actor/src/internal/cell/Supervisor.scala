package undercroft.actor
package internal.cell

/** One `supervised` layer around a behavior: its decisions and its restart counts. */
private[actor] final class Supervisor(
    val decide: Decider,
    val first: Behavior[?],
    var outer: Supervisor | Null,
    val failing: MessageFailureRule | Null = null
):
  private var restarts: RestartIntensity | Null = null

  /** The number of consecutive failures, and the time of the restart after the last one. */
  private var failures = 0
  private var startedAt = 0L

  /** The supervisor that decides about a failure: this one or the nearest outer one. */
  def of(cause: Throwable): Supervisor | Null =
    var layer: Supervisor | Null = this
    while layer != null && !layer.decide.isDefinedAt(cause) do layer = layer.outer
    layer

  /** The rule for messages that failed with `cause`: of this layer or the nearest outer one. */
  def ruleOf(cause: Throwable): MessageFailureRule | Null =
    var layer: Supervisor | Null = this
    while layer != null && (layer.failing == null || !layer.failing.nn.decide.isDefinedAt(cause)) do
      layer = layer.outer
    if layer == null then null else layer.failing

  /** The outermost supervisor. */
  def outermost: Supervisor =
    var layer = this
    while layer.outer != null do layer = layer.outer.nn
    layer

  /** Replaces the layers `former`, which are outside of these, if a message handler returned a
    * behavior with supervision of its own.
    */
  def replace(former: Supervisor): Unit =
    var layer = this
    while layer.outer != null && (layer.outer ne former) do layer = layer.outer.nn
    if layer.outer != null then
      layer.outer = null
      inherit(former)

  /** Continues the counts of replaced layers, if the handler returned the same code again: the
    * decider has the same class.
    */
  private def inherit(former: Supervisor): Unit =
    var layer: Supervisor | Null = this
    var earlier: Supervisor | Null = former
    while layer != null && earlier != null do
      if layer.decide.getClass eq earlier.decide.getClass then
        layer.restarts = earlier.restarts
        layer.failures = earlier.failures
        layer.startedAt = earlier.startedAt
      layer = layer.outer
      earlier = earlier.outer

  /** Whether one more restart at `now` is within the limit; if so, records it. */
  def mayRestart(limit: Int, withinNanos: Long, now: Long): Boolean =
    val intensity = restarts.orCreate(RestartIntensity())
    restarts = intensity
    intensity.may(limit, withinNanos, now)

  /** The delay before a restart at `now`, in nanoseconds, or -1 after too many consecutive
    * failures.
    *
    * @param hasStarted
    *   whether the actor had started: a start that fails is not a time without a failure
    */
  def pause(
      backoff: Supervision.Backoff,
      now: Long,
      random: Double,
      hasStarted: Boolean = true
  ): Long =
    if hasStarted && now - startedAt > backoff.max.toNanos then failures = 0
    failures += 1
    if failures > backoff.limit then -1L
    else
      val doubled = backoff.min.toNanos.toDouble * math.pow(2, failures - 1)
      val pause = math.min(doubled, backoff.max.toNanos.toDouble) * (1 + backoff.jitter * random)
      startedAt = now + pause.toLong
      pause.toLong
end Supervisor

/** The rule of one `onMessageFailure` layer around a behavior. Owner thread only. */
private[actor] final class MessageFailureRule(
    val decide: PartialFunction[Throwable, MessageFailure],
    describe: () => String
):
  /** The decision for an exception; to drop the message if the rule throws or returns null. */
  def wanted(cause: Throwable): MessageFailure =
    try decided(decide(cause), "onMessageFailure")
    catch
      case failure: Throwable =>
        addSuppressed(cause, failure)
        MessageFailure.Drop

  /** The user's description of the state, or the reason why there is none. */
  def state: String =
    try describe()
    catch
      case cause: Throwable =>
        try s"not described: $cause"
        catch case _: Throwable => s"not described: ${cause.getClass.getName}"
