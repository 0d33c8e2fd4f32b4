package undercroft.pekko
package internal.lease

import internal.bridge.PekkoHost
import internal.delivery.DeliveryBatch
import org.apache.pekko.actor.{typed, ActorPath, NoSerializationVerificationNeeded}
import org.apache.pekko.actor.typed.{BehaviorSignalInterceptor, TypedActorContext}
import org.apache.pekko.actor.typed.scaladsl.{ActorContext, Behaviors, StashBuffer}
import scala.util.Try
import undercroft.actor.{Behavior, Mailbox}
import undercroft.actor.persistence.Journal

/** The Pekko actor of an entity: it stashes messages until the journal of its shard is open, then
  * hosts the entity's behavior, and releases the journal when it ends in any way. The host passes
  * the stashed messages on as the entity has room, and those that it has not passed on when the
  * entity ends are dead letters. A batch of reliable delivery is not stashed: its sender gets the
  * reply that the mailbox is full, so it sends the batch again and does not give the entity up.
  */
private[pekko] object EntityHost:
  private final class Opened(val journal: Try[Journal[?, ?]])
      extends NoSerializationVerificationNeeded

  def apply[C, E, S](
      leases: ShardLeases[E, S],
      mailbox: Mailbox,
      behavior: Journal[E, S] => Behavior[C]
  ): typed.Behavior[Any] = Behaviors.setup[Any]: context =>
    val lease = leases.acquire(shardOf(context.self.path))
    context.pipeToSelf(lease.journal)(Opened(_))
    Behaviors.intercept[Any, Any](() => Signals(lease.release))(
      Behaviors.withStash(PekkoHost.WaitingLimit)(
        opening[C, E, S](_, lease.release, mailbox, behavior)
      )
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
      release: () => Unit,
      mailbox: Mailbox,
      behavior: Journal[E, S] => Behavior[C]
  ): typed.Behavior[Any] =
    var isFailed = false // and Pekko has resumed the entity
    Behaviors
      .receive[Any] { (context, message) =>
        message match
          case message if isFailed =>
            PekkoHost.refuse(message, context.system)
            Behaviors.stopped // the next message starts the entity again
          case opened: Opened =>
            val waiting = PekkoHost.Waiting()
            try
              val journal = opened.journal.get
              val hosted = behavior(journal.asInstanceOf[Journal[E, S]]).toPekko(mailbox)
              stash.foreach(waiting.messages.append(_): Unit)
              stash.clear()
              if !waiting.messages.isEmpty then stash.stash(waiting): Unit
              val next = stash.unstashAll(hosted.asInstanceOf[typed.Behavior[Any]])
              if !typed.Behavior.isAlive(next) then waiting.discard(context.system)
              next
            catch
              case cause: Throwable =>
                // After a failure in `unstashAll` Pekko signals only the hosted behavior.
                isFailed = true
                discard(stash, context)
                waiting.discard(context.system)
                release()
                throw cause
          case batch: DeliveryBatch =>
            batch.replyTo ! batch.refusal
            Behaviors.same
          case _: PekkoHost.StopInOrder.type if stash.isEmpty || stash.isFull => Behaviors.stopped
          case message =>
            if stash.isFull then context.system.deadLetters ! message
            else stash.stash(message): Unit
            Behaviors.same
      }
      .receiveSignal {
        case (context, _: (typed.PostStop | typed.PreRestart)) =>
          discard(stash, context)
          Behaviors.same
        case (context, signal) if PekkoHost.isPoisonPill(signal) =>
          context.self ! PekkoHost.StopInOrder
          Behaviors.same
      }
  end opening

  /** Makes the messages in the stash dead letters. */
  private def discard(stash: StashBuffer[Any], context: ActorContext[Any]): Unit =
    stash.foreach(PekkoHost.refuse(_, context.system))
    stash.clear()

  /** Calls `release` when the actor ends or restarts, after the behavior has got the signal. */
  private final class Signals(release: () => Unit) extends BehaviorSignalInterceptor[Any]:
    override def aroundSignal(
        context: TypedActorContext[Any],
        signal: typed.Signal,
        target: typed.BehaviorInterceptor.SignalTarget[Any]
    ): typed.Behavior[Any] =
      try target(context, signal)
      finally
        signal match
          case _: (typed.PostStop | typed.PreRestart) => release()
          case _                                      => ()
end EntityHost
