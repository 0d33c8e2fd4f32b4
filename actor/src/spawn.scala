package undercroft.actor

import scala.annotation.implicitNotFound

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
