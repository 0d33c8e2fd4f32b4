package undercroft.actor

import java.util.HashMap

/** An actor's timers, by key. The actor's thread; a clock's thread only sends the notice. */
private[actor] final class Timers(cell: Cell[?]):
  private val byKey = HashMap[Any, Timer]()
  private var quiet: Quiet | Null = null

  def start(key: Any, message: Any, delayNanos: Long, every: Every | Null): Unit =
    if delayNanos < 0 || (every != null && delayNanos == 0) then
      throw IllegalArgumentException(s"a timer of $delayNanos ns")
    requireMessage(message, "timer")
    cancel(key)
    val timer = Timer(cell, key, message, every)
    val _ = byKey.put(key, timer)
    timer.arm(cell.system.clock.nanos + delayNanos)

  private def requireMessage(message: Any, what: String): Unit =
    if message == null then
      throw NullPointerException(s"the message of a $what of ${cell.name} is null")

  def cancel(key: Any): Unit =
    val timer = byKey.remove(key)
    if timer != null then timer.disarm()

  def isCurrent(timer: Timer): Boolean = byKey.get(timer.key) eq timer

  def remove(timer: Timer): Unit =
    val _ = byKey.remove(timer.key)

  def whenQuiet(afterNanos: Long, message: Any): Unit =
    if afterNanos <= 0 then throw IllegalArgumentException(s"a receive timeout of $afterNanos ns")
    requireMessage(message, "receive timeout")
    cancelQuiet()
    val fresh = Quiet(cell, message, afterNanos)
    quiet = fresh
    fresh.arm(cell.system.clock.nanos + afterNanos)

  def cancelQuiet(): Unit =
    val current = quiet
    if current != null then current.disarm()
    quiet = null

  def isCurrent(other: Quiet): Boolean = quiet eq other

  /** Notes that the actor got a message. */
  def touch(): Unit =
    val current = quiet
    if current != null then current.lastNanos = cell.system.clock.nanos

  def cancelAll(): Unit =
    byKey.values.forEach(timer => timer.disarm())
    byKey.clear()
    cancelQuiet()
end Timers

/** A notice that a clock sends. */
private[actor] abstract class Alarm(cell: Cell[?]) extends Notice:
  override val cause: Long = if Switches.causes then Traced.currentOf(cell) else 0L
  protected var dueNanos = 0L
  private var scheduled: Clock.Scheduled | Null = null

  final def arm(atNanos: Long): Unit =
    dueNanos = atNanos
    val delay = math.max(0L, atNanos - cell.system.clock.nanos)
    scheduled = cell.system.clock.schedule(delay, () => cell.tellNotice(this))

  final def disarm(): Unit =
    val current = scheduled
    if current != null then current.cancel()

/** One timer. It is armed again when its message was handled, so that only one waits. */
private[actor] final class Timer(cell: Cell[?], val key: Any, message: Any, every: Every | Null)
    extends Alarm(cell):
  override def kept: AnyRef | Null = message.asInstanceOf[AnyRef]

  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    val timers = cell.ownSide().ownTimers(cell)
    if !timers.isCurrent(this) then Behavior.skipped
    else
      every match
        case null => timers.remove(this)
        case Every.Rate(period) =>
          arm(math.max(dueNanos + period.toNanos, cell.system.clock.nanos - period.toNanos))
        case Every.Delay(_) => ()
      try behavior.receive(message.asInstanceOf[T])
      finally
        every match
          case Every.Delay(period) if timers.isCurrent(this) =>
            arm(cell.system.clock.nanos + period.toNanos)
          case _ => ()

  override def aside: AnyRef = message.asInstanceOf[AnyRef]
  override def toString: String = s"$message of the timer $key"
end Timer

/** A receive timeout. It looks, when it is due, how long the actor got nothing. */
private[actor] final class Quiet(cell: Cell[?], message: Any, afterNanos: Long)
    extends Alarm(cell):
  var lastNanos: Long = cell.system.clock.nanos
  override def kept: AnyRef | Null = message.asInstanceOf[AnyRef]

  def deliver[T](cell: Cell[T], behavior: Behavior[T]): Behavior[T] =
    val timers = cell.ownSide().ownTimers(cell)
    val now = cell.system.clock.nanos
    if !timers.isCurrent(this) then Behavior.skipped
    else if now - lastNanos < afterNanos then
      arm(lastNanos + afterNanos)
      Behavior.skipped
    else
      lastNanos = now
      arm(now + afterNanos)
      behavior.receive(message.asInstanceOf[T])

  override def aside: AnyRef = message.asInstanceOf[AnyRef]
  override def toString: String = s"$message of the receive timeout"
end Quiet
