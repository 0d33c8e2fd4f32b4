package undercroft.actor

import scala.annotation.implicitNotFound
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** A place where actors can be spawned: a system or an actor. */
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
  /** The actor's own reference. Thread-safe. */
  def self: ActorRef[T]

  def system: ActorSystem

  /** The children that have not stopped. */
  def children: List[ActorRef[Nothing]]

  /** Stops a child after its current message, before its waiting messages.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `child` is not a child of this actor
    */
  def stop(child: ActorRef[Nothing]): Unit

  /** Death watch: requests a [[Signal.Terminated]], once, when `ref` stops, or at once if it has
    * stopped.
    */
  def watch(ref: ActorRef[Nothing]): Unit

  /** As `watch`, but `message` arrives instead of the signal. It replaces an earlier watch. */
  def watchWith(ref: ActorRef[Nothing], message: T): Unit

  /** Cancels a watch; a notification that already waits is not delivered. */
  def unwatch(ref: ActorRef[Nothing]): Unit

  /** Links this actor and another one: when one of them stops because of a failure, the other one
    * fails with a [[LinkedActorFailedException]], which its own supervision decides about. A normal
    * stop or a restart does not break the link. Linking to an actor that has already failed breaks
    * at once.
    */
  def link(ref: ActorRef[Nothing]): Unit

  /** Removes the link in both directions. */
  def unlink(ref: ActorRef[Nothing]): Unit

  /** Stashes the current message when its handler returns. It counts as stashed.
    *
    * @throws StashOverflowException
    *   if [[ActorContext.StashLimit]] messages are stashed
    * @throws java.lang.IllegalStateException
    *   if there is no current message, as in a setup or a signal handler, or if it is already
    *   stashed
    */
  def stash(): Unit

  /** Handles all stashed messages in their order, before the messages in the mailbox. */
  def unstashAll(): Unit

  /** Sends `message` to the actor itself, once, after `delay`.
    *
    * It replaces a timer with the same key; so do [[startTimerAtFixedRate]] and
    * [[startTimerWithFixedDelay]]. A timer is cancelled when the actor stops or restarts.
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
    * @throws java.lang.IllegalArgumentException
    *   if `period` is less than 1 ns
    */
  def startTimerAtFixedRate(key: Any, message: T, period: FiniteDuration): Unit

  /** Sends `message` to the actor itself after `delay`, and again `delay` after each time that it
    * was handled.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `delay` is less than 1 ns
    */
  def startTimerWithFixedDelay(key: Any, message: T, delay: FiniteDuration): Unit

  /** Cancels a timer. Its message is not delivered, even if it already waits. */
  def cancelTimer(key: Any): Unit

  /** Sends `message` to the actor itself whenever it has received no other message for `after`. */
  def setReceiveTimeout(after: FiniteDuration, message: T): Unit

  /** Cancels the receive timeout. */
  def cancelReceiveTimeout(): Unit

  /** Blocks for `time`, by the clock of the system: in a simulation only simulated time passes. It
    * returns early if a stop or a group restart of the actor is requested.
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
    */
  def pipeToSelf[A](future: Future[A])(message: Try[A] => T): Unit
end ActorContext

object ActorContext:
  /** The largest number of messages that one actor may stash. */
  val StashLimit = 65_536

/** Spawns an actor: a child of the enclosing actor, or of the system's guardian.
  *
  * It costs some hundred bytes and nanoseconds, plus a thread if `run` has one per actor. Messages
  * can be sent to it at once.
  *
  * @param name
  *   for diagnostics; need not be unique. Actors without a name are numbered
  * @throws SpawnRejectedException
  *   if the enclosing actor or system is stopping
  */
def spawn[T](
    behavior: Behavior[T],
    name: String = "",
    run: Run = Run.Workers,
    mailbox: Mailbox = Mailbox.default
)(using scope: ActorScope): ActorRef[T] = scope.spawnHere(behavior, name, run, mailbox)

/** The enclosing actor. */
def self[T](using context: ActorContext[T]): ActorRef[T] = context.self

/** The context of the enclosing actor. */
def context[T](using context: ActorContext[T]): ActorContext[T] = context
