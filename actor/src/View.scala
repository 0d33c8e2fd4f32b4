package undercroft.actor

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** An actor's view of itself. The owner's thread, within a turn of the actor. */
private[actor] trait View[T] extends Context[T]:
  this: Cell[T] =>

  def self: ActorRef[T] = this

  private def requireTurn(): Unit =
    val current = Runner.current(Thread.currentThread)
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
      throw SpawnRefusedException(s"${this.name} is stopping and spawns nothing")
    system.make(this, b, name, run, box)

  def children: List[ActorRef[Nothing]] =
    requireTurn()
    if family == null then Nil else family.nn.all.toList

  def stop(child: ActorRef[Nothing]): Unit =
    requireTurn()
    child match
      case cell: Cell[?] if cell.parent eq this =>
        if cell.pushCommand(Command.Stop()) then cell.wake()
      case _ => throw IllegalArgumentException(s"${child.name} is no child of $name")

  def watch(ref: ActorRef[Nothing]): Unit = watchBy(ref, Side.BySignal)
  def watchWith(ref: ActorRef[Nothing], message: T): Unit =
    if message == null then
      throw NullPointerException(s"the message with which $name watches ${ref.name} is null")
    watchBy(ref, message)

  private def watchBy(ref: ActorRef[Nothing], instead: Any): Unit =
    requireTurn()
    ref match
      case cell: Cell[?] if cell ne this =>
        val known = ownSide().isWatching(cell)
        ownSide().watch(cell, instead)
        if !known then
          val command = Command.Watch(this)
          if cell.pushCommand(command) then cell.wake() else command.tooLate(cell)
      case _ => throw IllegalArgumentException(s"$name cannot watch ${ref.name}")

  def link(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: Cell[?] if cell ne this =>
        if ownSide().addLink(cell) then
          val command = Command.Link(this)
          if cell.pushCommand(command) then cell.wake() else command.tooLate(cell)
      case _ => throw IllegalArgumentException(s"$name cannot be linked to ${ref.name}")

  def unlink(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: Cell[?] if ownSide().removeLink(cell) =>
        if cell.pushCommand(Command.Unlink(this)) then cell.wake()
      case _ => ()

  def unwatch(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case cell: Cell[?] if ownSide().isWatching(cell) =>
        val _ = ownSide().stopWatching(cell)
        if cell.pushCommand(Command.Unwatch(this)) then cell.wake()
      case _ => ()

  def stash(): Unit =
    requireTurn()
    if inbox != null then throw IllegalStateException(s"$name is a process: it has receiveFirst")
    val own = ownSide().ownStash()
    if hasNoMessage then throw IllegalStateException(s"$name has no message in hand to stash")
    if own.wantsThis then throw IllegalStateException(s"$name stashes the message in hand twice")
    if own.size >= Context.StashLimit then
      throw StashFullException(s"the stash of $name is full: ${own.size} messages")
    own.wantsThis = true

  def unstashAll(): Unit =
    requireTurn()
    ownSide().ownStash().wantsAll = true

  def startTimer(key: Any, message: T, delay: FiniteDuration): Unit =
    requireTurn()
    ownSide().ownTimers(this).start(key, message, delay.toNanos, null)

  def startTimer(key: Any, message: T, every: Every): Unit =
    requireTurn()
    ownSide().ownTimers(this).start(key, message, every.nanos, every)

  def cancelTimer(key: Any): Unit =
    requireTurn()
    ownSide().ownTimers(this).cancel(key)

  def receiveTimeout(after: FiniteDuration, message: T): Unit =
    requireTurn()
    ownSide().ownTimers(this).whenQuiet(after.toNanos, message)

  def cancelReceiveTimeout(): Unit =
    requireTurn()
    ownSide().ownTimers(this).cancelQuiet()

  def sleep(time: FiniteDuration): Unit =
    requireTurn()
    if Runner.isShared(Thread.currentThread) then
      throw IllegalStateException(s"a sleep of $name would block a worker: use a timer")
    if time.toNanos < 0 then throw IllegalArgumentException(s"a sleep of $time")
    val engine = system.engine
    val until = engine.clock.nanos + time.toNanos
    // Who tells it to stop wakes it only where it is not notified.
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

  def pipe[A](future: Future[A])(message: Try[A] => T): Unit =
    requireTurn()
    future.onComplete(result => tellNotice(Piped(this, result, message)))(using
      ExecutionContext.parasitic
    )
end View
