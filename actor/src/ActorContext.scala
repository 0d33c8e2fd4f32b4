package undercroft.actor

import internal.cell.{ActorCell, ContextEnvelope, ConvertedMessage, DeathWatch, Interruption}
import internal.cell.{Lifecycle, MessageAdapter, SignalContext, State}
import internal.dispatch.{Dispatcher, TimerKind}
import scala.annotation.implicitNotFound
import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** An actor's view of itself, available inside [[Behavior.setup]].
  *
  * Owner thread only, during a turn of the actor: except for `self` and `system`, every method
  * throws `IllegalStateException` otherwise.
  *
  * {{{
  * import scala.concurrent.duration.*
  * def ticker: Behavior[String] = Behavior.setup:
  *   context.startTimerAtFixedRate("ticks", "tick", 1.second)
  *   Behavior.receive: word =>
  *     println(word)
  *     Behavior.same
  * }}}
  */
@implicitNotFound("this is for an actor's own code: inside Behavior.setup there is an ActorContext")
final class ActorContext[T] private[actor] (cell: ActorCell[T]) extends ActorScope:
  import ActorContext.SleepSliceNanos

  /** The actor's own reference. Thread-safe.
    *
    * {{{
    * def counter(last: Int): Behavior[Int] = Behavior.setup:
    *   Behavior.receive: n =>
    *     println(n)
    *     if n < last then context.self ! n + 1
    *     Behavior.same
    * ActorSystem.scoped("numbers")(spawn(counter(3)) ! 1) // prints 1, 2 and 3
    * }}}
    */
  def self: ActorRef[T] = cell

  def system: ActorSystem = cell.system

  /** The children that have not stopped.
    *
    * {{{
    * def parent: Behavior[Int] = Behavior.setup:
    *   for i <- 1 to 2 do spawn(Behavior.ignore[Int])
    *   Behavior.receive: _ =>
    *     println(context.children.size) // 2
    *     Behavior.same
    * ActorSystem.scoped("family")(spawn(parent) ! 1)
    * }}}
    */
  def children: List[ActorRef[Nothing]] =
    requireTurn()
    val family = cell.familyOrNull
    if family == null then Nil else family.all.toList

  /** Stops a child after its current message, before its waiting messages.
    *
    * {{{
    * def office: Behavior[String] = Behavior.setup:
    *   val clerk = spawn(Behavior.ignore[String], "clerk")
    *   Behavior.receive: word =>
    *     if word == "closing time" then context.stop(clerk) else clerk ! word
    *     Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `child` is not a child of this actor
    */
  def stop(child: ActorRef[Nothing]): Unit =
    requireTurn()
    val stopped = childOf(child)
    stopped.tellSystem(Lifecycle.Stop(SignalContext.here(stopped))): Unit

  /** Stops a child that has a thread of its own as [[stop]] does; if its handler still runs after
    * `interruptAfter`, interrupts that thread. For handlers that block, in a lock or in a read of a
    * socket. The child's descendants are stopped in the same way after it, those without a thread
    * of their own without an interrupt.
    *
    * Only that handler is interrupted: no later one of the actor, such as of `PostStop`. An
    * exception that the handler then throws is reported as [[ActorEvent.Failed]]; for the parent,
    * watchers and links the child stops as by `stop`. A handler that still runs a second after the
    * interrupt ignores it: this is logged, and reported as [[ActorEvent.Stalled]], and the child
    * does not stop until the handler returns.
    *
    * In a simulation no handler blocks, and the call is as `stop`.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def reader(socket: java.nio.channels.SocketChannel): Behavior[Int] = Behavior.receive: size =>
    *   println(socket.read(java.nio.ByteBuffer.allocate(size))) // may block for ever
    *   Behavior.same
    * def server(socket: java.nio.channels.SocketChannel): Behavior[String] = Behavior.setup:
    *   val child = spawn(reader(socket), run = Run.Virtual)
    *   Behavior.receive: word =>
    *     if word == "read" then child ! 1000
    *     else context.stop(child, interruptAfter = 5.seconds)
    *     Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `child` is not a child of this actor, or has no thread of its own ([[Run.Virtual]],
    *   [[Run.Thread]]), or if `interruptAfter` is negative
    */
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

  /** Death watch: requests a [[Signal.Terminated]], once, when `ref` stops, or at once if it has
    * stopped. A restart ends the watches of the children, which it stops. If an actor and its
    * adapters are watched, there is one signal for each of these references.
    *
    * {{{
    * def office(clerk: ActorRef[Int]): Behavior[Int] = Behavior.setup:
    *   context.watch(clerk)
    *   Behavior.ignore[Int].onSignal { case Signal.Terminated(ref, _) =>
    *     println(s"${ref.name} has stopped")
    *     Behavior.stopped
    *   }
    * }}}
    */
  def watch(ref: ActorRef[Nothing]): Unit = watchBy(ref, null)

  /** As `watch`, but `message` arrives instead of the signal. It replaces an earlier watch.
    *
    * {{{
    * def office(clerk: ActorRef[Int]): Behavior[String] = Behavior.setup:
    *   context.watchWith(clerk, "the clerk has stopped")
    *   Behavior.receive: word =>
    *     println(word)
    *     Behavior.same
    * }}}
    */
  def watchWith(ref: ActorRef[Nothing], message: T): Unit =
    if message == null then
      throw NullPointerException(s"the message with which $name watches ${ref.name} is null")
    watchBy(ref, message)

  /** Cancels a watch; a notification that already waits is not delivered.
    *
    * {{{
    * def office(clerk: ActorRef[Int]): Behavior[String] = Behavior.setup:
    *   context.watchWith(clerk, "the clerk has stopped")
    *   Behavior.receive: word =>
    *     if word == "holiday" then context.unwatch(clerk)
    *     Behavior.same
    * }}}
    */
  def unwatch(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    lifetimeOf(ref) match
      case other: ActorCell[?] if cell.coldState().stopWatching(other, ref) =>
        other.tellSystem(DeathWatch.Unwatch(cell)): Unit
      case _ => ()

  /** Links this actor and another one: when one of them stops because of a failure, the other one
    * fails with a [[LinkedActorFailedException]], which its own supervision decides about. A normal
    * stop or a restart does not break the link. Linking to an actor that has already failed breaks
    * at once.
    *
    * {{{
    * def buyer(seller: ActorRef[Int]): Behavior[Int] = Behavior
    *   .setup[Int] {
    *     context.link(seller)
    *     Behavior.ignore
    *   }
    *   .supervised { case _: LinkedActorFailedException => Supervision.Restart() }
    * }}}
    */
  def link(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case other: ActorCell[?] if other ne cell =>
        if cell.coldState().addLink(other) then
          val message = DeathWatch.Link(cell)
          if !other.tellSystem(message) then message.tooLate(other)
      case _ => throw IllegalArgumentException(s"$name cannot be linked to ${ref.name}")

  /** Removes the link in both directions.
    *
    * {{{
    * def buyer(seller: ActorRef[Int]): Behavior[String] = Behavior.setup:
    *   context.link(seller)
    *   Behavior.receive: word =>
    *     if word == "contract ended" then context.unlink(seller)
    *     Behavior.same
    * }}}
    */
  def unlink(ref: ActorRef[Nothing]): Unit =
    requireTurn()
    ref match
      case other: ActorCell[?] if cell.coldState().removeLink(other) =>
        other.tellSystem(DeathWatch.Unlink(cell)): Unit
      case _ => ()

  /** Stashes the current message when its handler returns. It counts as stashed.
    *
    * {{{
    * def door: Behavior[String] = Behavior.setup:
    *   def open: Behavior[String] = Behavior.receive: guest =>
    *     println(guest)
    *     Behavior.same
    *   Behavior.receive: word =>
    *     if word == "open" then
    *       context.unstashAll()
    *       open
    *     else
    *       context.stash()
    *       Behavior.same
    * ActorSystem.scoped("house"):
    *   val actor = spawn(door)
    *   for word <- List("Ada", "open", "Bob") do actor ! word // prints Ada and Bob
    * }}}
    *
    * @throws StashOverflowException
    *   if [[ActorContext.StashLimit]] messages are stashed
    * @throws java.lang.IllegalStateException
    *   if there is no current message, as in a setup, a signal handler or a decision about a
    *   failure, or if it is already stashed
    */
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

  /** Handles all stashed messages in their order, before the messages in the mailbox.
    *
    * {{{
    * def loader(load: String => Unit): Behavior[String] = Behavior.setup:
    *   Behavior.receive:
    *     case "loaded" =>
    *       context.unstashAll()
    *       Behavior.receive: word =>
    *         load(word)
    *         Behavior.same
    *     case _ =>
    *       context.stash()
    *       Behavior.same
    * }}}
    */
  def unstashAll(): Unit = unstash(Int.MaxValue)

  /** Handles the `count` oldest stashed messages, or all if there are fewer, before the messages in
    * the mailbox. Several calls in one turn add up.
    *
    * {{{
    * def pool(connections: Int): Behavior[String] = Behavior.setup:
    *   var free = connections
    *   Behavior.receive: word =>
    *     if word == "returned" then
    *       free += 1
    *       context.unstash(1) // one connection for one waiting query
    *     else if free == 0 then context.stash()
    *     else free -= 1
    *     Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `count` is negative
    */
  def unstash(count: Int): Unit =
    requireTurn()
    if count < 0 then
      throw IllegalArgumentException(s"the number of messages must be at least 0: $count")
    cell.coldState().ownStash().request(count)

  /** The number of stashed messages that no `unstash` has taken back. Cost: O(1).
    *
    * {{{
    * def waiting: Behavior[Int] = Behavior.setup:
    *   Behavior.receive: n =>
    *     if context.stashSize < 100 then context.stash() else println(s"no room for $n")
    *     Behavior.same
    * }}}
    */
  def stashSize: Int =
    requireTurn()
    val stash = cell.stashOrNull
    if stash == null then 0 else stash.stashedCount

  /** Removes all stashed messages that no `unstash` has taken back: they become dead letters,
    * `Cancelled`. A message that the present handler stashes remains. Cost: O(size).
    *
    * {{{
    * def door: Behavior[String] = Behavior.setup:
    *   Behavior.receive: word =>
    *     if word == "closing time" then context.clearStash() else context.stash()
    *     Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalStateException
    *   if the actor is a persistent one, which stashes commands by itself, or a process
    */
  def clearStash(): Unit =
    requireTurn()
    val stash = cell.stashOrNull
    if cell.inbox != null || (stash != null && stash.keeper != null) then
      throw IllegalStateException(s"$name stashes messages by itself, so its stash is not cleared")
    if stash != null then stash.clear(Lifecycle.endStashed(cell, _, DeadLetterReason.Cancelled))

  /** Sends `message` to the actor itself, once, after `delay`.
    *
    * It replaces a timer with the same key; so do [[startTimerAtFixedRate]] and
    * [[startTimerWithFixedDelay]]. A timer is cancelled when the actor stops or restarts.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def session: Behavior[String] = Behavior.setup:
    *   context.startSingleTimer("end", "expired", 10.minutes)
    *   Behavior.receive: word =>
    *     if word == "expired" then Behavior.stopped else Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `delay` is negative
    */
  def startSingleTimer(key: Any, message: T, delay: FiniteDuration): Unit =
    start(key, message, delay, delay, TimerKind.Single)

  /** Sends `message` to the actor itself every `period`, first after one period.
    *
    * The rate is kept on average: after a late message the next one comes earlier, but periods that
    * have passed completely are dropped, and at most one message of the timer waits.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def clock: Behavior[String] = Behavior.setup:
    *   context.startTimerAtFixedRate("ticks", "tick", 1.second)
    *   Behavior.receive: word =>
    *     println(word)
    *     Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `period` is less than 1 ns
    */
  def startTimerAtFixedRate(key: Any, message: T, period: FiniteDuration): Unit =
    startTimerAtFixedRate(key, message, period, period)

  /** As above, first after `initialDelay`, which is at least 0.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def clock: Behavior[String] = Behavior.setup:
    *   context.startTimerAtFixedRate("ticks", "tick", Duration.Zero, 1.second)
    *   Behavior.receive: word =>
    *     println(word)
    *     Behavior.same
    * }}}
    */
  def startTimerAtFixedRate(
      key: Any,
      message: T,
      initialDelay: FiniteDuration,
      period: FiniteDuration
  ): Unit = start(key, message, initialDelay, period, TimerKind.FixedRate)

  /** Sends `message` to the actor itself after `delay`, and again `delay` after each time that it
    * was handled.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def poller(read: () => Unit): Behavior[String] = Behavior.setup:
    *   context.startTimerWithFixedDelay("polls", "poll", 5.seconds) // after the end of each read
    *   Behavior.receive: _ =>
    *     read()
    *     Behavior.same
    * }}}
    *
    * @throws java.lang.IllegalArgumentException
    *   if `delay` is less than 1 ns
    */
  def startTimerWithFixedDelay(key: Any, message: T, delay: FiniteDuration): Unit =
    startTimerWithFixedDelay(key, message, delay, delay)

  /** As above, first after `initialDelay`, which is at least 0.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def poller(read: () => Unit): Behavior[String] = Behavior.setup:
    *   context.startTimerWithFixedDelay("polls", "poll", 1.second, 5.seconds)
    *   Behavior.receive: _ =>
    *     read()
    *     Behavior.same
    * }}}
    */
  def startTimerWithFixedDelay(
      key: Any,
      message: T,
      initialDelay: FiniteDuration,
      delay: FiniteDuration
  ): Unit = start(key, message, initialDelay, delay, TimerKind.FixedDelay)

  /** Cancels a timer. Its message is not delivered, even if it already waits.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def order: Behavior[String] = Behavior.setup:
    *   context.startSingleTimer("unpaid", "cancel", 1.hour)
    *   Behavior.receive: word =>
    *     if word == "paid" then context.cancelTimer("unpaid")
    *     if word == "cancel" then Behavior.stopped else Behavior.same
    * }}}
    */
  def cancelTimer(key: Any): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).cancel(key)

  /** Cancels all timers, but not the receive timeout.
    *
    * {{{
    * def clock: Behavior[String] = Behavior.setup:
    *   Behavior.receive: word =>
    *     if word == "stop the clock" then context.cancelAllTimers()
    *     Behavior.same
    * }}}
    */
  def cancelAllTimers(): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).cancelKeyed()

  /** Whether the timer will send a message: it was started, and neither cancelled nor, if it is a
    * single one, handled.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def order: Behavior[String] = Behavior.setup:
    *   context.startSingleTimer("unpaid", "cancel", 1.hour)
    *   Behavior.receive: word =>
    *     if word == "late?" then println(!context.isTimerActive("unpaid"))
    *     Behavior.same
    * }}}
    */
  def isTimerActive(key: Any): Boolean =
    requireTurn()
    val timers = cell.coldState().timers
    timers != null && timers.has(key)

  /** Sends `message` to the actor itself whenever it has received no other message for `after`.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def connection: Behavior[String] = Behavior.setup:
    *   context.setReceiveTimeout(30.seconds, "idle")
    *   Behavior.receive: word =>
    *     if word == "idle" then Behavior.stopped else Behavior.same
    * }}}
    */
  def setReceiveTimeout(after: FiniteDuration, message: T): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).whenQuiet(after.toNanos, message)

  /** Cancels the receive timeout.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def connection: Behavior[String] = Behavior.setup:
    *   context.setReceiveTimeout(30.seconds, "idle")
    *   Behavior.receive: word =>
    *     if word == "keep open" then context.cancelReceiveTimeout()
    *     if word == "idle" then Behavior.stopped else Behavior.same
    * }}}
    */
  def cancelReceiveTimeout(): Unit =
    requireTurn()
    cell.coldState().ownTimers(cell).cancelQuiet()

  /** Blocks for `time`, by the clock of the system: in a simulation only simulated time passes. It
    * returns early if a stop or a group restart of the actor is requested, on [[Run.On]] and
    * [[Run.Caller]] within 10 ms, but not in a simulation of these; a process that sleeps once more
    * ends, as if it called `receive`.
    *
    * {{{
    * import scala.concurrent.duration.*
    * def printer: Behavior[String] = Behavior.process: inbox =>
    *   println(inbox.receive())
    *   context.sleep(10.millis)
    *   println("done")
    * ActorSystem.scoped("office")(spawn(printer) ! "a page") // prints both lines
    * }}}
    *
    * @throws java.lang.IllegalStateException
    *   on a worker, which must not block: use a timer there
    * @throws java.lang.IllegalArgumentException
    *   if `time` is negative
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted
    */
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
      if isWoken || engine.isSimulated then Long.MaxValue else SleepSliceNanos
    val inbox = cell.inbox
    // A process that sleeps in a loop would not end.
    if inbox != null && isToStop then
      inbox.settle()
      Inbox.obey(cell)
    var left = time.toNanos
    while left > 0 && !isToStop do
      engine.park(cell, math.min(left, longestPark))
      if Thread.interrupted() then throw InterruptedException(s"$name was interrupted")
      left = until - engine.clock.nanos
  end sleep

  /** Sends the actor the result of a future as a message; the mailbox's limit does not apply. The
    * actor's own thread calls `message` as a part of handling it, so an exception of `message` is a
    * failure of the actor.
    *
    * {{{
    * import scala.concurrent.Future
    * import scala.util.{Failure, Success}
    * def shop(price: Future[Int]): Behavior[String] = Behavior.setup:
    *   context.pipeToSelf(price):
    *     case Success(amount) => s"price $amount"
    *     case Failure(error)  => s"no price: $error"
    *   Behavior.receive: word =>
    *     println(word) // price 250
    *     Behavior.same
    * ActorSystem.scoped("market")(spawn(shop(Future.successful(250))))
    * }}}
    */
  def pipeToSelf[A](future: Future[A])(message: Try[A] => T): Unit =
    requireTurn()
    // First: the thread that completes the future has a context of its own.
    val context = if cell.isTraced then ContextEnvelope.context(cell) else null
    future.onComplete { result =>
      val notice = ConvertedMessage(result, message.asInstanceOf[Any => Any], isResult = true)
      cell.tellInternal(ContextEnvelope.wrapped(cell, notice, context))
    }(using ExecutionContext.parasitic)

  /** A reference for messages of another protocol, such as the replies of another actor: the actor
    * receives them as messages of its own. The actor's own thread calls `convert` as a part of
    * handling one, so an exception of it is a failure of the actor. The reference is valid as long
    * as the actor, also after a restart; its messages count against the limit of the mailbox.
    *
    * {{{
    * def prices: Behavior[ActorRef[Int]] = Behavior.receive: customer =>
    *   customer ! 250
    *   Behavior.same
    * def shop(prices: ActorRef[ActorRef[Int]]): Behavior[String] = Behavior.setup:
    *   prices ! context.messageAdapter[Int](amount => s"price $amount")
    *   Behavior.receive: word =>
    *     println(word) // price 250
    *     Behavior.same
    * ActorSystem.scoped("market")(spawn(shop(spawn(prices))))
    * }}}
    */
  def messageAdapter[U](convert: U => T): ActorRef[U] =
    requireTurn()
    MessageAdapter(cell, convert)

  override def toString: String = cell.name

  private def name: String = cell.name

  private def requireTurn(): Unit = requireTurn("the context")

  /** Throws unless this thread runs a turn of the actor. */
  private[actor] def requireTurn(part: String): Unit =
    val current = Dispatcher.current(Thread.currentThread)
    if current ne cell then
      throw IllegalStateException(
        s"$part of $name is used outside its turn, on ${Thread.currentThread.getName}"
      )

  /** Evaluates a setup in a handler; there is no current message meanwhile. If it throws, the actor
    * cannot continue, as after a setup that the cell evaluates.
    */
  private[actor] def evaluate[U <: T](setup: Behavior.Setup[U]): Behavior[U] =
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

  private def childOf(ref: ActorRef[Nothing]): ActorCell[?] = ref match
    case child: ActorCell[?] if child.parent eq cell => child
    case _ => throw IllegalArgumentException(s"${ref.name} is not a child of $name")

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
end ActorContext

object ActorContext:
  /** The largest number of messages that one actor may stash. */
  val StashLimit = 65_536

  /** The longest time for which a sleep on a borrowed thread does not notice a stop. */
  private inline val SleepSliceNanos = 10_000_000L

/** The enclosing actor.
  *
  * {{{
  * def counter: Behavior[Int] = Behavior.setup:
  *   self ! 3
  *   Behavior.receive: n =>
  *     println(n) // 3
  *     Behavior.stopped
  * ActorSystem.scoped("numbers")(spawn(counter))
  * }}}
  */
def self[T](using context: ActorContext[T]): ActorRef[T] = context.self

/** The context of the enclosing actor.
  *
  * {{{
  * def parent: Behavior[Int] = Behavior.setup:
  *   println(context.self.name) // office
  *   Behavior.ignore
  * ActorSystem.scoped("town")(spawn(parent, "office") ! 1)
  * }}}
  */
def context[T](using context: ActorContext[T]): ActorContext[T] = context
