package outside.actor

import scala.concurrent.Future
import scala.concurrent.duration.*
import undercroft.actor.*
import undercroft.actor.testkit.*

/** Parked messages that are sent again. */
class ParkedMessageTest extends undercroft.tools.Suite:

  /** An actor whose handler fails until `isRepaired`. */
  private def parking(
      adapters: ActorRef[ActorRef[Int]],
      handled: ActorRef[String],
      isRepaired: () => Boolean
  ): Behavior[String] = Behavior
    .setup[String]:
      adapters ! context.messageAdapter[Int](n => s"adapted $n")
      context.pipeToSelf(Future.successful(3))(result => s"future ${result.get}")
      Behavior.receive: text =>
        if !isRepaired() then throw IllegalStateException("a test")
        handled ! text
        Behavior.same
    .onMessageFailure { case _ => MessageFailure.Park }
    .supervised { case _ => Supervision.Resume }

  test("the messages of an adapter and of a future are converted again"):
    simulate(seeds = 50):
      val (adapters, handled) = (Probe[ActorRef[Int]](), Probe[String]())
      var isRepaired = false
      val behavior = parking(adapters.ref, handled.ref, () => isRepaired)
      val actor = spawn(behavior, "shop")
      adapters.receiveMessage() ! 5
      actor ! "plain"
      simulation.runUntilIdle()
      val parked = simulation.system.drainParked()
      assertEquals(parked.size, 3)
      assert(parked.exists(_.message == 5), s"$parked")
      isRepaired = true
      for message <- parked do message.resend()
      simulation.runUntilIdle()
      assertEquals(handled.received.sorted, Vector("adapted 5", "future 3", "plain"))
      assertEquals(simulation.system.drainParked(), Vector.empty)
      assert(simulation.system.observe.audit.isExact)

  test("a parked message that was retried before is converted again"):
    simulate(seeds = 20):
      val (adapters, handled) = (Probe[ActorRef[Int]](), Probe[String]())
      var isRepaired = false
      val behavior = Behavior
        .setup[String]:
          adapters.ref ! context.messageAdapter[Int](n => s"adapted $n")
          Behavior.receive: text =>
            if !isRepaired then throw IllegalStateException("a test")
            handled.ref ! text
            Behavior.same
        .onMessageFailure { case _ => MessageFailure.Retry(2, MessageFailure.Park) }
        .supervised { case _ => Supervision.Resume }
      spawn(behavior): Unit
      adapters.receiveMessage() ! 5
      simulation.runUntilIdle()
      isRepaired = true
      for message <- simulation.system.drainParked() do message.resend()
      simulation.runUntilIdle()
      assertEquals(handled.received, Vector("adapted 5"))

  test("the message of a watch is parked if its handler fails, and reported if it is unhandled"):
    simulate(seeds = 20):
      val behavior = Behavior
        .setup[String]:
          for name <- List("fails", "is unhandled") do
            val child = spawn(Behavior.receive[Int](_ => Behavior.stopped))
            context.watchWith(child, name)
            child ! 1
          Behavior.receive: text =>
            if text == "fails" then throw IllegalStateException("a test")
            Behavior.unhandled
        .onMessageFailure { case _ => MessageFailure.Park }
        .supervised { case _ => Supervision.Resume }
      spawn(behavior): Unit
      simulation.runUntilIdle()
      assertEquals(simulation.system.drainParked().map(_.message), Vector[Any]("fails"))
      val letters = simulation.events.collect { case ActorEvent.DeadLetter(_, message, reason) =>
        (message, reason)
      }
      val expected = Vector[(Any, DeadLetterReason)](("is unhandled", DeadLetterReason.Unhandled))
      assertEquals(letters, expected)
      assert(simulation.system.observe.audit.isExact)

  test("a copy with another message sends that one"):
    simulate(seeds = 1):
      val (adapters, handled) = (Probe[ActorRef[Int]](), Probe[String]())
      var isRepaired = false
      spawn(parking(adapters.ref, handled.ref, () => isRepaired)): Unit
      adapters.receiveMessage() ! 5
      simulation.runUntilIdle()
      isRepaired = true
      for parked <- simulation.system.drainParked() if parked.message == 5 do
        parked.copy(message = "corrected").resend()
      simulation.runUntilIdle()
      assertEquals(handled.received, Vector("corrected"))
end ParkedMessageTest
