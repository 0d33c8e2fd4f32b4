package undercroft.actor

import scala.annotation.implicitNotFound
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** A place where actors can be spawned: a system or an actor.
  *
  * {{{
  * def openShop()(using ActorScope): ActorRef[Int] = spawn(Behavior.ignore[Int], "shop")
  * ActorSystem.scoped("town")(println(openShop().name)) // shop
  * }}}
  */
@implicitNotFound(
  "actors are spawned inside ActorSystem.scoped, Behavior.setup, or with a system given"
)
trait ActorScope:
  private[actor] def spawnHere[T](
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T]

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
trait ActorContext[T] extends ActorScope:
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
  def self: ActorRef[T]

  def system: ActorSystem

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
  def children: List[ActorRef[Nothing]]

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
  def stop(child: ActorRef[Nothing]): Unit

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
  def stop(child: ActorRef[Nothing], interruptAfter: FiniteDuration): Unit

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
  def watch(ref: ActorRef[Nothing]): Unit

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
  def watchWith(ref: ActorRef[Nothing], message: T): Unit

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
  def unwatch(ref: ActorRef[Nothing]): Unit

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
  def link(ref: ActorRef[Nothing]): Unit

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
  def unlink(ref: ActorRef[Nothing]): Unit

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
  def stash(): Unit

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
  def unstashAll(): Unit

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
  def unstash(count: Int): Unit

  /** The number of stashed messages that no `unstash` has taken back. Cost: O(1).
    *
    * {{{
    * def waiting: Behavior[Int] = Behavior.setup:
    *   Behavior.receive: n =>
    *     if context.stashSize < 100 then context.stash() else println(s"no room for $n")
    *     Behavior.same
    * }}}
    */
  def stashSize: Int

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
  def clearStash(): Unit

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
  def startSingleTimer(key: Any, message: T, delay: FiniteDuration): Unit

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
  ): Unit

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
  ): Unit

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
  def cancelTimer(key: Any): Unit

  /** Cancels all timers, but not the receive timeout.
    *
    * {{{
    * def clock: Behavior[String] = Behavior.setup:
    *   Behavior.receive: word =>
    *     if word == "stop the clock" then context.cancelAllTimers()
    *     Behavior.same
    * }}}
    */
  def cancelAllTimers(): Unit

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
  def isTimerActive(key: Any): Boolean

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
  def setReceiveTimeout(after: FiniteDuration, message: T): Unit

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
  def cancelReceiveTimeout(): Unit

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
  def sleep(time: FiniteDuration): Unit

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
  def pipeToSelf[A](future: Future[A])(message: Try[A] => T): Unit

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
  def messageAdapter[U](convert: U => T): ActorRef[U]
end ActorContext

object ActorContext:
  /** The largest number of messages that one actor may stash. */
  val StashLimit = 65_536

/** Spawns an actor: a child of the enclosing actor, or of the system's guardian.
  *
  * It costs some hundred bytes and nanoseconds, plus a thread if `run` has one per actor. Messages
  * can be sent to it at once.
  *
  * {{{
  * ActorSystem.scoped("town"):
  *   val quick = spawn(Behavior.ignore[Int], "quick")
  *   val slow = spawn(Behavior.ignore[Int], "slow", run = Run.Virtual, mailbox = Mailbox(100))
  *   println((quick, slow)) // (quick,slow)
  * }}}
  *
  * @param name
  *   for diagnostics; need not be unique. Actors without a name are numbered
  * @param mailbox
  *   the limit of waiting messages, and the overflow strategy
  * @throws SpawnRejectedException
  *   if the enclosing actor or system is stopping
  * @throws java.lang.IllegalArgumentException
  *   if `run` is a [[Run.Pool]] that the system does not have
  */
def spawn[T](
    behavior: Behavior[T],
    name: String = "",
    run: Run = Run.Workers,
    mailbox: Mailbox = Mailbox.default
)(using scope: ActorScope): ActorRef[T] = scope.spawnHere(behavior, name, run, mailbox)

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
