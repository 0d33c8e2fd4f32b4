package undercroft.actor
package internal.cell

import internal.dispatch.{Dispatcher, TimerKind}
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** Implements the context of an actor cell. Owner thread only, within a turn of the actor. */
private[actor] trait CellContext[T] extends ActorContext[T]:
  this: ActorCell[T] =>

  def self: ActorRef[T] = this

  private def requireTurn(): Unit =
    val current = Dispatcher.current(Thread.currentThread)
    if current ne this then
      throw IllegalStateException(
        s"the context of $name is used outside its turn, on ${Thread.currentThread.getName}"
      )

  private[actor] def spawnHere[U](
      b: Behavior[U],
      name: String,
      run: Run,
      box: Mailbox
  ): ActorRef[U] =
    requireTurn()
    if state >= State.Stopping then
      throw SpawnRejectedException(s"${this.name} is stopping and cannot spawn actors")
    system.make(this, b, name, run, box)

  def children: List[ActorRef[Nothing]] =
    requireTurn()
    if family == null then Nil else family.nn.all.toList

  def stop(child: ActorRef[Nothing]): Unit =
    requireTurn()
    child match
      case cell: ActorCell[?] if cell.parent eq this =>
        if cell.pushCommand(SystemMessage.Stop()) then cell.wake()
      case _ => throw IllegalArgumentException(s"${child.name} is not a child of $name")

  def watch(ref: ActorRef[Nothing]): Unit = watchBy(ref, ColdState.BySignal)
  def watchWith(ref: ActorRef[Nothing], message: T): Unit =
    if message == null then
      throw NullPointerException(s"the message with which $name watches ${ref.name} is null")
    watchBy(ref, message)

  private def watchBy(ref: ActorRef[Nothing], instead: Any): Unit =
    requireTurn()
    ref match
      case cell: ActorCell[?] if cell ne this =>
        val wasWatching = ownSide().isWatching(cell)
        ownSide().watch(cell, instead)
        if !wasWatching then
          val command = SystemMessage.Watch(this)
          if cell.pushCommand(command) then cell.wake() else command.tooLate(cell)
      case _ => throw IllegalArgumentException(s"$name cannot watch ${ref.name}")

  def link(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: ActorCell[?] if cell ne this =>
        if ownSide().addLink(cell) then
          val command = SystemMessage.Link(this)
          if cell.pushCommand(command) then cell.wake() else command.tooLate(cell)
      case _ => throw IllegalArgumentException(s"$name cannot be linked to ${ref.name}")

  def unlink(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: ActorCell[?] if ownSide().removeLink(cell) =>
        if cell.pushCommand(SystemMessage.Unlink(this)) then cell.wake()
      case _ => ()

  def unwatch(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: ActorCell[?] if ownSide().isWatching(cell) =>
        val _ = ownSide().stopWatching(cell)
        if cell.pushCommand(SystemMessage.Unwatch(this)) then cell.wake()
      case _ => ()

  def stash(): Unit =
    requireTurn()
    if inbox != null then
      throw IllegalStateException(s"$name is a process and cannot stash: use receiveFirst")
    val queue = ownSide().ownStash()
    if hasNoMessage then throw IllegalStateException(s"$name has no current message to stash")
    if queue.wantsThis then
      throw IllegalStateException(s"$name has already stashed the current message")
    if queue.size >= ActorContext.StashLimit then
      throw StashOverflowException(s"the stash of $name is full: ${queue.size} messages")
    queue.wantsThis = true

  def unstashAll(): Unit =
    requireTurn()
    ownSide().ownStash().wantsAll = true

  def startSingleTimer(key: Any, message: T, delay: FiniteDuration): Unit =
    start(key, message, delay, TimerKind.Single)

  def startTimerAtFixedRate(key: Any, message: T, period: FiniteDuration): Unit =
    start(key, message, period, TimerKind.FixedRate)

  def startTimerWithFixedDelay(key: Any, message: T, delay: FiniteDuration): Unit =
    start(key, message, delay, TimerKind.FixedDelay)

  private def start(key: Any, message: T, period: FiniteDuration, kind: TimerKind): Unit =
    requireTurn()
    ownSide().ownTimers(this).start(key, message, period.toNanos, kind)

  def cancelTimer(key: Any): Unit =
    requireTurn()
    ownSide().ownTimers(this).cancel(key)

  def setReceiveTimeout(after: FiniteDuration, message: T): Unit =
    requireTurn()
    ownSide().ownTimers(this).whenQuiet(after.toNanos, message)

  def cancelReceiveTimeout(): Unit =
    requireTurn()
    ownSide().ownTimers(this).cancelQuiet()

  def sleep(time: FiniteDuration): Unit =
    requireTurn()
    if Dispatcher.isShared(Thread.currentThread) then
      throw IllegalStateException(s"a sleep of $name would block a worker: use a timer")
    if time.toNanos < 0 then
      throw IllegalArgumentException(s"time must be at least 0, but is $time")
    val engine = system.engine
    val until = engine.clock.nanos + time.toNanos
    // A stop wakes this thread only if `notified` is clear, so clear it before each check.
    def isToStop = runner.keepsThread && {
      lowerNotifiedVolatile()
      isToldToStop
    }
    var left = time.toNanos
    while left > 0 && !isToStop do
      engine.park(this, left)
      if Thread.interrupted() then throw InterruptedException(s"$name was interrupted")
      left = until - engine.clock.nanos
  end sleep

  def pipeToSelf[A](future: Future[A])(message: Try[A] => T): Unit =
    requireTurn()
    future.onComplete(result => tellNotice(FutureResultMessage(this, result, message)))(using
      ExecutionContext.parasitic
    )
end CellContext
