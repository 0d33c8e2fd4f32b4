package undercroft.actor

import scala.annotation.implicitNotFound
import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/** Where actors can be spawned: a system, or an actor. */
@implicitNotFound(
  "actors are spawned inside ActorSystem.scoped, Behavior.setup, or with a system given"
)
trait Scope:
  private[actor] def spawnHere[T](
      behavior: Behavior[T],
      name: String,
      run: Run,
      mailbox: Mailbox
  ): ActorRef[T]

/** An actor's view of itself, given inside [[Behavior.setup]].
  *
  * It is for the actor's own thread, while it handles something: every method throws
  * `IllegalStateException` elsewhere, but for `self` and `system`.
  */
@implicitNotFound("this is for an actor's own code: inside Behavior.setup there is a Context")
trait Context[T] extends Scope:
  /** The actor itself, for any thread. */
  def self: ActorRef[T]

  def system: ActorSystem

  /** Its children that have not stopped. */
  def children: List[ActorRef[Nothing]]

  /** Stops a child, after the message it is at, before those that wait.
    *
    * @throws java.lang.IllegalArgumentException
    *   if `child` is no child of this actor
    */
  def stop(child: ActorRef[Nothing]): Unit

  /** Asks to be told when `ref` stops, by [[Signal.Terminated]], once; at once if it has. */
  def watch(ref: ActorRef[Nothing]): Unit

  /** As `watch`, told by a message of the actor's own kind. It replaces an earlier watch. */
  def watchWith(ref: ActorRef[Nothing], message: T): Unit

  /** Asks not to be told any more; a notice that waits already is not delivered. */
  def unwatch(ref: ActorRef[Nothing]): Unit

  /** Links this actor and another one: when one of them stops because it failed, the other fails
    * with a [[LinkBrokenException]], for which its own supervision decides. One that stops without
    * a failure breaks nothing; nor does a restart. A link to one that has failed breaks at once.
    */
  def link(ref: ActorRef[Nothing]): Unit

  /** Takes the link away, from both. */
  def unlink(ref: ActorRef[Nothing]): Unit

  /** Puts the message in hand aside, when its handler returns. It counts as stashed.
    *
    * @throws StashFullException
    *   if [[Context.StashLimit]] messages are stashed
    * @throws java.lang.IllegalStateException
    *   if there is no message in hand, as in a setup or the handler of a signal, or it is stashed
    *   already
    */
  def stash(): Unit

  /** Handles all that is stashed, in its order, before what waits in the mailbox. */
  def unstashAll(): Unit

  /** Sends `message` to the actor itself after a delay, once. A timer with the same key is
    * replaced. It is cancelled when the actor stops or restarts.
    */
  def startTimer(key: Any, message: T, delay: FiniteDuration): Unit

  /** Sends `message` again and again. `Every.Rate` keeps to the clock, `Every.Delay` counts from
    * when the last one was handled. No more than one waits at a time.
    */
  def startTimer(key: Any, message: T, every: Every): Unit

  /** Cancels a timer. A message of it that waits already is not delivered. */
  def cancelTimer(key: Any): Unit

  /** Sends `message` to the actor itself whenever it got nothing else for `after`. */
  def receiveTimeout(after: FiniteDuration, message: T): Unit

  /** No more of that. */
  def cancelReceiveTimeout(): Unit

  /** Waits for so long, by the clock of the system: in a simulation no time passes for it but the
    * simulated. It blocks: for actors that may. One that is told to stop, or whose thread is
    * interrupted, waits no longer.
    *
    * @throws java.lang.IllegalStateException
    *   on a worker, which must not block: use a timer there
    * @throws java.lang.IllegalArgumentException
    *   if `time` is negative
    * @throws java.lang.InterruptedException
    *   if the thread is interrupted
    */
  def sleep(time: FiniteDuration): Unit

  /** Sends the actor what becomes of a future, as a message, whatever the mailbox's limit.
    * `message` is called by the actor itself, as a part of the handling: what it throws is a
    * failure there.
    */
  def pipe[A](future: Future[A])(message: Try[A] => T): Unit
end Context

object Context:
  /** Messages that one actor may stash. */
  val StashLimit = 65_536

/** How the repetitions of a timer are counted. */
enum Every derives CanEqual:
  case Rate(period: FiniteDuration)
  case Delay(period: FiniteDuration)

  private[actor] def nanos: Long = this match
    case Rate(period)  => period.toNanos
    case Delay(period) => period.toNanos

/** Makes an actor, a child of the actor around the call, or one of the system's own.
  *
  * It costs some hundred bytes and nanoseconds; a thread besides where `run` is one. Messages can
  * be sent to it at once.
  *
  * @param name
  *   for people; names need not differ. Actors without one are numbered
  * @throws SpawnRefusedException
  *   if the actor or system around it is stopping
  */
def spawn[T](
    behavior: Behavior[T],
    name: String = "",
    run: Run = Run.Workers,
    mailbox: Mailbox = Mailbox.default
)(using scope: Scope): ActorRef[T] = scope.spawnHere(behavior, name, run, mailbox)

/** The actor around the call. */
def self[T](using context: Context[T]): ActorRef[T] = context.self

/** The context of the actor around the call. */
def context[T](using context: Context[T]): Context[T] = context
