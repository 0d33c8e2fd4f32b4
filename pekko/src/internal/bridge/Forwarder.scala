package undercroft.pekko
package internal.bridge

import internal.delivery.DeliveryBatch
import org.apache.pekko.actor.{typed, NoSerializationVerificationNeeded}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import undercroft.actor.{ActorRef, MailboxFullException}

/** A Pekko actor that passes its messages to an actor of Undercroft or to a reply. */
private[pekko] object Forwarder:
  /** Ends a forwarder whose target has stopped. */
  object Stop extends NoSerializationVerificationNeeded

  def apply(target: ActorRef[Any], contexts: ContextTable): typed.Behavior[Any] =
    Behaviors.setup: context =>
      val batches = BatchReceiver(context, contexts, () => ())
      Behaviors
        .receiveMessage[Any]:
          case _: Stop.type => Behaviors.stopped
          case batch: DeliveryBatch =>
            batches.handle(batch, target)
            Behaviors.same
          case concluded: BatchReceiver.Concluded =>
            batches.resume(concluded, target)
            Behaviors.same
          case message =>
            try contexts.deliver(message)(target.tell(message))
            catch case _: MailboxFullException => () // counted as a dead letter
            Behaviors.same
        .receiveSignal:
          case (_, typed.Terminated(sender)) =>
            batches.end(sender)
            Behaviors.same
end Forwarder
