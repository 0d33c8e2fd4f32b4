package undercroft.lab.cluster

import java.util.concurrent.LinkedTransferQueue
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.locks.LockSupport
import org.apache.pekko.actor.typed.Behavior as PekkoBehavior
import org.apache.pekko.actor.typed.delivery.{ConsumerController, ProducerController}
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.reflect.ClassTag
import undercroft.actor.{ActorSystem, Behavior, Mailbox, Overflow}
import undercroft.pekko.*

/** A way from a sender on one node to a receiver on another one. One thread sends. */
private[cluster] abstract class Link[T](serializer: Node.Serializer) extends AutoCloseable:
  protected val (here, there) = (Node(serializer), Node(serializer))

  /** The number of messages that the receiver has handled, in memory of this process. */
  protected val handled = AtomicLong()
  def count: Long = handled.get

  /** The time for which the receiver pauses at each message. */
  @volatile var pauseNanos = 0L

  protected def handle(): Unit =
    if pauseNanos > 0 then LockSupport.parkNanos(pauseNanos)
    handled.lazySet(handled.get + 1)

  /** Our actor that handles messages. */
  protected def receiver: Behavior[T] = Behavior.receive: _ =>
    handle()
    Behavior.same

  def send(message: T): Unit

  def close(): Unit =
    here.stop()
    there.stop()
end Link

private[cluster] object Link:
  /** Plain sends of Pekko to a Pekko actor. */
  final class Plain[T](serializer: Node.Serializer) extends Link[T](serializer):
    private val receiver: PekkoBehavior[T] = Behaviors.receiveMessage: _ =>
      handle()
      Behaviors.same
    private val target = here.resolve(there.spawn(receiver, "receiver"), there)
    def send(message: T): Unit = target ! message

  /** Sends of Pekko by its reliable delivery, which requests each message. */
  final class PekkoReliable[T: ClassTag](serializer: Node.Serializer) extends Link[T](serializer):
    import ProducerController.RequestNext

    private val consumer: PekkoBehavior[ConsumerController.Delivery[T]] =
      Behaviors.receiveMessage: delivery =>
        handle()
        delivery.confirmTo ! ConsumerController.Confirmed
        Behaviors.same

    /** The messages that the producer is asked for and has not got, for the sending thread. */
    private val requests = LinkedTransferQueue[RequestNext[T]]()
    private val producer: PekkoBehavior[RequestNext[T]] = Behaviors.receiveMessage: request =>
      requests.add(request): Unit
      Behaviors.same

    locally:
      val receiving = there.spawn(ConsumerController[T](), "receiving")
      receiving ! ConsumerController.Start(there.spawn(consumer, "consumer"))
      val sending = here.spawn(ProducerController[T]("sending", None), "sending")
      sending ! ProducerController.Start(here.spawn(producer, "producer"))
      sending ! ProducerController.RegisterConsumer(here.resolve(receiving, there))

    def send(message: T): Unit = requests.take().nn.sendNextTo ! message
  end PekkoReliable

  /** Plain sends of Undercroft to a hosted actor. */
  final class Ours[T] extends Link[T](Node.Serializer.Struct):
    private val target = here.resolve(there.spawn(receiver.toPekko(), "receiver"), there)
    private val ref = target.toUndercroft(using here.system)
    def send(message: T): Unit = ref ! message

  /** Sends of Undercroft by its reliable delivery, to a hosted actor. */
  final class OursReliable[T] extends Link[T](Node.Serializer.Struct):
    private val target = here.resolve(there.spawn(receiver.toPekko(), "receiver"), there)
    private val system = ActorSystem("sender")
    private val delivery = ReliableDelivery.spawn(
      target.toUndercroft(using here.system),
      mailbox = Mailbox(1024, Overflow.Backpressure)
    )(using system, here.system)
    def send(message: T): Unit = delivery ! message

    override def close(): Unit =
      super.close()
      system.close()
  end OursReliable
end Link
