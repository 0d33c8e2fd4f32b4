package undercroft.pekko.persistence
package internal.lease

import org.apache.pekko.actor.{typed, ActorPath, NoSerializationVerificationNeeded}
import org.apache.pekko.actor.typed.{BehaviorSignalInterceptor, TypedActorContext}
import org.apache.pekko.actor.typed.scaladsl.{Behaviors, StashBuffer}
import scala.util.{Failure, Success, Try}
import undercroft.actor.{Behavior, Mailbox}
import undercroft.actor.persistence.Journal
import undercroft.pekko.internal.bridge.PekkoHost
import undercroft.pekko.toPekko

/** The Pekko actor of an entity: it stashes messages until the journal of its shard is open, then
  * hosts the entity's behavior, and releases the journal when it ends in any way. A message may be
  * anything: the batches of reliable delivery, too.
  */
private[persistence] object EntityHost:
  private final class Opened(val journal: Try[Journal[?, ?]])
      extends NoSerializationVerificationNeeded

  /** As the buffers of Cluster Sharding. */
  private val StashLimit = 100_000

  def apply[C, E, S](
      leases: ShardLeases[E, S],
      mailbox: Mailbox,
      behavior: Journal[E, S] => Behavior[C]
  ): typed.Behavior[Any] = Behaviors.setup[Any]: context =>
    val lease = leases.acquire(shardOf(context.self.path))
    context.pipeToSelf(lease.journal)(Opened(_))
    Behaviors.intercept[Any, Any](() => Signals(lease.release))(
      Behaviors.withStash(StashLimit)(opening[C, E, S](_, mailbox, behavior))
    )

  /** The shard of an entity, the parent of its actor:
    * `pekko://system/system/sharding/type/shard/entity`. The `EntityContext` does not have it.
    */
  private def shardOf(entity: ActorPath): String =
    if entity.elements.take(2).toList != List("system", "sharding") then
      throw IllegalStateException(
        s"$entity has no shard and no journal: it must be an entity of Cluster Sharding"
      )
    entity.parent.name

  private def opening[C, E, S](
      stash: StashBuffer[Any],
      mailbox: Mailbox,
      behavior: Journal[E, S] => Behavior[C]
  ): typed.Behavior[Any] = Behaviors.receive[Any]: (context, message) =>
    message match
      case opened: Opened =>
        opened.journal match
          case Success(journal) =>
            val hosted = behavior(journal.asInstanceOf[Journal[E, S]]).toPekko(mailbox)
            stash.unstashAll(hosted.asInstanceOf[typed.Behavior[Any]])
          case Failure(cause) => throw cause
      case _: PekkoHost.StopInOrder.type if stash.isEmpty || stash.isFull => Behaviors.stopped
      case message =>
        if stash.isFull then context.system.deadLetters ! message
        else stash.stash(message): Unit
        Behaviors.same

  /** Pekko's signal to an entity that moves or is passivated. Its type is Pekko's own. */
  private val PoisonPill = "org.apache.pekko.actor.typed.internal.PoisonPill$"

  /** Lets a poison pill wait for the commands before it: Pekko would stop the entity at once, and
    * the commands that it has stashed would be lost. Calls `release` when the actor ends or
    * restarts, after the behavior has got the signal.
    */
  private final class Signals(release: () => Unit) extends BehaviorSignalInterceptor[Any]:
    override def aroundSignal(
        context: TypedActorContext[Any],
        signal: typed.Signal,
        target: typed.BehaviorInterceptor.SignalTarget[Any]
    ): typed.Behavior[Any] =
      try
        if signal.getClass.getName == PoisonPill then
          context.asScala.self ! PekkoHost.StopInOrder
          Behaviors.same
        else target(context, signal)
      finally
        signal match
          case _: (typed.PostStop | typed.PreRestart) => release()
          case _                                      => ()
end EntityHost
