package outside.pekko

import org.apache.pekko.actor.setup.ActorSystemSetup
import org.apache.pekko.actor.typed
import org.apache.pekko.actor.typed.Props
import org.apache.pekko.actor.typed.scaladsl.Behaviors
import scala.concurrent.Await
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.pekko.*

/** Pekko's setting for tests by which each message between actors of a node is serialized. */
class SerializedMessagesTest extends ClusterSuite:

  private def serializing(body: typed.ActorSystem[?] ?=> Unit): Unit =
    val setup =
      ActorSystemSetup(UndercroftSerialization(MessageCodec[Parcel], MessageCodec[Delivered]))
    val local = "pekko.actor.provider = local, pekko.actor.serialize-messages = on"
    val system = node(setup, local)
    try body(using system)
    finally
      system.terminate()
      Await.ready(system.whenTerminated, patience): Unit

  private def counting: Behavior[Parcel] = Behavior.setup:
    var count = 0L
    Behavior.receive:
      case Parcel.Item(_) =>
        count += 1
        Behavior.same
      case Parcel.Count(to) =>
        to ! Delivered(count, inOrder = true)
        Behavior.same
      case _ => Behavior.stopped

  private def start[T](behavior: typed.Behavior[T])(using
      system: typed.ActorSystem[?]
  ): typed.ActorRef[T] = system.systemActorOf(behavior, "subject", Props.empty)

  test("asks of a hosted actor by other threads are answered"):
    serializing:
      // One reference: the order of messages through two is not kept.
      val actor = start(counting.toPekko()).toUndercroft
      for n <- 1 to 100 do
        actor ! Parcel.Item(n)
        val delivered = actor.ask[Delivered](1.minute)(Parcel.Count(_))
        assertEquals(delivered.count, n.toLong)

  test("the timers of a hosted actor fire"):
    serializing:
      val notes = Notes()
      start(
        Behavior.setup[Parcel]:
          context.startTimerAtFixedRate("items", Parcel.Item(1), 1.milli)
          Behavior.receive: parcel =>
            notes.add(parcel)
            Behavior.same
        .toPekko()
      ): Unit
      notes.take(10): Unit

  test("a reliable delivery arrives, and ends with its sender"):
    serializing:
      val actor = start(counting.toPekko())
      ActorSystem.scoped("senders"):
        val delivery = ReliableDelivery.spawn(actor.toUndercroft)
        for n <- 1 to 5000 do delivery ! Parcel.Item(n)
        val delivered = delivery.ask[Delivered](1.minute)(Parcel.Count(_))
        assertEquals(delivered, Delivered(5000, inOrder = true))
        delivery ! Parcel.Stop
        until(delivery.isStopped)

  test("a forwarder stops with its actor"):
    serializing:
      val notes = Notes()
      ActorSystem.scoped("mine"):
        val actor = spawn(counting)
        val address = actor.toPekko
        start(Behaviors.setup[Int]: context =>
          context.watch(address)
          Behaviors.receiveSignal { case (_, typed.Terminated(_)) =>
            notes.add("Terminated")
            Behaviors.same
          }): Unit
        actor ! Parcel.Stop
        assertEquals(notes.take(1), List("Terminated"))
end SerializedMessagesTest
