package undercroft.pekko
package internal.bridge

import internal.delivery.{Acknowledgement, DeliveryBatch, DeliveryReceiver, Outcome, Payload}
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.scaladsl.ActorContext
import org.apache.pekko.actor.typed.scaladsl.adapter.TypedActorSystemOps
import org.apache.pekko.serialization.SerializationExtension
import scala.util.{Failure, Success}
import undercroft.actor.{ActorRef, MailboxFullException}

/** Reads the batches of reliable delivery in the Pekko actor of an actor of Undercroft. A message
  * is accepted when it is in the actor's mailbox; if the actor runs here, it has been handled then,
  * unless the actor waits for something else or has stashed it. So a message behind the one that
  * stops the actor is not accepted; a stashed one is, and is lost if the actor stops itself, or if
  * it fails and its supervision neither resumes nor restarts it.
  *
  * @param runDue
  *   lets the actor handle messages, if it runs here
  */
private[pekko] final class BatchReceiver(
    context: ActorContext[Any],
    contexts: ContextTable,
    runDue: () => Unit
):
  import BatchReceiver.ProgressNanos

  private val receiver = DeliveryReceiver[typed.ActorRef[Acknowledgement]]()
  private lazy val serialization = SerializationExtension(context.system.toClassic)

  def handle(batch: DeliveryBatch, target: ActorRef[Any]): Unit =
    import batch.*
    if !receiver.isKnown(replyTo) then context.watch(replyTo)
    var repliedAt = System.nanoTime
    val progress = (expected: Long) =>
      val now = System.nanoTime
      if now - repliedAt >= ProgressNanos then
        repliedAt = now
        replyTo ! Acknowledgement(expected, transmission, Outcome.Accepted)
    val reply =
      receiver.handle(replyTo, base, first, transmission, payloads)(accept(_, target), progress)
    replyTo ! reply

  /** The Pekko actor of a sender has stopped. */
  def end(sender: typed.ActorRef[Nothing]): Unit =
    receiver.end(sender.unsafeUpcast[Acknowledgement])

  private def accept(payload: Payload, target: ActorRef[Any]): Outcome =
    if target.isStopped || !target.hasRoom then Outcome.Full
    else
      serialization.deserialize(payload.bytes, payload.serializer, payload.manifest) match
        case Success(message) if message.asInstanceOf[AnyRef | Null] eq null =>
          Outcome.Unreadable(s"the serializer ${payload.serializer} returned null")
        case Success(message) =>
          try
            val text = payload.context
            if text eq null then target.tell(message)
            else contexts.deliverIn(text, () => target.tell(message))
            runDue()
            Outcome.Accepted
          catch case _: MailboxFullException => Outcome.Full
        case Failure(cause) => Outcome.Unreadable(cause.toString)
end BatchReceiver

private object BatchReceiver:
  /** The time after which the sender hears of a part of a batch. */
  private val ProgressNanos = 100_000_000L
