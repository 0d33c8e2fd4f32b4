package undercroft.pekko
package internal.bridge

import internal.delivery.{Acknowledgement, DeliveryBatch, DeliveryReceiver, Outcome, Payload}
import java.util.concurrent.atomic.AtomicReference
import org.apache.pekko.actor.{typed, DeadLetterSuppression, NoSerializationVerificationNeeded}
import org.apache.pekko.actor.typed.scaladsl.ActorContext
import org.apache.pekko.actor.typed.scaladsl.adapter.TypedActorSystemOps
import org.apache.pekko.serialization.SerializationExtension
import scala.collection.mutable
import scala.util.{Failure, Success}
import undercroft.actor.{ActorRef, MailboxFullException}

/** Reads the batches of reliable delivery in the Pekko actor of an actor of Undercroft.
  *
  * A message is accepted when it is in the actor's mailbox; if the actor runs here, it has been
  * handled then, unless the actor waits for something else or has stashed it. So a message behind
  * the one that stops the actor is not accepted; a stashed one is, and is lost if the actor stops
  * itself, or if it fails and its supervision neither resumes nor restarts it.
  *
  * A message to an actor that stores events is accepted when its events are stored. If they cannot
  * be, the sender sends it again. So that the order is kept, the actor gets the next message of
  * that sender later:
  *
  * {{{
  *   batch --> Batches --first message--> actor --> journal
  *                ^                                    |
  *                +-- Concluded -----------------------+
  * }}}
  *
  * @param runDue
  *   lets the actor handle messages, if it runs here
  */
private[pekko] final class BatchReceiver(
    context: ActorContext[Any],
    contexts: ContextTable,
    runDue: () => Unit
):
  import BatchReceiver.*

  private val receiver = DeliveryReceiver[Sender]()
  private val storing = mutable.HashMap.empty[Sender, Batches]
  private val self = context.self
  private lazy val serialization = SerializationExtension(context.system.toClassic)

  def handle(batch: DeliveryBatch, target: ActorRef[Any]): Unit =
    import batch.*
    if !receiver.isKnown(replyTo) then context.watch(replyTo)
    if target.storesEvents then
      val batches = storing.getOrElseUpdate(replyTo, Batches(replyTo))
      if batches.add(batch) then deliver(batches, target)
      else replyTo ! batch.reply(receiver.expected(replyTo, base), Outcome.Accepted)
    else
      var repliedAt = System.nanoTime
      val progress = (expected: Long) =>
        val now = System.nanoTime
        if now - repliedAt >= ProgressNanos then
          repliedAt = now
          replyTo ! batch.reply(expected, Outcome.Accepted)
      val reply =
        receiver.handle(replyTo, base, first, transmission, payloads)(accept(_, target), progress)
      replyTo ! reply
  end handle

  /** The events of a message are stored or not. */
  def resume(concluded: Concluded, target: ActorRef[Any]): Unit =
    val batches = concluded.batches
    // Else the sender has stopped, or Pekko has restarted the host.
    if storing.get(batches.sender).exists(_ eq batches) then deliver(batches, target)

  /** The Pekko actor of a sender has stopped. */
  def end(sender: typed.ActorRef[Nothing]): Unit =
    val address = sender.unsafeUpcast[Acknowledgement]
    storing.remove(address): Unit
    receiver.end(address)

  // ---- an actor that stores events

  /** Hands the messages to the actor, until it has to store the events of one. */
  private def deliver(batches: Batches, target: ActorRef[Any]): Unit =
    var goesOn = true
    while goesOn && !batches.isEmpty do
      val known = batches.takeOutcome()
      val outcome =
        if (known ne null) || batches.isHanded then known else hand(batches, target)
      if outcome eq null then goesOn = false else conclude(batches, outcome)

  /** Hands the next message to the actor. Returns its outcome, or null if there is none yet. */
  private def hand(batches: Batches, target: ActorRef[Any]): Outcome | Null =
    val batch = batches.first
    val index = receiver.expected(batches.sender, batch.base) - batch.first
    if index < 0 then Outcome.Gap
    else if index >= batch.payloads.length || (batch.payloads(index.toInt) eq Payload.Withdrawn)
    then Outcome.Accepted
    else
      val outcome = accept(
        batch.payloads(index.toInt),
        target,
        message =>
          batches.isHanded = true
          target.tellConfirmed(
            message,
            isStored =>
              if batches.setOutcome(if isStored then Outcome.Accepted else Outcome.NotStored) then
                self ! Concluded(batches)
          )
      )
      if outcome == Outcome.Accepted then batches.awaitOutcome()
      else
        batches.forget()
        outcome
    end if
  end hand

  /** Counts the next message as accepted, or refuses it and those behind it. */
  private def conclude(batches: Batches, outcome: Outcome): Unit =
    val batch = batches.first
    val next = receiver.expected(batches.sender, batch.base)
    if outcome != Outcome.Accepted then
      batches.clear()
      batches.sender ! batch.reply(next, outcome)
    else
      val end = batch.first + batch.payloads.length
      val expected = math.min(next + 1, math.max(next, end))
      receiver.advance(batches.sender, expected)
      val isOver = expected >= end
      if isOver then batches.removeFirst()
      val now = System.nanoTime
      if isOver || now - batches.repliedAt >= ProgressNanos then
        batches.repliedAt = now
        batches.sender ! batch.reply(expected, Outcome.Accepted)
  end conclude

  private def accept(payload: Payload, target: ActorRef[Any]): Outcome =
    accept(payload, target, target.tell(_))

  private def accept(payload: Payload, target: ActorRef[Any], tell: Any => Unit): Outcome =
    if target.isStopped || !target.hasRoom then Outcome.Full
    else
      serialization.deserialize(payload.bytes, payload.serializer, payload.manifest) match
        case Success(message) if message.asInstanceOf[AnyRef | Null] eq null =>
          Outcome.Unreadable(s"the serializer ${payload.serializer} returned null")
        case Success(message) =>
          try
            val text = payload.context
            if text eq null then tell(message)
            else contexts.deliverIn(text, () => tell(message))
            runDue()
            Outcome.Accepted
          catch case _: MailboxFullException => Outcome.Full
        case Failure(cause) => Outcome.Unreadable(cause.toString)
