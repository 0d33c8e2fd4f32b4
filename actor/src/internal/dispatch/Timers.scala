package undercroft.actor
package internal.dispatch

import internal.cell.{ActorCell, ContextEnvelope, InternalMessage, SignalContext}
import java.util.HashMap

/** An actor's timers, by key. Owner thread only; the clock's thread only sends the timer messages.
  */
private[actor] final class Timers(cell: ActorCell[?]):
  private val byKey = HashMap[Any, Timer]()
  private var quiet: ReceiveTimeoutTimer | Null = null

  /** Starts a timer whose delay, or period, is `periodNanos` after the first message. */
  def start(
      key: Any,
      message: Any,
      initialNanos: Long,
      periodNanos: Long,
      kind: TimerKind
  ): Unit =
    val minNanos = if kind == TimerKind.Single then 0L else 1L
    if periodNanos < minNanos then
      val noun = if kind == TimerKind.FixedRate then "period" else "delay"
      throw IllegalArgumentException(
        s"the $noun of a timer must be at least $minNanos ns, but is $periodNanos ns"
      )
    if initialNanos < 0 then
      throw IllegalArgumentException(
        s"the initial delay of a timer must be at least 0 ns, but is $initialNanos ns"
      )
    requireMessage(message, "timer")
    val timer = Timer(cell, key, message, periodNanos, kind)
    val before = byKey.put(key, timer) // first: a method of the key may throw
    if before != null then before.disarm()
    timer.arm(cell.system.clock.nanos + initialNanos)
  end start

  private def requireMessage(message: Any, kind: String): Unit =
    if message == null then
      throw NullPointerException(s"the message of a $kind of ${cell.name} is null")

  def cancel(key: Any): Unit =
    val timer = byKey.remove(key)
    if timer != null then timer.disarm()

  def has(key: Any): Boolean = byKey.containsKey(key)

  def isCurrent(timer: Timer): Boolean = byKey.get(timer.key) eq timer

  def remove(timer: Timer): Unit =
    val _ = byKey.remove(timer.key)

  def whenQuiet(afterNanos: Long, message: Any): Unit =
    if afterNanos <= 0 then
      throw IllegalArgumentException(
        s"the receive timeout must be at least 1 ns, but is $afterNanos ns"
      )
    requireMessage(message, "receive timeout")
    val fresh = ReceiveTimeoutTimer(cell, message, afterNanos)
    fresh.arm(cell.system.clock.nanos + afterNanos)
    cancelQuiet()
    quiet = fresh

  def cancelQuiet(): Unit =
    val current = quiet
    if current != null then current.disarm()
    quiet = null

  def isCurrent(timer: ReceiveTimeoutTimer): Boolean = quiet eq timer

  /** Records that the actor received a message. */
  def touch(): Unit =
    val current = quiet
    if current != null then current.lastNanos = cell.system.clock.nanos

  def cancelAll(): Unit =
    cancelKeyed()
    cancelQuiet()

  def cancelKeyed(): Unit =
    byKey.values.forEach(timer => timer.disarm())
    byKey.clear()
end Timers

/** An internal message that a clock sends. */
private[actor] abstract class TimerMessage(
    cell: ActorCell[?],
    message: AnyRef,
    isRepeated: Boolean
) extends InternalMessage:
  protected var dueNanos = 0L
  private var scheduled: Clock.Scheduled | Null = null

  /** The context in which it was set, and that of its present message; null if it is not traced. */
  private val setContext: AnyRef | Null = SignalContext.here(cell)
  private var context: AnyRef | Null = null

  final def arm(atNanos: Long): Unit =
    dueNanos = atNanos
    val delay = math.max(0L, atNanos - cell.system.clock.nanos)
    scheduled = cell.system.clock.schedule(
      delay,
      () =>
        context = ContextEnvelope.renewed(cell, setContext, isRepeated)
        cell.tellInternal(this)
    )

  /** Delivers the user message, in the context of the timer. */
  protected final def receive[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    ContextEnvelope.deliver(cell, behavior, message, context)

  final override def kept: AnyRef | Null = aside
  final override def aside: AnyRef = ContextEnvelope.wrapped(cell, message, context)

  final def disarm(): Unit =
    val current = scheduled
    if current != null then current.cancel()
end TimerMessage

/** Whether a timer repeats, and what its period is measured from. */
private[actor] enum TimerKind derives CanEqual:
  case Single, FixedRate, FixedDelay

/** A timer. It is armed again after its message was delivered, so that at most one message waits.
  */
private[actor] final class Timer(
    cell: ActorCell[?],
    val key: Any,
    message: Any,
    periodNanos: Long,
    kind: TimerKind
) extends TimerMessage(cell, message.asInstanceOf[AnyRef], kind != TimerKind.Single):

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val timers = cell.coldState().ownTimers(cell)
    if !timers.isCurrent(this) then Behavior.skipped
    else
      kind match
        case TimerKind.Single => timers.remove(this)
        case TimerKind.FixedRate =>
          arm(math.max(dueNanos + periodNanos, cell.system.clock.nanos - periodNanos))
        case TimerKind.FixedDelay => ()
      try receive(cell, behavior)
      finally
        if kind == TimerKind.FixedDelay then
          val inbox = cell.inbox
          if inbox == null then armAgain() else inbox.armAtEnd(this)

  /** Begins the next delay, unless the timer was cancelled. */
  def armAgain(): Unit =
    if cell.coldState().ownTimers(cell).isCurrent(this) then
      arm(cell.system.clock.nanos + periodNanos)

  override def toString: String = s"$message of the timer $key"
end Timer

/** A receive timeout. When due, it checks how long the actor has received no message. */
private[actor] final class ReceiveTimeoutTimer(cell: ActorCell[?], message: Any, afterNanos: Long)
    extends TimerMessage(cell, message.asInstanceOf[AnyRef], isRepeated = true):
  var lastNanos: Long = cell.system.clock.nanos

  def deliver[T](cell: ActorCell[T], behavior: Behavior[T]): Behavior[T] =
    val timers = cell.coldState().ownTimers(cell)
    val now = cell.system.clock.nanos
    if !timers.isCurrent(this) then Behavior.skipped
    else if now - lastNanos < afterNanos then
      arm(lastNanos + afterNanos)
      Behavior.same
    else
      lastNanos = now
      arm(now + afterNanos)
      receive(cell, behavior)

  override def toString: String =
    if cell.system.clock.nanos - lastNanos < afterNanos then "the receive timeout, put off"
    else s"$message of the receive timeout"
end ReceiveTimeoutTimer
