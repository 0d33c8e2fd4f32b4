package undercroft.pekko
package internal.bridge

import internal.delivery.*
import java.util.concurrent.{CompletableFuture, Executor}
import java.util.concurrent.TimeUnit.NANOSECONDS
import org.apache.pekko.actor.{typed, ExtendedActorSystem, NoSerializationVerificationNeeded}
import org.apache.pekko.actor.typed.scaladsl.{ActorContext, Behaviors}
import org.apache.pekko.actor.typed.scaladsl.adapter.TypedActorSystemOps
import org.apache.pekko.serialization.{Serialization, SerializationExtension, Serializers}
import scala.concurrent.duration.FiniteDuration
import scala.util.control.NonFatal
import undercroft.actor.{ActorRef, ActorSystem, Behavior, Signal}

/** The sending actor of reliable delivery, and the Pekko actor that runs its turns and gets the
  * acknowledgements. While the window is full the turns wait, so the messages stay in the actor's
  * mailbox, whose overflow strategy applies. A stop or a restart of the actor waits for a tick:
  *
  * {{{
  *   senders --> mailbox --> sending actor --> window --> batches --> target's Pekko actor
  *                               ^                                        |
  *                               |  turns                                 v
  *                          Pekko actor <------------------------- acknowledgements
  * }}}
  *
  * All but the constructor runs in the Pekko actor.
  */
