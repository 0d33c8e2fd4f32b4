package undercroft.actor
package internal.cell

import internal.dispatch.{Dispatcher, TimerKind}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** The context of an actor: its view of its own cell. Owner thread only, within a turn of the
  * actor.
  */
private[actor] final class CellContext[T](cell: ActorCell[T]) extends ActorContext[T]:

  def self: ActorRef[T] = cell
  def system: ActorSystem = cell.system
  override def toString: String = cell.name

  private def name: String = cell.name

  private def requireTurn(): Unit = requireTurn("the context")

  /** Throws unless this thread runs a turn of the actor. */
  def requireTurn(part: String): Unit =
    val current = Dispatcher.current(Thread.currentThread)
    if current ne cell then
      throw IllegalStateException(
        s"$part of $name is used outside its turn, on ${Thread.currentThread.getName}"
      )

  /** Evaluates a setup in a handler; there is no current message meanwhile. If it throws, the actor
    * cannot continue, as after a setup that the cell evaluates.
    */
  def evaluate[U <: T](setup: Behavior.Setup[U]): Behavior[U] =
    val (hadNoMessage, wasEvaluating) = (cell.hasNoMessage, cell.isEvaluating)
    cell.hasNoMessage = true
    cell.isEvaluating = true
    try
      // Sound: a context uses its type only for messages that the actor accepts.
      val next = setup.make(this.asInstanceOf[ActorContext[U]])
      cell.isEvaluating = wasEvaluating
      next
    finally cell.hasNoMessage = hadNoMessage

  private[actor] def spawnHere[U](
      behavior: Behavior[U],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[U] =
    requireTurn()
    if cell.state >= State.Stopping then
      throw SpawnRejectedException(s"${cell.name} is stopping and cannot spawn actors")
    system.make(cell, behavior, name, run, mailbox)

  def children: List[ActorRef[Nothing]] =
    requireTurn()
    val family = cell.familyOrNull
    if family == null then Nil else family.all.toList

  def stop(child: ActorRef[Nothing]): Unit =
    requireTurn()
    val stopped = childOf(child)
    stopped.tellSystem(Lifecycle.Stop(SignalContext.here(stopped))): Unit

  private def childOf(ref: ActorRef[Nothing]): ActorCell[?] = ref match
    case child: ActorCell[?] if child.parent eq cell => child
    case _ => throw IllegalArgumentException(s"${ref.name} is not a child of $name")

  def stop(child: ActorRef[Nothing], interruptAfter: FiniteDuration): Unit =
    requireTurn()
    if interruptAfter.toNanos < 0 then
      throw IllegalArgumentException(s"interruptAfter must be at least 0, but is $interruptAfter")
    val stopped = childOf(child)
    if !stopped.runner.keepsThread then
      throw IllegalArgumentException(
        s"${child.name} has no thread of its own (Run.${stopped.runner.run.productPrefix}), so it " +
          "cannot be interrupted: spawn it with Run.Virtual or Run.Thread"
      )
    Interruption(stopped, interruptAfter.toNanos).begin()

  def watch(ref: ActorRef[Nothing]): Unit = watchBy(ref, null)
  def watchWith(ref: ActorRef[Nothing], message: T): Unit =
    if message == null then
      throw NullPointerException(s"the message with which $name watches ${ref.name} is null")
    watchBy(ref, message)

  /** Watches `ref`, with a message, or by a signal if `message` is null. */
  private def watchBy(ref: ActorRef[Nothing], message: Any): Unit =
    requireTurn()
    lifetimeOf(ref) match
      case other: ActorCell[?] if other ne cell =>
        val watch = if cell.coldState().isWatching(other) then null else DeathWatch.Watch(cell)
        cell.coldState().watch(other, ref, message)
        if watch != null then
          if !other.tellSystem(watch) then watch.tooLate(other)
      case _ => throw IllegalArgumentException(s"$name cannot watch ${ref.name}")

  /** The reference of the actor whose end is that of `ref`. */
  private def lifetimeOf(ref: ActorRef[Nothing]): ActorRef[Nothing] = ref match
    case external: ExternalRef[Nothing] => lifetimeOf(external.lifetime)
    case _                              => ref

  def link(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case other: ActorCell[?] if other ne cell =>
        if cell.coldState().addLink(other) then
          val message = DeathWatch.Link(cell)
          if !other.tellSystem(message) then message.tooLate(other)
      case _ => throw IllegalArgumentException(s"$name cannot be linked to ${ref.name}")

  def unlink(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case other: ActorCell[?] if cell.coldState().removeLink(other) =>
        other.tellSystem(DeathWatch.Unlink(cell)): Unit
      case _ => ()

  def unwatch(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    lifetimeOf(ref) match
      case other: ActorCell[?] if cell.coldState().stopWatching(other, ref) =>
        other.tellSystem(DeathWatch.Unwatch(cell)): Unit
      case _ => ()

  def stash(): Unit =
    requireTurn()
    if cell.inbox != null then
      throw IllegalStateException(s"$name is a process and cannot stash: use receiveFirst")
    val queue = cell.coldState().ownStash()
    if cell.hasNoMessage then throw IllegalStateException(s"$name has no current message to stash")
    if queue.wantsThis then
      throw IllegalStateException(s"$name has already stashed the current message")
    if queue.size >= ActorContext.StashLimit then
      throw StashOverflowException(s"the stash of $name is full: ${queue.size} messages")
    queue.wantsThis = true

  def unstash(count: Int): Unit =
    requireTurn()
    if count < 0 then
      throw IllegalArgumentException(s"the number of messages must be at least 0: $count")
    cell.coldState().ownStash().request(count)

  def unstashAll(): Unit = unstash(Int.MaxValue)

  def stashSize: Int =
    requireTurn()
    val stash = cell.stashOrNull
    if stash == null then 0 else stash.stashedCount

  def clearStash(): Unit =
    requireTurn()
    val stash = cell.stashOrNull
    if cell.inbox != null || (stash != null && stash.keeper != null) then
      throw IllegalStateException(s"$name stashes messages by itself, so its stash is not cleared")
    if stash != null then stash.clear(Lifecycle.endStashed(cell, _, DeadLetterReason.Cancelled))

  def startSingleTimer(key: Any, message: T, delay: FiniteDuration): Unit =
    start(key, message, delay, delay, TimerKind.Single)

  def startTimerAtFixedRate(
      key: Any,
      message: T,
      initialDelay: FiniteDuration,
      period: FiniteDuration
  ): Unit = start(key, message, initialDelay, period, TimerKind.FixedRate)

  def startTimerWithFixedDelay(
      key: Any,
      message: T,
      initialDelay: FiniteDuration,
      delay: FiniteDuration
  ): Unit = start(key, message, initialDelay, delay, TimerKind.FixedDelay)

  private def start(
      key: Any,
      message: T,
      initialDelay: FiniteDuration,
      period: FiniteDuration,
      kind: TimerKind
  ): Unit =
    requireTurn()
    val timers = cell.coldState().ownTimers(cell)
    timers.start(key, message, initialDelay.toNanos, period.toNanos, kind)

  def cancelTimer(key: Any): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).cancel(key)

  def cancelAllTimers(): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).cancelKeyed()

  def isTimerActive(key: Any): Boolean =
    requireTurn()
    val timers = cell.coldState().timers
    timers != null && timers.has(key)

  def setReceiveTimeout(after: FiniteDuration, message: T): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).whenQuiet(after.toNanos, message)

  def cancelReceiveTimeout(): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).cancelQuiet()

  def sleep(time: FiniteDuration): Unit =
    requireTurn()
    if Dispatcher.isShared(Thread.currentThread) then
      throw IllegalStateException(s"a sleep of $name would block a worker: use a timer")
    if time.toNanos < 0 then
      throw IllegalArgumentException(s"time must be at least 0, but is $time")
    val engine = system.engine
    val until = engine.clock.nanos + time.toNanos
    val isWoken = cell.runner.keepsThread
    // A stop wakes this thread only if `notified` is clear, so clear it before each check. On a
    // thread that the actor does not keep, the flag marks the present turn: nothing wakes it.
    def isToStop =
      if isWoken then cell.clearNotifiedVolatile()
      cell.isStopRequested
    val longestPark =
      if isWoken || engine.isSimulated then Long.MaxValue else CellContext.SleepSliceNanos
    val inbox = cell.inbox
    // A process that sleeps in a loop would not end.
    if inbox != null && isToStop then
      inbox.settle()
      ProcessDelivery.obey(cell)
    var left = time.toNanos
    while left > 0 && !isToStop do
      engine.park(cell, math.min(left, longestPark))
      if Thread.interrupted() then throw InterruptedException(s"$name was interrupted")
      left = until - engine.clock.nanos
  end sleep

  def messageAdapter[U](convert: U => T): ActorRef[U] =
    requireTurn()
    MessageAdapter(cell, convert)

  def pipeToSelf[A](future: Future[A])(message: Try[A] => T): Unit =
    requireTurn()
    // First: the thread that completes the future has a context of its own.
    val context = if cell.isTraced then ContextEnvelope.context(cell) else null
    future.onComplete { result =>
      val notice = ConvertedMessage(result, message.asInstanceOf[Any => Any], isResult = true)
      cell.tellInternal(ContextEnvelope.wrapped(cell, notice, context))
    }(using ExecutionContext.parasitic)
end CellContext

private[actor] object CellContext:
  /** The longest time for which a sleep on a borrowed thread does not notice a stop. */
  private inline val SleepSliceNanos = 10_000_000L