end BatchReceiver

private[pekko] object BatchReceiver:
  private type Sender = typed.ActorRef[Acknowledgement]

  /** The time after which the sender hears of a part of a batch. */
  private val ProgressNanos = 100_000_000L

  /** A message of a Pekko actor to itself: the actor has stored the events of a message, or not. */
  final class Concluded(private[BatchReceiver] val batches: Batches)
      extends NoSerializationVerificationNeeded,
        DeadLetterSuppression

  /** The batches of one sender to an actor that stores events, whose first message is handed to the
    * actor at most once. Confined to the Pekko actor, except `setOutcome`.
    */
  private[BatchReceiver] final class Batches(val sender: Sender):
    private val waiting = mutable.ArrayDeque.empty[DeliveryBatch]
    private val state = AtomicReference[AnyRef | Null](null)
    var isHanded = false
    var repliedAt: Long = System.nanoTime

    def isEmpty: Boolean = waiting.isEmpty
    def first: DeliveryBatch = waiting.head
    def removeFirst(): Unit = waiting.removeHead(): Unit

    /** Adds a batch, unless all of its messages wait. The window of the sender is the limit. */
    def add(batch: DeliveryBatch): Boolean =
      def endOf(batch: DeliveryBatch) = batch.first + batch.payloads.length
      val isNew = waiting.isEmpty || endOf(waiting.last) < endOf(batch)
      if isNew then waiting.append(batch): Unit
      isNew

    def clear(): Unit = waiting.clear()

    /** Sets the outcome of the handed message, on any thread. Returns whether it is awaited. */
    def setOutcome(outcome: Outcome): Boolean = state.getAndSet(outcome) eq Awaited

    /** Returns the outcome of the handed message, or null if it will be told. */
    def awaitOutcome(): Outcome | Null =
      if state.compareAndSet(null, Awaited) then null else takeOutcome()

    /** Returns the outcome of the handed message, if there is one, and forgets the message. */
    def takeOutcome(): Outcome | Null = state.get match
      case outcome: Outcome =>
        forget()
        outcome
      case _ => null

    /** The message was not handed to the actor, or its outcome is known. */
    def forget(): Unit =
      isHanded = false
      state.set(null)
  end Batches

  private object Awaited
end BatchReceiver