private[pekko] final class DeliveryHost(
    target: ActorRef[Any],
    window: Int,
    giveUpAfter: FiniteDuration,
    bridge: PekkoBridge,
    address: typed.ActorRef[Any]
) extends NoSerializationVerificationNeeded:
  import DeliveryHost.*

  private val pekko = bridge.pekko
  private val classic = pekko.toClassic.asInstanceOf[ExtendedActorSystem]
  private val serialization = SerializationExtension(pekko.toClassic)
  private val replyTo = address.narrow[Acknowledgement]
  private val watched: Option[typed.ActorRef[Any]] = target match
    case _: PekkoEntity[?] => None
    case _                 => Some(bridge.toPekko(target))
  private val transmitTo: typed.RecipientRef[Any] =
    watched.getOrElse(target.asInstanceOf[PekkoEntity[Any]].entity)

  /** The most bytes that a batch with one message may have, so that Artery accepts it. */
  private val maxLength =
    val frame = pekko.settings.config.getBytes("pekko.remote.artery.advanced.maximum-frame-size")
    frame.nn.toInt - FrameOverhead

  val turns: HostTurns = HostTurns(address)
  private val sender = DeliverySender[Any](window, giveUpAfter.toNanos)(
    (base, first, transmission, payloads) =>
      transmitTo ! DeliveryBatch(replyTo, base, first, transmission, payloads),
    undelivered
  )

  // ---- the sending actor

  private var system: ActorSystem | Null = null
  private var self: ActorRef[Any] | Null = null

  /** Why nothing more is sent. */
  private var end: End | Null = null
  private var hasStopped = false

  def behavior: Behavior[Any] = Behavior.setup[Any]:
    val context = undercroft.actor.context[Any]
    system = context.system
    self = context.self
    if end ne null then context.self.tellPriority(end) // Pekko has stopped already
    Behavior
      .receive[Any]:
        case _: End.TargetStopped.type => Behavior.stopped
        case End.GivenUp(cause)        => throw cause
        case message =>
          send(message)
          Behavior.same
      .onSignal:
        case Signal.PostStop =>
          hasStopped = true
          Behavior.same

  private def send(message: Any): Unit =
    if end ne null then undelivered(message, end.nn.reason)
    else
      val payload =
        try serialize(message.asInstanceOf[AnyRef])
        catch
          case NonFatal(cause) =>
            undelivered(message, cause.toString)
            Payload.Withdrawn
      if payload.length > maxLength then
        undelivered(message, s"it has ${payload.length} bytes; allowed: at most $maxLength")
      else if payload ne Payload.Withdrawn then
        sender.add(message, payload, System.nanoTime)
        turns.isOpen = sender.isOpen

  private def serialize(message: AnyRef): Payload =
    Serialization.withTransportInformation(classic): () =>
      val serializer = serialization.findSerializerFor(message)
      val manifest = Serializers.manifestFor(serializer, message)
      val payload = Payload(serializer.identifier, manifest, serializer.toBinary(message))
      val tracer = bridge.contexts.tracer
      if tracer ne null then payload.context = tracer.outgoing()
      payload

  private def undelivered(message: Any, reason: String): Unit =
    // At the end, `finish` logs one line for all messages.
    if end eq null then pekko.log.warn(s"a message to ${target.name} was not delivered: $reason")
    system.nn.reportUndelivered(target, message)

  // ---- the Pekko actor

  private var isTicking = false
  private var isResuming = false
  private var isTargetStopped = false

  def run(context: ActorContext[Any]): typed.Behavior[Any] =
    watched.foreach(context.watch(_))
    Behaviors
      .receiveMessage[Any] { message =>
        message match
          case reply: Acknowledgement => turns.within(handle(reply))
          case _: HostTurns.Wake.type => turns.awake()
          case _: Tick.type           => turns.within(tick())
          case _: Resume.type =>
            isResuming = false
            sender.resume(System.nanoTime)
          case _: Stop.type => hasStopped = true
        sender.flush(System.nanoTime)
        next(context)
      }
      .receiveSignal {
        case (_, typed.Terminated(_)) =>
          isTargetStopped = true
          next(context)
        case (_, _: typed.PostStop) =>
          if end eq null then turns.within(finish(End.GivenUp(stopping)))
          turns.close()
          Behaviors.same
      }
  end run

  private def stopping =
    DeliveryException(s"the delivery to ${target.name} has ended: ${pekko.name} stops")

  private def next(context: ActorContext[Any]): typed.Behavior[Any] =
    if hasStopped && sender.isEmpty then Behaviors.stopped
    else
      if !isTicking && (isTargetStopped || !sender.isEmpty) then
        isTicking = true
        context.scheduleOnce(TickTime, address, Tick): Unit
      val pauseNanos = sender.pausedNanos(System.nanoTime)
      if pauseNanos > 0 && !isResuming then
        isResuming = true
        // Pekko's scheduler is coarser than the pause.
        CompletableFuture.delayedExecutor(pauseNanos, NANOSECONDS, DeliveryHost.timerThread)
          .execute(() => address ! Resume)
      Behaviors.same

  private def handle(reply: Acknowledgement): Unit =
    sender.handle(reply, System.nanoTime)
    if end eq null then openTurns()

  /** Lets the actor run if the window has room, or if its turn is to stop or restart it. */
  private def openTurns(): Unit =
    val actor = self
    turns.isOpen = sender.isOpen || (actor eq null) || actor.isLifecycleTurnDue

  private def tick(): Unit =
    isTicking = false
    if end eq null then
      // Acknowledgements may arrive after the notice that the target has stopped, for one tick.
      if isTargetStopped then finish(End.TargetStopped)
      else if sender.tick(System.nanoTime) then
        finish(End.GivenUp(DeliveryException(
          s"${target.name} has not replied for ${giveUpAfter.toCoarsest}"
        )))
      else openTurns()

  /** Ends the delivery: unacknowledged messages, and later ones, become dead letters. */
  private def finish(by: End): Unit =
    end = by
    if !sender.isEmpty then
      pekko.log.warn(
        s"messages to ${target.name} were not delivered: ${by.reason}; unacknowledged: ${sender.size}"
      )
    sender.abandon(by.reason)
    turns.isOpen = true
    if !hasStopped && (self ne null) then self.nn.tellPriority(by)
end DeliveryHost

private[pekko] object DeliveryHost:
  /** The Pekko actor of a delivery, which waits for its host. */
  def waiting: typed.Behavior[Any] = Behaviors.receive[Any]:
    case (context, host: DeliveryHost) => host.run(context)
    case _                             => Behaviors.stopped

  /** Ends a delivery whose actor was not spawned. */
  object Stop extends NoSerializationVerificationNeeded

  private object Tick extends NoSerializationVerificationNeeded
  private object Resume extends NoSerializationVerificationNeeded
  private val timerThread: Executor = task => task.run()
  private val TickTime = FiniteDuration(DeliverySender.TickNanos, NANOSECONDS)

  /** Room in a frame for the batch's own fields, an envelope of Cluster Sharding, and Artery's. */
  private val FrameOverhead = 2 * DeliverySerializer.BatchOverhead

  private enum End(val reason: String):
    case TargetStopped extends End("the actor has stopped")
    case GivenUp(cause: DeliveryException) extends End(cause.getMessage.nn)
end DeliveryHost
