package undercroft.pekko

import internal.bridge.{DeliveryHost, PekkoBridge}
import org.apache.pekko.actor.typed
import scala.concurrent.duration.{DurationInt, FiniteDuration}
import undercroft.actor.{ActorRef, ActorScope, Mailbox, Run}

/** Messages to an actor on another node that are neither lost nor reordered, with back-pressure.
  *
  * A plain `!` to another node is delivered at most once: Pekko drops messages when a queue is full
  * or a connection breaks. A delivery numbers its messages, sends them again until the receiver
  * acknowledges them, and lets at most a window of them be on the way.
  *
  * Guarantees:
  *
  *   - The target gets the messages of a delivery in the order in which they were sent, each one
  *     once. If the target is an entity that moves to another node or restarts, the new instance
  *     may get some messages again that the old one had accepted shortly before.
  *   - To a persistent actor, an acknowledgement means *stored*: the events of the message are
  *     durable, as its journal's `durability` says, or it has none, or its handler failed. A
  *     message whose events cannot be stored (the disk is full, the journal has failed) waits at
  *     the sender and is sent again, also if the actor resumes, restarts or moves, after pauses
  *     that double from a millisecond to a second; events that cannot be encoded (`Rejected`) are a
  *     failure of the handler. The actor gets the next message of that sender later.
  *   - To any other actor it means *accepted*: the target has handled the message or put it in its
  *     stash; if the target is paused, or has not become an actor by `toPekko`, the message is in
  *     the target's mailbox. If the target stops itself, the messages in its stash and its mailbox
  *     are lost; if it fails, too, unless its behavior is supervised with `Resume` or `Restart`.
  *   - If the mailbox or the stash is full, a message waits at the sender; a slow target slows its
  *     senders. A mailbox that drops messages (`DropNewest`, `DropOldest`) may still drop an
  *     accepted one if other senders fill it, too.
  *   - Each other message becomes a dead letter of the sender's system, with the reason
  *     [[undercroft.actor.DeadLetterReason.Undelivered]], and the log tells why: it cannot be
  *     serialized, is too long, or cannot be read by the receiver; the target has stopped or did
  *     not reply. If only the acknowledgement was lost, the target has handled it.
  *
  * The protocol is go-back-N with cumulative acknowledgements, over batches of at most 256
  * messages. A small message takes about a fifth of the time of a plain one if many are sent, and
  * as long as with Pekko's reliable delivery if it is alone: see the lab's experiment `cluster`.
  */
object ReliableDelivery:

  /** The number of messages that may be on the way. */
  final val DefaultWindow = 1024

  /** Spawns an actor that delivers its messages to `target`: an actor of Undercroft on another node
    * or this one, or an entity whose behavior is Undercroft's. It serializes each message.
    *
    * It stops when the target has stopped, or when its parent stops it; messages that were on the
    * way then are still delivered, and those in its mailbox are dead letters. It fails with a
    * [[DeliveryException]] if the target does not reply for `giveUpAfter`, for example after its
    * node was lost, and its parent's supervision decides. Thread-safe.
    *
    * {{{
    * import org.apache.pekko.actor.typed
    * import undercroft.actor.{ActorRef, ActorScope, Mailbox, Overflow}
    * def pay(account: ActorRef[Int])(using ActorScope, typed.ActorSystem[?]): Unit =
    *   val mailbox = Mailbox(10_000, Overflow.Backpressure)
    *   val delivery = ReliableDelivery.spawn(account, mailbox = mailbox)
    *   for i <- 1 to 100_000 do delivery ! i // waits while the mailbox is full
    * }}}
    *
    * @param mailbox
    *   the limit of the messages that wait for the window, and its overflow strategy
    * @param window
    *   the most messages that are sent and not acknowledged
    * @param giveUpAfter
    *   the longest time without a reply
    * @throws java.lang.IllegalArgumentException
    *   if the window or the time is not positive
    * @throws undercroft.actor.SpawnRejectedException
    *   if the enclosing actor or system is stopping
    */
  def spawn[T](
      target: ActorRef[T],
      name: String = "",
      mailbox: Mailbox = Mailbox.default,
      window: Int = DefaultWindow,
      giveUpAfter: FiniteDuration = 1.minute
  )(using scope: ActorScope, system: typed.ActorSystem[?]): ActorRef[T] =
    if window < 1 then throw IllegalArgumentException(s"window must be at least 1, but is $window")
    if giveUpAfter <= 0.seconds then
      throw IllegalArgumentException(s"giveUpAfter must be positive, but is $giveUpAfter")
    val bridge = PekkoBridge(system)
    val address = bridge.spawnDelivery()
    try
      val host =
        DeliveryHost(target.asInstanceOf[ActorRef[Any]], window, giveUpAfter, bridge, address)
      address ! host
      undercroft.actor.spawn(host.behavior, name, Run.On(host.turns), mailbox)
        .asInstanceOf[ActorRef[T]]
    catch
      case cause: Throwable =>
        address ! DeliveryHost.Stop
        throw cause
  end spawn
end ReliableDelivery

/** A delivery has ended because the target did not reply, or because the actor system of Pekko
  * stops. The messages that were not acknowledged are dead letters.
  */
final class DeliveryException private[pekko] (message: String) extends RuntimeException(message)
